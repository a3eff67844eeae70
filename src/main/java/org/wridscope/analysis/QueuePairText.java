// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.wridscope.telemetry.QueuePairChange;
import org.wridscope.telemetry.QueuePairPath;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.text.Format;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.QueuePairAttributes;

/** What a program set of its queue pairs, in words. */
public final class QueuePairText {
  /** What has words of its own. */
  private static final int TOLD =
      QueuePairAttributes.STATE
          | QueuePairAttributes.ACCESS_FLAGS
          | QueuePairAttributes.PORT
          | QueuePairAttributes.PATH_MTU
          | QueuePairAttributes.TIMEOUT
          | QueuePairAttributes.RETRY_COUNT
          | QueuePairAttributes.RNR_RETRY
          | QueuePairAttributes.MIN_RNR_TIMER
          | QueuePairPath.MEMBERS;

  private QueuePairText() {}

  /** A call in one line, with what was refused. */
  static String change(QueuePairChange change) {
    return "%s: %s".formatted(change.queue().text(), call(change));
  }

  private static String call(QueuePairChange change) {
    var words = new ArrayList<String>();
    words.add(change.has(QueuePairAttributes.STATE) ? state(change.state()) : "no change of state");
    if (change.isRefused()) {
      words.set(0, "%s refused with %s".formatted(words.getFirst(), errno(change.errno())));
    }
    words.addAll(attributes(change));
    int others = change.mask() & ~TOLD;
    if (others != 0) {
      words.add("also " + String.join(" ", QueuePairAttributes.names(others)));
    }
    return String.join(", ", words);
  }

  /** A call that was refused, with all its parameters, without its queue pair. */
  public static String refusal(QueuePairs.Refusal refusal, SessionTelemetry telemetry) {
    QueuePairPath path = refusal.path();
    String call = call(refusal.change());
    return path == null
        ? call
        : "%s, %s".formatted(call, String.join(", ", members(path, telemetry)));
  }

  /** Such as {@code QP 17: peer QP 21 at 10.9.0.2, first PSN 5, expected PSN 6}. */
  static String path(QueuePairPath path, SessionTelemetry telemetry) {
    return "%s: %s".formatted(path.queue().text(), String.join(", ", members(path, telemetry)));
  }

  private static List<String> members(QueuePairPath path, SessionTelemetry telemetry) {
    var words = new ArrayList<String>();
    if (path.has(QueuePairAttributes.DESTINATION_QP)) {
      words.add("peer's QP " + Integer.toUnsignedString(path.queuePair()));
    }
    if (path.has(QueuePairAttributes.ADDRESS)) {
      words.add("peer's address " + EventText.wait(path.address(), telemetry));
    }
    if (path.has(QueuePairAttributes.SEND_PSN)) {
      words.add("first PSN sent " + Integer.toUnsignedString(path.sendPsn()));
    }
    if (path.has(QueuePairAttributes.RECEIVE_PSN)) {
      words.add("first PSN expected " + Integer.toUnsignedString(path.receivePsn()));
    }
    return words;
  }

  /** What is set of a queue pair, each in a few words, without its state. */
  public static List<String> attributes(QueuePairChange set) {
    var words = new ArrayList<String>();
    if (set.has(QueuePairAttributes.TIMEOUT)) {
      words.add(timeout(set.timeout()));
    }
    if (set.has(QueuePairAttributes.RETRY_COUNT)) {
      words.add("retries " + set.retries());
    }
    if (set.has(QueuePairAttributes.RNR_RETRY)) {
      words.add(
          set.rnrRetries() == QueuePairAttributes.WITHOUT_LIMIT
              ? "RNR retries without limit"
              : "RNR retries " + set.rnrRetries());
    }
    if (set.has(QueuePairAttributes.MIN_RNR_TIMER)) {
      words.add(rnrTimer(set.minRnrTimer()));
    }
    if (set.has(QueuePairAttributes.PATH_MTU)) {
      int bytes = QueuePairAttributes.mtuBytes(set.pathMtu());
      words.add(
          bytes == 0 ? "path MTU %d (not valid)".formatted(set.pathMtu()) : "path MTU " + bytes);
    }
    if (set.has(QueuePairAttributes.PORT)) {
      words.add("port " + set.port());
    }
    if (set.has(QueuePairAttributes.ACCESS_FLAGS)) {
      List<String> access = QueuePairAttributes.access(set.access());
      words.add("access: " + (access.isEmpty() ? "none" : String.join(" + ", access)));
    }
    return words;
  }

  /** Such as {@code timeout 14 (67 ms)}. */
  private static String timeout(int timeout) {
    if (timeout == 0) {
      return "timeout 0 (waits without end)";
    }
    return QueuePairAttributes.isTimeout(timeout)
        ? "timeout %d (%s)"
            .formatted(timeout, Format.duration(QueuePairAttributes.timeoutNanos(timeout)))
        : "timeout %d (not valid)".formatted(timeout);
  }

  /** Such as {@code minimum RNR timer 12 (640 µs)}. */
  static String rnrTimer(int code) {
    return QueuePairAttributes.isRnrTimer(code)
        ? "minimum RNR timer %d (%s)"
            .formatted(code, Format.duration(QueuePairAttributes.rnrTimerNanos(code)))
        : "minimum RNR timer %d (not valid)".formatted(code);
  }

  /** The name of a state, such as {@code RTS}. */
  public static String state(int value) {
    return QueuePairAttributes.state(value).map(Enum::name).orElse("state " + value);
  }

  /** An error number, with its name. */
  static String errno(int value) {
    return Arrays.stream(Errno.values())
        .filter(each -> each.value() == value)
        .findFirst()
        .map(each -> "errno %d (%s)".formatted(value, each))
        .orElse("errno " + value);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.programs;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.QueueId;
import org.wridscope.text.Legible;
import org.wridscope.verbs.OpcodeNames;
import org.wridscope.verbs.SendFlagNames;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * The fields of a line of a program's own log, by the names of {@code docs/import.md}.
 *
 * @param fields those that are not blank
 */
record ProgramLogLine(Map<String, String> fields) {
  /** The names of all fields, in the order in which they are written. */
  static final List<String> COLUMNS =
      List.of(
          "time_s",
          "event",
          "queue_pair",
          "context",
          "shared_receive_queue",
          "queue",
          "wr_id",
          "opcode",
          "flags",
          "length",
          "remote_address",
          "key",
          "status",
          "vendor_error",
          "completion_queue",
          "error",
          "address",
          "direction",
          "text");

  /** Years of seconds, in both directions. */
  private static final BigDecimal MAX_SECONDS = BigDecimal.valueOf(1L << 33);

  private static final int MAX_NUMBER = 40;
  private static final int MAX_TEXT = 200;

  /** A line that cannot be read; the message is a phrase. */
  static final class BadLineException extends Exception {
    private static final long serialVersionUID = 1L;

    BadLineException(String message) {
      super(message);
    }
  }

  private @Nullable String get(String name) {
    return fields.get(name);
  }

  private BadLineException bad(String name, String expected) {
    String value = get(name);
    return new BadLineException(
        value == null
            ? "it has no %s".formatted(name)
            : "%s is %s and not %s".formatted(name, Legible.of(value, MAX_NUMBER), expected));
  }

  /** What happened; required. */
  String event() throws BadLineException {
    String event = get("event");
    if (event == null) {
      throw bad("event", "");
    }
    return event.toLowerCase(Locale.ROOT);
  }

  /** When, in nanoseconds; required. */
  long nanos() throws BadLineException {
    String text = get("time_s");
    try {
      if (text != null && text.length() <= MAX_NUMBER) {
        BigDecimal seconds = new BigDecimal(text);
        if (seconds.abs().compareTo(MAX_SECONDS) < 0) {
          return seconds.movePointRight(9).longValue();
        }
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw bad("time_s", "a number of seconds");
  }

  /**
   * An unsigned number, decimal or with 0x.
   *
   * @param bits that it may have
   * @param otherwise if it is not there; null if it is required
   */
  long number(String name, int bits, @Nullable Long otherwise) throws BadLineException {
    String text = get(name);
    if (text == null && otherwise != null) {
      return otherwise;
    }
    try {
      if (text != null && text.length() <= MAX_NUMBER) {
        boolean hex = text.startsWith("0x") || text.startsWith("0X");
        BigInteger value = hex ? new BigInteger(text.substring(2), 16) : new BigInteger(text);
        if (value.signum() >= 0 && value.bitLength() <= bits) {
          return value.longValue();
        }
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw bad(name, "a number from 0 to 2^%d - 1, decimal or with 0x".formatted(bits));
  }

  /** The queue pair, or the shared receive queue if one is named. */
  QueueId queue() throws BadLineException {
    if (get("shared_receive_queue") != null) {
      return QueueId.ofSharedReceiveQueue((int) number("shared_receive_queue", 24, null));
    }
    int context = (int) number("context", 7, 1L);
    return QueueId.ofQueuePair(Math.max(0, context - 1), (int) number("queue_pair", 24, null));
  }

  /** Whether it is about the receive queue; the send queue if it is not said. */
  boolean isReceive() throws BadLineException {
    String queue = get("queue");
    if (get("shared_receive_queue") != null && queue == null) {
      return true;
    }
    return switch (queue == null ? "send" : queue.toLowerCase(Locale.ROOT)) {
      case "send" -> false;
      case "receive", "recv" -> true;
      default -> throw bad("queue", "send or receive");
    };
  }

  /** Whether it is said which queue it is about. */
  boolean namesQueue() {
    return get("queue") != null;
  }

  /** Whether it is about a message that was received; sent if it is not said. */
  boolean isReceived() throws BadLineException {
    String direction = get("direction");
    return switch (direction == null ? "sent" : direction.toLowerCase(Locale.ROOT)) {
      case "sent" -> false;
      case "received" -> true;
      default -> throw bad("direction", "sent or received");
    };
  }

  /** {@code ibv_wr_opcode}; required. */
  int requestOpcode() throws BadLineException {
    String name = get("opcode");
    OptionalInt value = name == null ? OptionalInt.empty() : OpcodeNames.request(name);
    return value.isPresent() ? value.getAsInt() : (int) number("opcode", 8, null);
  }

  /** {@code ibv_wc_opcode}; that of a receive or of a SEND if it is not said. */
  int completionOpcode() throws BadLineException {
    String name = get("opcode");
    OptionalInt value = name == null ? OptionalInt.empty() : OpcodeNames.completion(name);
    return value.isPresent()
        ? value.getAsInt()
        : (int) number("opcode", 8, isReceive() ? 128L : 0L);
  }

  /** {@code ibv_send_flags}; signaled if it is not said. */
  int flags() throws BadLineException {
    String text = get("flags");
    if (text == null) {
      return 2;
    }
    if (Character.isDigit(text.charAt(0))) {
      return (int) number("flags", 8, null);
    }
    int flags = 0;
    for (String name : text.split("[|+ ]+", -1)) {
      OptionalInt flag = SendFlagNames.flag(name);
      if (flag.isEmpty() && !name.equalsIgnoreCase("NONE")) {
        throw bad("flags", "names of ibv_send_flags with | between them, or NONE");
      }
      flags |= flag.orElse(0);
    }
    return flags;
  }

  /** {@code ibv_wc_status}; success if it is not said. */
  WorkCompletionStatus status() throws BadLineException {
    String name = get("status");
    if (name == null) {
      return WorkCompletionStatus.SUCCESS;
    }
    String wanted = name.toUpperCase(Locale.ROOT);
    String bare = wanted.startsWith("IBV_WC_") ? wanted.substring(7) : wanted;
    for (WorkCompletionStatus status : WorkCompletionStatus.values()) {
      if (status.name().equals(bare)) {
        return status;
      }
    }
    return WorkCompletionStatus.of((int) number("status", 8, null));
  }

  /** Whether the remote memory of the request is known. */
  boolean hasTarget() {
    return get("remote_address") != null;
  }

  /** A text for people; required. */
  String text() throws BadLineException {
    String text = get("text");
    if (text == null) {
      throw bad("text", "");
    }
    return Legible.of(text, MAX_TEXT);
  }
}

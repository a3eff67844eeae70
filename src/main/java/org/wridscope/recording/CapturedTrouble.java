// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.wridscope.text.Format;
import org.wridscope.wire.WireRequest;

/** Counts what went wrong on the wire: requests sent again, negative answers, congestion. */
final class CapturedTrouble {
  /** An acknowledgement's syndrome: its type, and the code of a negative one (IBTA table 45). */
  private static final int TYPE_MASK = 0x60;

  private static final int NOT_READY = 0x20;
  private static final int CODE_MASK = 0x1f;

  /** What a receiver that is not ready asks for, in units of 10 µs (IBTA table 46). */
  private static final int[] TIMERS = {
    65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
    2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152
  };

  private static final long TIMER_UNIT = 10_000;

  private long repeated;
  private long changed;
  private long congested;
  private final Map<String, Long> refused = new TreeMap<>();

  /** A request is sent again. */
  void repeated(WireRequest request) {
    repeated++;
    changed += request.otherData() ? 1 : 0;
  }

  /** A request was answered negatively. */
  void refused(int syndrome) {
    refused.merge(name(syndrome), 1L, Long::sum);
  }

  private static String name(int syndrome) {
    int code = syndrome & CODE_MASK;
    if ((syndrome & TYPE_MASK) == NOT_READY) {
      return "receiver not ready (try again after %s)"
          .formatted(Format.duration(TIMERS[code] * TIMER_UNIT));
    }
    return switch (code) {
      case 0 -> "packets out of sequence";
      case 1 -> "invalid request";
      case 2 -> "remote access error";
      case 3 -> "remote operational error";
      default -> "code " + code;
    };
  }

  /** An end was told that its packets meet congestion. */
  void congested() {
    congested++;
  }

  /** A sentence for each kind of trouble. */
  List<String> sentences() {
    var all = new ArrayList<String>();
    if (repeated > 0) {
      all.add(
          "Requests were sent again %s, because no acknowledgement came or because it was negative%s."
              .formatted(
                  Format.counted(repeated, "time"),
                  changed == 0
                      ? ""
                      : "; for %s with other data than before"
                          .formatted(Format.counted(changed, "message"))));
    }
    refused.forEach((name, count) ->
        all.add("%s: %s.".formatted(Format.counted(count, "negative acknowledgement"), name)));
    if (congested > 0) {
      all.add(
          "%s (CNP): a switch or a receiver asks a sender to slow down."
              .formatted(Format.counted(congested, "congestion notification")));
    }
    return List.copyOf(all);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.Format;

/** What a capture lacks of its connections, and what is not known because of that, in words. */
final class CaptureGaps {
  private final List<String> sentences = new ArrayList<>();
  private final List<String> oneWay = new ArrayList<>();
  private long oneWayCount;
  private long missing;
  private long middles;
  private boolean middleSeen;
  private long orphans;
  private long early;
  private long ofUnknownLength;

  /**
   * @param streams of each connection by its number, those of both ends; null for one without
   *     packets
   */
  CaptureGaps(List<WireConnection> connections, RequestStream[] @Nullable [] streams) {
    for (WireConnection each : connections) {
      RequestStream[] both = streams[each.number()];
      if (both != null) {
        add(each, both);
      }
    }
    tell();
  }

  private void add(WireConnection connection, RequestStream[] both) {
    for (int end = 0; end < 2; end++) {
      RequestStream stream = both[end];
      missing += stream.missing();
      middles += stream.middles();
      middleSeen |= stream.middleSeen();
      orphans += stream.orphans();
      early += stream.early();
      ofUnknownLength += stream.ofUnknownLength();
      RequestStream other = both[1 - end];
      boolean sends = stream.requests() > 0 || other.answers() > 0;
      boolean back = other.requests() > 0 || stream.answers() > 0;
      if (sends && !back) {
        oneWayCount++;
        if (oneWay.isEmpty()) {
          oneWay.add(
              "from %s to QP %d at %s"
                  .formatted(
                      connection.side(end).host().text(),
                      connection.side(1 - end).queuePair(),
                      connection.side(1 - end).host().text()));
        }
      }
    }
  }

  private void tell() {
    if (oneWayCount > 0) {
      sentences.add(
          "Of %s only one direction is in the capture, %s%s: whether its requests have completed is not known."
              .formatted(
                  Format.counted(oneWayCount, "connection"),
                  oneWay.getFirst(),
                  oneWayCount == 1 ? "" : " among others"));
    }
    add(
        missing + (middleSeen ? middles : 0),
        "packet",
        "not in the capture, although later ones of the same connection are.");
    add(orphans, "packet", "of messages whose first packet is not in the capture, left out.");
    add(
        early,
        "answer",
        "to requests that were sent before the capture began; those are not shown.");
    add(
        ofUnknownLength,
        "message",
        "without its last packet in the capture: the length is not known, and shown as far as it was"
            + " seen.");
  }

  private void add(long count, String of, String what) {
    if (count > 0) {
      sentences.add("%s %s".formatted(Format.counted(count, of), what));
    }
  }

  List<String> sentences() {
    return sentences;
  }
}

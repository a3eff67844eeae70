// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.Optional;
import org.wridscope.analysis.Finding.Severity;
import org.wridscope.text.Format;

/** Requests of captured packets of which it is not known whether they have completed. */
final class Unacknowledged {
  private static final int MOST_NAMED = 3;

  private Unacknowledged() {}

  /** What is noteworthy about them; empty if there are none, or the requests are not of packets. */
  static Optional<Finding> finding(Requests requests) {
    long count = requests.sends().openCount();
    if (!requests.unseen().ofPackets() || count == 0) {
      return Optional.empty();
    }
    long oldest = requests.sends().oldestOpen();
    boolean ofProgram = oldest != WorkRequests.NONE && requests.sends().ofProgram(oldest);
    String queues =
        Format.listed(
            requests.sends().queues().stream()
                .filter(queue -> ofProgram && queue.open() > 0)
                .map(queue -> requests.nameOf(queue.id()))
                .distinct()
                .toList(),
            MOST_NAMED);
    return Optional.of(
        new Finding(
            Severity.INFO,
            "acknowledgements not captured",
            "%s%s without an acknowledgement in the capture: it is not known which of them have completed."
                .formatted(
                    Format.counted(count, "request"), queues.isEmpty() ? "" : " on " + queues),
            "The capture ends before it, has one direction only, or lacks packets.",
            "Capture where both directions pass, and until the transfer has ended.",
            new Evidence.Open()));
  }
}

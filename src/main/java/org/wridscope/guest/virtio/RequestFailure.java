// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.util.List;
import java.util.Optional;
import org.wridscope.text.Format;

/**
 * A request that was not completed exactly once, or not correctly.
 *
 * @param queue in which it was made available, for example {@code virtio-blk requestq}
 * @param request its number, from 1
 * @param alike how many others of this queue the same check found, with the same fault
 */
public record RequestFailure(Kind kind, String queue, long request, long alike) {
  /** One by itself. */
  public RequestFailure(Kind kind, String queue, long request) {
    this(kind, queue, request, 0);
  }

  /** The first of those that a check found, with the number of those alike; empty without any. */
  public static Optional<RequestFailure> firstOf(List<RequestFailure> found) {
    return found.stream()
        .findFirst()
        .map(first ->
            new RequestFailure(
                first.kind,
                first.queue,
                first.request,
                found.stream()
                        .filter(one -> one.kind == first.kind && one.queue.equals(first.queue))
                        .count()
                    - 1));
  }

  /** What went wrong. */
  public enum Kind {
    /** It will never be completed. */
    LOST(
        "is lost: it will never be completed",
        "did not come back, although the driver looked " + DriverQueue.PATIENCE + " times"),

    /** It was or will be completed twice. */
    DONE_TWICE("is done twice", "came back although it was not outstanding"),

    /** It was completed before an earlier one, although the device has promised order. */
    OUT_OF_ORDER("comes out of order", "came back out of order"),

    /** It was reported complete, but was not executed. */
    NOT_DONE(
        "is reported complete, but its buffer does not hold what it asked for",
        "came back, but its buffer does not hold what it asked for"),

    /** The queue is damaged: indices or the driver's ledger contradict each other. */
    BROKEN("waits in a queue that is damaged", "waits in a queue that no longer works");

    private final String predicted;
    private final String observed;

    Kind(String predicted, String observed) {
      this.predicted = predicted;
      this.observed = observed;
    }
  }

  /** One sentence about what the check of the rings predicts. */
  public String prediction() {
    return sentence(kind.predicted);
  }

  /** One sentence about what the driver itself met. */
  public String observation() {
    return sentence(kind.observed);
  }

  private String sentence(String words) {
    return "%s: request %d %s%s."
        .formatted(
            queue,
            request,
            words,
            alike == 0 ? "" : "; so it is with " + Format.counted(alike, "later request"));
  }
}

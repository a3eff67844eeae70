// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

/**
 * What became of a request that should have been completed exactly once.
 *
 * @param queue that it was made available in, for example {@code virtio-blk requestq}
 * @param request its number, from 1
 */
public record RequestFailure(Kind kind, String queue, long request) {

  /** What went wrong. */
  public enum Kind {
    /** Nobody will ever complete it. */
    LOST("is lost: it will never be completed"),

    /** It was completed, or will be, once more than it was asked for. */
    DONE_TWICE("is done twice"),

    /** It came before another one, where order is promised. */
    OUT_OF_ORDER("came out of order"),

    /** It was reported complete without having been executed. */
    NOT_DONE("was reported complete, but its buffer does not hold what it asked for"),

    /** The queue is no queue any more: indices or the driver's ledger contradict each other. */
    BROKEN("waits in a queue that is damaged");

    private final String words;

    Kind(String words) {
      this.words = words;
    }
  }

  /** One sentence. */
  public String sentence() {
    return "%s: request %d %s.".formatted(queue, request, kind.words);
  }
}

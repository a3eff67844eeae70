// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

/**
 * A request that was not completed exactly once, or not correctly.
 *
 * @param queue in which it was made available, for example {@code virtio-blk requestq}
 * @param request its number, from 1
 */
public record RequestFailure(Kind kind, String queue, long request) {

  /** What went wrong. */
  public enum Kind {
    /** It will never be completed. */
    LOST("is lost: it will never be completed"),

    /** It was or will be completed twice. */
    DONE_TWICE("is done twice"),

    /** It was completed before an earlier one, although the device has promised order. */
    OUT_OF_ORDER("came out of order"),

    /** It was reported complete, but was not executed. */
    NOT_DONE("was reported complete, but its buffer does not hold what it asked for"),

    /** The queue is damaged: indices or the driver's ledger contradict each other. */
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

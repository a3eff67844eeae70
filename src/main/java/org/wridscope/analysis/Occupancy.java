// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

/** How long a queue had requests that had not ended, and how long it was empty. */
final class Occupancy {
  private long open;
  private long posts;
  private long firstNanos;
  private long lastNanos;
  private long emptySince;
  private long emptyNanos;
  private long emptyCount;

  void posted(long nanos) {
    if (posts == 0) {
      firstNanos = nanos;
    } else if (open == 0) {
      emptyNanos += nanos - emptySince;
      emptyCount++;
    }
    posts++;
    open++;
    lastNanos = nanos;
  }

  void ended(long nanos) {
    open--;
    emptySince = nanos;
    lastNanos = nanos;
  }

  /** A request has not ended after all. */
  void reopened() {
    open++;
  }

  /** Requests that were posted and have not ended. */
  long open() {
    return open;
  }

  /** Nanoseconds between the first post and the last end with at least one open request. */
  long busyNanos() {
    return lastNanos - firstNanos - emptyNanos;
  }

  /** Nanoseconds between the first and the newest post without an open request. */
  long emptyNanos() {
    return emptyNanos;
  }

  /** How often the queue became empty and was filled again. */
  long emptyCount() {
    return emptyCount;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

/**
 * The requests of a queue that match a filter, found step by step and kept, so that drawing and
 * counting skip all others. The timelines may begin with requests that the queue no longer keeps.
 * Not thread-safe.
 */
public final class FilteredRequests {
  /** How many requests one step examines. */
  private static final int STEP = 1 << 15;

  private static final int ID = 0;
  private static final int NANOS = 1;

  private final WorkRequests requests;
  private final RequestFilter filter;
  private final LongTable posts = new LongTable(2, Integer.MAX_VALUE);
  private final LongTable ends = new LongTable(2, Integer.MAX_VALUE);
  private long nextPost;
  private long nextEnd;

  public FilteredRequests(WorkRequests requests, RequestFilter filter) {
    this.requests = requests;
    this.filter = filter;
  }

  public WorkRequests requests() {
    return requests;
  }

  /**
   * Examines more requests.
   *
   * @return whether all of them have been examined
   */
  public boolean advance() {
    if (filter.isAll()) {
      return true;
    }
    nextPost = advance(requests.posted(), nextPost, posts);
    nextEnd = advance(requests.ended(), nextEnd, ends);
    return nextPost == requests.posted().end() && nextEnd == requests.ended().end();
  }

  private long advance(Timeline from, long next, LongTable to) {
    long begin = Math.max(next, from.first());
    long end = Math.min(from.end(), begin + STEP);
    for (long i = begin; i < end; i++) {
      long id = from.id(i);
      if (requests.has(id) && filter.has(requests, id)) {
        to.add(id, from.nanos(i));
      }
    }
    return end;
  }

  /** The matching requests in the order of their posts. */
  public Timeline posted() {
    return filter.isAll() ? requests.posted() : new TableTimeline(posts, ID, NANOS);
  }

  /** The matching requests in the order of their ends. */
  public Timeline ended() {
    return filter.isAll() ? requests.ended() : new TableTimeline(ends, ID, NANOS);
  }

  /** Whether a request matches. */
  public boolean has(long id) {
    return requests.has(id) && filter.has(requests, id);
  }
}

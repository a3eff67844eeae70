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

  private final Requests all;
  private final WorkRequests requests;
  private final RequestFilter filter;
  private final LongTable posts = new LongTable(2, Integer.MAX_VALUE);
  private final LongTable ends = new LongTable(2, Integer.MAX_VALUE);
  private long nextPost;
  private long nextEnd;

  public FilteredRequests(Requests all, QueueType queue, RequestFilter filter) {
    this.all = all;
    this.filter = filter;
    requests = all.of(queue);
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
    nextPost = advance(requests.posted(), nextPost, false);
    boolean all = nextPost == requests.posted().end();
    if (all) {
      // Not earlier, so that the end of a request tells whether its post is there already.
      nextEnd = advance(requests.ended(), nextEnd, true);
      all = nextEnd == requests.ended().end();
    }
    return all;
  }

  private long advance(Timeline from, long next, boolean ended) {
    long begin = Math.max(next, from.first());
    long end = Math.min(from.end(), begin + STEP);
    for (long i = begin; i < end; i++) {
      long id = from.id(i);
      if (has(id)) {
        (ended ? ends : posts).add(id, from.nanos(i));
        if (ended && filter.isOfEnd()) {
          insertPost(id);
        }
      }
    }
    return end;
  }

  /**
   * Adds a post that matches only since its end, in its place, which is near the end of the table:
   * requests end soon after one another.
   */
  private void insertPost(long id) {
    long nanos = requests.postedNanos(id);
    for (long row = posts.indexOf(NANOS, nanos);
        row < posts.end() && posts.get(row, NANOS) == nanos;
        row++) {
      if (posts.get(row, ID) == id) {
        return;
      }
    }
    long row = posts.add(id, nanos);
    for (; row > posts.first() && posts.get(row - 1, NANOS) > nanos; row--) {
      posts.set(row, ID, posts.get(row - 1, ID));
      posts.set(row, NANOS, posts.get(row - 1, NANOS));
    }
    posts.set(row, ID, id);
    posts.set(row, NANOS, nanos);
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
    return requests.has(id) && filter.has(all, requests.queue(), id);
  }
}

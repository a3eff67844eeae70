// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

/**
 * The requests of a queue that pass a filter, kept up to date step by step so that neither drawing
 * nor counting looks at those that do not. Its timelines may begin with requests that the queue has
 * given up. Not thread-safe.
 */
public final class FilteredRequests {
  /** Requests that one step looks at. */
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
   * Looks at more of the requests.
   *
   * @return whether all of them were looked at
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
        long row = to.add();
        to.set(row, ID, id);
        to.set(row, NANOS, from.nanos(i));
      }
    }
    return end;
  }

  /** Those that pass, in the order of their posts. */
  public Timeline posted() {
    return filter.isAll() ? requests.posted() : timeline(posts);
  }

  /** Those that pass, in the order of their ends. */
  public Timeline ended() {
    return filter.isAll() ? requests.ended() : timeline(ends);
  }

  /** Whether a request passes. */
  public boolean has(long id) {
    return requests.has(id) && filter.has(requests, id);
  }

  private Timeline timeline(LongTable rows) {
    return new Timeline() {
      @Override
      public long first() {
        return rows.first();
      }

      @Override
      public long end() {
        return rows.end();
      }

      @Override
      public long id(long index) {
        return rows.get(index, ID);
      }

      @Override
      public long nanos(long index) {
        return rows.get(index, NANOS);
      }
    };
  }
}

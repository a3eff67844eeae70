// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.wridscope.protocol.WorkRequestId;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * The work requests of one queue, each from its post to its end. They are numbered from 0 in the
 * order of posting; the newest are kept. Times are {@link System#nanoTime()}. Not thread-safe.
 *
 * <p>How posts and completions are matched (InfiniBand specification 1.4, 10.8.3 and 11.4.2): wrids
 * repeat, so a completion belongs to the oldest request with its wrid; one that succeeded also says
 * that every unsignaled request posted before it is done; one that failed speaks for itself only,
 * as requests that fail or are flushed complete whether signaled or not.
 */
public final class WorkRequests {
  /** No request. */
  public static final long NONE = -1;

  /** The end of a request that has not ended. */
  public static final long OPEN = Long.MAX_VALUE;

  private static final int WRID = 0;
  private static final int POSTED = 1;
  private static final int ENDED = 2;
  private static final int POST_EVENT = 3;
  private static final int END_EVENT = 4;
  private static final int FACTS = 5;
  private static final int COVERED_BY = 6;
  private static final int NEXT = 7;
  private static final int COLUMNS = 8;

  private static final int ENDING_ID = 0;
  private static final int ENDING_NANOS = 1;
  private static final int ENDING_EVENT = 2;

  // Facts: 32 bits length, 16 bits type of the control message, 8 bits status, 8 bits flags.
  private static final int SIGNALED = 1;
  private static final int DROPPED = 2;
  private static final int OVERTOOK = 4;
  private static final int OVERTAKEN = 8;
  private static final int STATUS_SHIFT = 8;
  private static final int TYPE_SHIFT = 16;
  private static final int LENGTH_SHIFT = 32;

  /** Requests whose latest end is kept together, so that few are looked at for a moment. */
  private static final int BLOCK_SHIFT = 10;

  private static final int BLOCK_LAST_END = 0;
  private static final int BLOCK_OPEN = 1;

  private final QueueType queue;
  private final LongTable rows;
  private final LongTable blocks;
  private final LongTable endings;
  private final WridMap byWrid = new WridMap();
  private final Timeline posted = new Posts();
  private final Timeline ended = new Endings();
  private long uncoveredFrom;
  private long oldestOpen;
  private long openCount;
  private long completions;
  private long unmatched;
  private long firstNanos;
  private long lastNanos;
  private long emptySince;
  private long emptyNanos;
  private long emptyCount;

  WorkRequests(QueueType queue, long kept) {
    this.queue = queue;
    rows = new LongTable(COLUMNS, kept);
    blocks = new LongTable(2, (kept >> BLOCK_SHIFT) + LongTable.SEGMENT);
    endings = new LongTable(3, kept);
  }

  // ------------------------------------------------------------------------------------ reading

  public QueueType queue() {
    return queue;
  }

  /** The oldest request that is kept. */
  public long first() {
    return rows.first();
  }

  /** The newest request plus one, which is how many were posted. */
  public long end() {
    return rows.end();
  }

  /** Whether this request is kept. */
  public boolean has(long id) {
    return rows.has(id);
  }

  public long wrid(long id) {
    return rows.get(id, WRID);
  }

  /** When it was posted. */
  public long postedNanos(long id) {
    return rows.get(id, POSTED);
  }

  /** When its end was known, {@link #OPEN} while it is not. */
  public long endedNanos(long id) {
    return rows.get(id, ENDED);
  }

  public boolean isOpen(long id) {
    return rows.get(id, ENDED) == OPEN;
  }

  /** The number of the event that told its post. */
  public long postEvent(long id) {
    return rows.get(id, POST_EVENT);
  }

  /** The number of the event that told its end, which is another's when it was covered; or -1. */
  public long endEvent(long id) {
    return rows.get(id, END_EVENT);
  }

  /** Bytes, as the event of the post has it. */
  public int length(long id) {
    return (int) (rows.get(id, FACTS) >>> LENGTH_SHIFT);
  }

  /** The type of the control message that a SEND carries, otherwise 0. */
  public int controlType(long id) {
    return (int) (rows.get(id, FACTS) >>> TYPE_SHIFT) & 0xffff;
  }

  /** How it ended; success while it has not. */
  public WorkCompletionStatus status(long id) {
    return WorkCompletionStatus.of((int) (rows.get(id, FACTS) >>> STATUS_SHIFT) & 0xff);
  }

  /** Whether it ended with an error. */
  public boolean failed(long id) {
    return (rows.get(id, FACTS) & 0xff00) != 0;
  }

  /** Whether a completion of its own was asked for. */
  public boolean signaled(long id) {
    return is(id, SIGNALED);
  }

  /** Whether its completion was thrown away by a wait for another one. */
  public boolean dropped(long id) {
    return is(id, DROPPED);
  }

  /** Whether its completion was polled before one that had to come first. */
  public boolean overtook(long id) {
    return is(id, OVERTOOK);
  }

  /** Whether a completion was polled before its own that follows it. */
  public boolean overtaken(long id) {
    return is(id, OVERTAKEN);
  }

  /** The request whose completion told its end; {@link #NONE} when it had one itself. */
  public long coveredBy(long id) {
    return rows.get(id, COVERED_BY);
  }

  private boolean is(long id, int flag) {
    return (rows.get(id, FACTS) & flag) != 0;
  }

  /** Requests in the order of their posts; the index is the request. */
  public Timeline posted() {
    return posted;
  }

  /** Requests in the order of their ends, those that were covered just before the one that did. */
  public Timeline ended() {
    return ended;
  }

  /** Posted and not ended. */
  public long openCount() {
    return openCount;
  }

  /** Completions that belong to a request. */
  public long completions() {
    return completions;
  }

  /** Completions without a request: its post was not recorded, or was given up. */
  public long unmatched() {
    return unmatched;
  }

  /** Nanoseconds between the first post and the last end during which something was posted. */
  public long busyNanos() {
    return lastNanos - firstNanos - emptyNanos;
  }

  /** Nanoseconds between the first post and the newest one during which nothing was. */
  public long emptyNanos() {
    return emptyNanos;
  }

  /** How often it ran empty and was filled again. */
  public long emptyCount() {
    return emptyCount;
  }

  /** What is done with each request that is found. */
  @FunctionalInterface
  public interface Visitor {
    void request(long id);
  }

  /**
   * Visits the requests that were posted before a moment and end after it, oldest first. Looks at a
   * thousandth of all, and at a thousand for each stretch that has one.
   */
  public void across(long nanos, Visitor visitor) {
    long last = posted.indexOf(nanos) - 1;
    if (last < rows.first()) {
      return;
    }
    for (long block = rows.first() >> BLOCK_SHIFT; block <= last >> BLOCK_SHIFT; block++) {
      if (blocks.get(block, BLOCK_LAST_END) <= nanos && blocks.get(block, BLOCK_OPEN) == 0) {
        continue;
      }
      long to = Math.min(last, ((block + 1) << BLOCK_SHIFT) - 1);
      for (long id = Math.max(rows.first(), block << BLOCK_SHIFT); id <= to; id++) {
        if (rows.get(id, ENDED) > nanos) {
          visitor.request(id);
        }
      }
    }
  }

  /** The request that an event told the post or the completion of, or {@link #NONE}. */
  public long ofEvent(long event) {
    long id = rows.indexOf(POST_EVENT, event);
    if (rows.has(id) && rows.get(id, POST_EVENT) == event) {
      return id;
    }
    // Of those that ended with this event, the covering one comes last.
    long found = NONE;
    for (long i = endings.indexOf(ENDING_EVENT, event);
        i < endings.end() && endings.get(i, ENDING_EVENT) == event;
        i++) {
      found = endings.get(i, ENDING_ID);
    }
    return rows.has(found) ? found : NONE;
  }

  /** The oldest request that has not ended and asked for a completion, or {@link #NONE}. */
  public long oldestOpen() {
    long id = Math.max(oldestOpen, rows.first());
    while (id < rows.end() && !(isOpen(id) && signaled(id))) {
      id++;
    }
    oldestOpen = id;
    return id < rows.end() ? id : NONE;
  }

  /** The oldest open request with a wrid, else the one that ended last, else {@link #NONE}. */
  public long openOrLast(long wrid) {
    int slot = byWrid.find(wrid);
    if (slot < 0) {
      return NONE;
    }
    long open = firstOpen(slot, false);
    long id = open != NONE ? open : byWrid.lastEnded(slot);
    return rows.has(id) ? id : NONE;
  }

  /** The request with a wrid that ended last, or {@link #NONE}. */
  long lastEnded(long wrid) {
    int slot = byWrid.find(wrid);
    long id = slot < 0 ? NONE : byWrid.lastEnded(slot);
    return rows.has(id) ? id : NONE;
  }

  // ------------------------------------------------------------------------------------ writing

  long post(long nanos, long event, long wrid, int length, boolean signaled, int controlType) {
    if (rows.end() == 0) {
      firstNanos = nanos;
    } else if (openCount == 0) {
      emptyNanos += nanos - emptySince;
      emptyCount++;
    }
    lastNanos = nanos;
    long id = rows.add();
    rows.set(id, WRID, wrid);
    rows.set(id, POSTED, nanos);
    rows.set(id, ENDED, OPEN);
    rows.set(id, POST_EVENT, event);
    rows.set(id, END_EVENT, -1);
    rows.set(
        id,
        FACTS,
        (long) length << LENGTH_SHIFT
            | (long) (controlType & 0xffff) << TYPE_SHIFT
            | (signaled ? SIGNALED : 0));
    rows.set(id, COVERED_BY, NONE);
    rows.set(id, NEXT, NONE);
    int slot = byWrid.findOrMake(wrid);
    long tail = byWrid.tail(slot);
    if (byWrid.head(slot) == NONE || !rows.has(tail)) {
      byWrid.setHead(slot, id);
    } else {
      rows.set(tail, NEXT, id);
    }
    byWrid.setTail(slot, id);
    long block = id >> BLOCK_SHIFT;
    if (block == blocks.end()) {
      blocks.add();
      blocks.set(block, BLOCK_LAST_END, Long.MIN_VALUE);
    }
    blocks.set(block, BLOCK_OPEN, blocks.get(block, BLOCK_OPEN) + 1);
    openCount++;
    return id;
  }

  /**
   * Takes a completion in.
   *
   * @return the request it belongs to, {@link #NONE} when there is none
   */
  long complete(long nanos, long event, long wrid, int status) {
    boolean ok = status == WorkCompletionStatus.SUCCESS.value();
    int slot = byWrid.find(wrid);
    long id = slot < 0 ? NONE : firstOpen(slot, ok);
    if (id == NONE) {
      unmatched++;
      return NONE;
    }
    completions++;
    if (ok) {
      for (long each = Math.max(uncoveredFrom, rows.first()); each < id; each++) {
        if (isOpen(each) && !signaled(each)) {
          rows.set(each, COVERED_BY, id);
          end(each, nanos, event, 0, byWrid.find(rows.get(each, WRID)));
        }
      }
      uncoveredFrom = Math.max(uncoveredFrom, id);
    }
    end(id, nanos, event, status, slot);
    return id;
  }

  private void end(long id, long nanos, long event, int status, int slot) {
    rows.set(id, ENDED, nanos);
    rows.set(id, END_EVENT, event);
    rows.set(id, FACTS, rows.get(id, FACTS) | (long) (status & 0xff) << STATUS_SHIFT);
    byWrid.setLastEnded(slot, id);
    long ending = endings.add();
    endings.set(ending, ENDING_ID, id);
    endings.set(ending, ENDING_NANOS, nanos);
    endings.set(ending, ENDING_EVENT, event);
    long block = id >> BLOCK_SHIFT;
    blocks.set(block, BLOCK_OPEN, blocks.get(block, BLOCK_OPEN) - 1);
    blocks.set(block, BLOCK_LAST_END, Math.max(nanos, blocks.get(block, BLOCK_LAST_END)));
    openCount--;
    emptySince = nanos;
    lastNanos = nanos;
  }

  /** The oldest open request of a chain, if wanted one that asked for a completion, or NONE. */
  private long firstOpen(int slot, boolean preferSignaled) {
    long id = byWrid.head(slot);
    while (id != NONE && !(rows.has(id) && isOpen(id))) {
      id = rows.has(id) ? rows.get(id, NEXT) : NONE;
    }
    byWrid.setHead(slot, id);
    if (!preferSignaled) {
      return id;
    }
    for (long each = id; each != NONE; each = rows.get(each, NEXT)) {
      if (isOpen(each) && signaled(each)) {
        return each;
      }
    }
    return id;
  }

  void markDropped(long id) {
    mark(id, DROPPED);
  }

  void markOvertaking(long id) {
    mark(id, OVERTOOK);
  }

  void markOvertaken(long id) {
    mark(id, OVERTAKEN);
  }

  private void mark(long id, int flag) {
    rows.set(id, FACTS, rows.get(id, FACTS) | flag);
  }

  /** The kind of work that a request of this queue is. */
  public RequestKind kind(long id) {
    if (queue == QueueType.RECEIVE) {
      return RequestKind.RECEIVE;
    }
    return WorkRequestId.type(wrid(id)) == WorkRequestId.RDMA_WRITE
        ? RequestKind.WRITE
        : RequestKind.SEND;
  }

  private final class Posts implements Timeline {
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
      return index;
    }

    @Override
    public long nanos(long index) {
      return rows.get(index, POSTED);
    }
  }

  private final class Endings implements Timeline {
    @Override
    public long first() {
      return endings.first();
    }

    @Override
    public long end() {
      return endings.end();
    }

    @Override
    public long id(long index) {
      return endings.get(index, ENDING_ID);
    }

    @Override
    public long nanos(long index) {
      return endings.get(index, ENDING_NANOS);
    }
  }
}

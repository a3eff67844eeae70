// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.QueueId;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.SendFlagNames;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * The work requests of one type of queue, each from its post to its end. They are numbered from 0
 * in the order of posting; only the newest are kept. Times are {@link System#nanoTime()}. Not
 * thread-safe.
 *
 * <p>An end of a migration has one queue of each type. A program that is not ours may have any
 * number of them; each request belongs to one, and posts and completions are matched within it.
 *
 * <p>Posts and completions are matched by the rules of the InfiniBand specification 1.4, 10.8.3 and
 * 11.4.2. Wrids repeat, so a completion belongs to the oldest open request with its wrid. A
 * successful completion also covers every unsignaled request posted before it. A failed one covers
 * only its own request, because requests that fail or are flushed complete whether signaled or not.
 */
public final class WorkRequests {
  /** No request. */
  public static final long NONE = -1;

  /** The time of the end of a request that has not ended. */
  public static final long OPEN = Long.MAX_VALUE;

  private static final int WRID = 0;
  private static final int POSTED = 1;
  private static final int ENDED = 2;
  private static final int POST_EVENT = 3;
  private static final int END_EVENT = 4;
  private static final int FACTS = 5;
  private static final int COVERED_BY = 6;
  private static final int NEXT = 7;
  private static final int QUEUE = 8;
  private static final int COLUMNS = 9;

  private static final int ENDING_ID = 0;
  private static final int ENDING_NANOS = 1;
  private static final int ENDING_EVENT = 2;

  private static final int STRAY_EVENT = 0;
  private static final int STRAY_NANOS = 1;

  /** A program that was attached to while it ran may have many. */
  private static final long MOST_STRAYS = 1 << 14;

  /** The queue of a migration, which is not told apart from others. */
  private static final int NO_QUEUE = 0;

  // Facts: 32 bits length, 16 bits type of the control message, 8 bits status, 8 bits flags. For a
  // request of a program, the type is its operation, and 256 times its send flags.
  private static final int SIGNALED = 1;
  private static final int DROPPED = 2;
  private static final int OVERTOOK = 4;
  private static final int OVERTAKEN = 8;
  private static final int UNPOSTED = 16;
  private static final int MET = 32;
  private static final int OF_PROGRAM = 64;
  private static final int STATUS_SHIFT = 8;
  private static final int TYPE_SHIFT = 16;
  private static final int LENGTH_SHIFT = 32;

  private final QueueType queue;
  private final ProgramNames names;
  private final LongTable rows;
  private final LongTable endings;
  private final WridMap byWrid = new WridMap();
  private final OpenIndex openIndex;
  private final Occupancy occupancy = new Occupancy();
  private final Map<Integer, QueueCounts> queues = new TreeMap<>(Integer::compareUnsigned);

  /** Queues without requests before the first one that is known. */
  private final Set<Integer> fresh = new HashSet<>();

  private final Set<RequestKind> kinds = EnumSet.noneOf(RequestKind.class);
  private final Timeline posted;
  private final Timeline ended;
  private long oldestOpen;
  private long completions;
  private long unmatched;
  private long withdrawals;
  private final LongTable strays;
  private final Timeline strayed;
  private long unposted;
  private boolean seesCompletions = true;
  private boolean ofPackets;
  private boolean seesBeginning = true;
  private boolean hasGaps;

  WorkRequests(QueueType queue, long kept, ProgramNames names) {
    this.queue = queue;
    this.names = names;
    rows = new LongTable(COLUMNS, kept);
    endings = new LongTable(3, kept);
    strays = new LongTable(2, Math.min(kept, MOST_STRAYS));
    openIndex = new OpenIndex(kept);
    posted = new TableTimeline(rows, TableTimeline.ROW, POSTED);
    ended = new TableTimeline(endings, ENDING_ID, ENDING_NANOS);
    strayed = new TableTimeline(strays, STRAY_EVENT, STRAY_NANOS);
  }

  // ------------------------------------------------------------------------------------ reading

  public QueueType queue() {
    return queue;
  }

  /** The oldest request that is kept. */
  public long first() {
    return rows.first();
  }

  /** The newest request plus one, which is the number of posted requests. */
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

  /** When its end was observed, {@link #OPEN} until then. */
  public long endedNanos(long id) {
    return rows.get(id, ENDED);
  }

  /** Whether it was not seen to end. */
  public boolean isOpen(long id) {
    return rows.get(id, ENDED) == OPEN;
  }

  /** Whether completions are matched with their requests. */
  public boolean seesCompletions() {
    return seesCompletions;
  }

  /** Whether open requests have not completed; otherwise nobody knows. */
  public boolean knowsOpen() {
    return seesCompletions && !ofPackets;
  }

  /** Whether it is known which flags requests were posted with. */
  public boolean knowsFlags() {
    return !ofPackets;
  }

  /** What an open request is, a phrase. */
  public String openText() {
    return ofPackets
        ? "no acknowledgement in the capture"
        : seesCompletions ? "not completed" : "completion not seen";
  }

  /** The number of the event of its post. */
  public long postEvent(long id) {
    return rows.get(id, POST_EVENT);
  }

  /**
   * The number of the event of its end, or -1. If it was covered, that is the completion of another
   * request.
   */
  public long endEvent(long id) {
    return rows.get(id, END_EVENT);
  }

  /** Length in bytes, from the event of its post. */
  public int length(long id) {
    return (int) (rows.get(id, FACTS) >>> LENGTH_SHIFT);
  }

  /** The type of the control message for a SEND of a migration, otherwise 0. */
  public int controlType(long id) {
    return ofProgram(id) ? 0 : type(id);
  }

  private int type(long id) {
    return (int) (rows.get(id, FACTS) >>> TYPE_SHIFT) & 0xffff;
  }

  /**
   * Whether it is of a program that is not ours, whose wrids have a meaning for that program only.
   */
  public boolean ofProgram(long id) {
    return is(id, OF_PROGRAM);
  }

  /** The queue to which a program posted it. */
  public QueueId queueId(long id) {
    return new QueueId((int) rows.get(id, QUEUE));
  }

  /** The address of that queue's peer; null if it is not known. */
  public @Nullable String peer(long id) {
    return names.peer(queueId(id));
  }

  /** That queue in words, with the address of the peer if that is known. */
  public String queueName(long id) {
    return names.queue(queueId(id));
  }

  /** The wr_id of a program's request in hexadecimal, and what it means if that is known. */
  public String programWrid(long id) {
    return names.wrid(wrid(id));
  }

  /** {@code ibv_wr_opcode} of a program's request to a send queue, otherwise 0. */
  public int opcode(long id) {
    return ofProgram(id) ? type(id) & 0xff : 0;
  }

  /** {@code ibv_send_flags} of a program's request as far as they are known, otherwise 0. */
  public int sendFlags(long id) {
    return ofProgram(id) ? type(id) >>> 8 : 0;
  }

  /** How it ended; success while it is open. */
  public WorkCompletionStatus status(long id) {
    return WorkCompletionStatus.of((int) (rows.get(id, FACTS) >>> STATUS_SHIFT) & 0xff);
  }

  /** Whether it ended with an error. */
  public boolean failed(long id) {
    return (rows.get(id, FACTS) & 0xff00) != 0;
  }

  /** Whether it was posted signaled: by its flag, or because its queue pair signals all. */
  public boolean signaled(long id) {
    return is(id, SIGNALED) || (ofProgram(id) && counts((int) rows.get(id, QUEUE)).signalsAll);
  }

  /** Whether a wait for another completion dropped its completion. */
  public boolean dropped(long id) {
    return is(id, DROPPED);
  }

  /** Whether a wait for another completion met and handled its completion. */
  public boolean met(long id) {
    return is(id, MET);
  }

  /** Whether its completion was polled before one that should have come first. */
  public boolean overtook(long id) {
    return is(id, OVERTOOK);
  }

  /** Whether a completion that should follow its own was polled first. */
  public boolean overtaken(long id) {
    return is(id, OVERTAKEN);
  }

  /** The request whose completion covered it; {@link #NONE} when it had its own. */
  public long coveredBy(long id) {
    return rows.get(id, COVERED_BY);
  }

  /** Requests whose post was recorded. */
  long postedCount() {
    return rows.end() - unposted;
  }

  /**
   * Whether its post was recorded. If not, it counts as posted when it completed; only requests
   * whose completion another wait took are known without their post.
   */
  public boolean isPostKnown(long id) {
    return !is(id, UNPOSTED);
  }

  private boolean is(long id, int flag) {
    return (rows.get(id, FACTS) & flag) != 0;
  }

  /** Requests in the order of their posts; the index is the request. */
  public Timeline posted() {
    return posted;
  }

  /** Requests in the order of their ends; covered requests come just before the covering one. */
  public Timeline ended() {
    return ended;
  }

  /** Requests that were posted and have not ended. */
  public long openCount() {
    return occupancy.open();
  }

  /** Completions that were matched with a request. */
  public long completions() {
    return completions;
  }

  /** Completions without a request: its post was not recorded, or is no longer kept. */
  public long unmatched() {
    return unmatched;
  }

  /** The newest of these completions; the id is the number of the event. */
  public Timeline strays() {
    return strayed;
  }

  Occupancy occupancy() {
    return occupancy;
  }

  /** Receives requests. */
  @FunctionalInterface
  public interface Visitor {
    void request(long id);
  }

  /**
   * Visits the requests that were posted before a moment and end after it, oldest first; none if
   * completions are not seen.
   */
  public void across(long nanos, Visitor visitor) {
    if (!seesCompletions) {
      return;
    }
    long end = posted.indexOf(nanos);
    long id = rows.first();
    while (id < end) {
      long next = Math.min(end, OpenIndex.nextBlock(id));
      if (openIndex.mayBeOpenAfter(nanos, id)) {
        for (; id < next; id++) {
          if (rows.get(id, ENDED) > nanos) {
            visitor.request(id);
          }
        }
      }
      id = next;
    }
  }

  /** The request that an event posted or completed, or {@link #NONE}. */
  public long ofEvent(long event) {
    long id = rows.rowOf(POST_EVENT, event);
    if (id >= 0) {
      return id;
    }
    // Of the requests that ended with this event, the covering one comes last.
    long found = NONE;
    for (long i = endings.indexOf(ENDING_EVENT, event);
        i < endings.end() && endings.get(i, ENDING_EVENT) == event;
        i++) {
      found = endings.get(i, ENDING_ID);
    }
    return rows.has(found) ? found : NONE;
  }

  /** The oldest open signaled request, or {@link #NONE}. */
  public long oldestOpen() {
    long id = Math.max(oldestOpen, rows.first());
    while (id < rows.end() && !(isOpen(id) && signaled(id))) {
      id++;
    }
    oldestOpen = id;
    return id < rows.end() ? id : NONE;
  }

  /** The counts of each queue that posted or completed something, in the order of their ids. */
  public Collection<QueueCounts> queues() {
    return Collections.unmodifiableCollection(queues.values());
  }

  /** The operations that a program has posted. */
  public Set<RequestKind> kinds() {
    return Collections.unmodifiableSet(kinds);
  }

  /** Whether a queue has an open request. */
  boolean hasOpen(QueueId of) {
    QueueCounts known = queues.get(of.value());
    return known != null && known.open() > 0;
  }

  /** Whether a queue has an open request with a wrid. */
  boolean hasOpen(QueueId of, long wrid) {
    int slot = byWrid.find(of.value(), wrid);
    return slot >= 0 && firstOpen(slot, false) != NONE;
  }

  /** The oldest open request with a wrid, else the last one to end, else {@link #NONE}. */
  public long openOrLast(long wrid) {
    int slot = byWrid.find(NO_QUEUE, wrid);
    if (slot < 0) {
      return NONE;
    }
    long open = firstOpen(slot, false);
    long id = open != NONE ? open : byWrid.lastEnded(slot);
    return rows.has(id) ? id : NONE;
  }

  /** The last request with a wrid to end, or {@link #NONE}. */
  long lastEnded(long wrid) {
    int slot = byWrid.find(NO_QUEUE, wrid);
    long id = slot < 0 ? NONE : byWrid.lastEnded(slot);
    return rows.has(id) ? id : NONE;
  }

  // ------------------------------------------------------------------------------------ writing

  long post(long nanos, long event, long wrid, int length, boolean signaled, int controlType) {
    return post(nanos, event, NO_QUEUE, wrid, length, controlType, signaled ? SIGNALED : 0);
  }

  /**
   * Adds a request of a program that is not ours.
   *
   * @param type its operation, and 256 times its send flags
   */
  long post(long nanos, long event, QueueId of, long wrid, int length, boolean signaled, int type) {
    long id =
        post(nanos, event, of.value(), wrid, length, type, OF_PROGRAM | (signaled ? SIGNALED : 0));
    kinds.add(kind(id));
    if (queue == QueueType.SEND && (type >>> 8 & SendFlagNames.INLINE) != 0) {
      counts(of.value()).inline();
    }
    return id;
  }

  private long post(long nanos, long event, int of, long wrid, int length, int type, int flags) {
    long facts = (long) length << LENGTH_SHIFT | (long) (type & 0xffff) << TYPE_SHIFT | flags;
    long id = rows.add(wrid, nanos, OPEN, event, -1, facts, NONE, NONE, of);
    int slot = byWrid.findOrMake(of, wrid);
    boolean signal = (flags & SIGNALED) != 0;
    boolean repeats = signal && (flags & OF_PROGRAM) != 0 && isSignaledOpen(slot);
    if (!seesBeginning && repeats && !counts(of).repeatsWrids) {
      counts(of).repeatsWrids = true;
      withdraw(counts(of));
    }
    long tail = byWrid.tail(slot);
    if (byWrid.head(slot) == NONE || !rows.has(tail)) {
      byWrid.setHead(slot, id);
    } else {
      rows.set(tail, NEXT, id);
    }
    byWrid.setTail(slot, id);
    counts(of).post(nanos, wrid, signal, repeats);
    openIndex.posted(id);
    occupancy.posted(nanos);
    return id;
  }

  /**
   * What was matched before a wrid turned out to be used again while a request with it is open may
   * be of requests that were posted before the first one that is known: it is not known any more.
   */
  private void withdraw(QueueCounts of) {
    if (fresh.contains(of.id().value())) {
      return;
    }
    var reopened = new ArrayList<Long>();
    long to = endings.first();
    for (long i = endings.first(); i < endings.end(); i++) {
      long id = endings.get(i, ENDING_ID);
      if (isOf(id, of)) {
        reopened.add(id);
      } else {
        endings.set(to, ENDING_ID, id);
        endings.set(to, ENDING_NANOS, endings.get(i, ENDING_NANOS));
        endings.set(to, ENDING_EVENT, endings.get(i, ENDING_EVENT));
        to++;
      }
    }
    endings.truncate(to);
    Collections.sort(reopened);
    for (long id : reopened) {
      boolean covered = coveredBy(id) != NONE;
      of.covered -= covered ? 1 : 0;
      of.ambiguous += covered ? 0 : 1;
      completions -= covered ? 0 : 1;
    }
    reopen(of, reopened);
    if (!reopened.isEmpty()) {
      withdrawals++;
      completionsAreNotSeen();
    }
  }

  /** How often what was matched with requests turned out not to be known. */
  long withdrawals() {
    return withdrawals;
  }

  /**
   * Requests that have not ended after all.
   *
   * @param ids in the order of their posts
   */
  private void reopen(QueueCounts of, List<Long> ids) {
    for (long id : ids) {
      ended(id, OPEN, -1, 0);
      openIndex.posted(id);
      occupancy.reopened();
      of.reopen();
      oldestOpen = Math.min(oldestOpen, id);
    }
    for (long id : ids.reversed()) {
      chain(byWrid.find(of.id().value(), wrid(id)), id);
    }
  }

  private QueueCounts counts(int of) {
    return queues.computeIfAbsent(of, value -> new QueueCounts(new QueueId(value)));
  }

  /** All is inferred from captured packets. */
  void areOfPackets() {
    ofPackets = true;
  }

  /** From now on it is not known which requests have completed. */
  private void completionsAreNotSeen() {
    seesCompletions = false;
  }

  /**
   * From now on there may be requests that were posted before the first one that is known. A
   * completion is matched only where it cannot be of one of them: a program that has more than one
   * wrid in a queue, and none in two requests that are open, uses a wrid again only after its
   * request has completed.
   */
  void beginningIsNotSeen() {
    seesBeginning = false;
  }

  /** From now on there may be requests and completions between others that are not known. */
  void haveGaps() {
    hasGaps = true;
  }

  /** A queue pair is connected now: nothing was posted to its send queue before. */
  void connected(QueueId of) {
    if (!queues.containsKey(of.value())) {
      fresh.add(of.value());
    }
  }

  private boolean isSignaledOpen(int slot) {
    long open = firstOpen(slot, true);
    return open != NONE && signaled(open);
  }

  /** Whether a completion that has the wrid of a request may be of another one. */
  private boolean isAmbiguous(long id) {
    QueueCounts of = counts((int) rows.get(id, QUEUE));
    return !seesBeginning
        && !fresh.contains(of.id().value())
        && (of.repeatsWrids || !of.hasSeveralWrids || !signaled(id));
  }

  /** Counts a request that the device refused with an errno, so that it was not posted. */
  void refused(QueueId of, int errno) {
    counts(of.value()).refuse(queue == QueueType.SEND && errno == Errno.ENOMEM.value());
  }

  /**
   * Adds a request that is known only from its completion.
   *
   * @param lost whether its completion was dropped, so that later waits for its wrid are for it
   */
  long unposted(long nanos, long event, long wrid, boolean lost) {
    unposted++;
    long id = rows.add();
    rows.set(id, WRID, wrid);
    rows.set(id, POSTED, nanos);
    rows.set(id, ENDED, nanos);
    rows.set(id, POST_EVENT, event);
    rows.set(id, END_EVENT, event);
    rows.set(id, FACTS, SIGNALED | UNPOSTED);
    rows.set(id, COVERED_BY, NONE);
    rows.set(id, NEXT, NONE);
    if (lost) {
      byWrid.setLastEnded(byWrid.findOrMake(NO_QUEUE, wrid), id);
    }
    long ending = endings.add();
    endings.set(ending, ENDING_ID, id);
    endings.set(ending, ENDING_NANOS, nanos);
    endings.set(ending, ENDING_EVENT, event);
    openIndex.posted(id);
    openIndex.ended(id, nanos);
    occupancy.posted(nanos);
    occupancy.ended(nanos);
    return id;
  }

  /**
   * Matches a completion with its request.
   *
   * @return the request, {@link #NONE} when there is none
   */
  long complete(long nanos, long event, long wrid, int status) {
    return complete(nanos, event, NO_QUEUE, byWrid.find(NO_QUEUE, wrid), status);
  }

  /**
   * Matches a completion with a request of a program. A receive that is not in the queue pair's own
   * queue is looked for in the shared receive queues; of several, the one that was posted first.
   *
   * @param of the queue pair that the completion names
   * @return the request, {@link #NONE} when there is none
   */
  long complete(long nanos, long event, QueueId of, long wrid, int status) {
    int slot = byWrid.find(of.value(), wrid);
    if (queue == QueueType.RECEIVE && (slot < 0 || firstOpen(slot, false) == NONE)) {
      slot = sharedSlot(wrid);
    }
    return complete(nanos, event, of.value(), slot, status);
  }

  /** The slot of the shared receive queue that has the oldest open request with a wrid, or -1. */
  private int sharedSlot(long wrid) {
    int found = -1;
    long oldest = NONE;
    for (QueueCounts counts : queues.values()) {
      int slot = counts.id().isShared() ? byWrid.find(counts.id().value(), wrid) : -1;
      long open = slot < 0 ? NONE : firstOpen(slot, false);
      if (open != NONE && (oldest == NONE || open < oldest)) {
        oldest = open;
        found = slot;
      }
    }
    return found;
  }

  private long complete(long nanos, long event, int of, int slot, int status) {
    boolean ok = status == WorkCompletionStatus.SUCCESS.value();
    QueueCounts counts = counts(of);
    counts.polled(status);
    long id = slot < 0 ? NONE : firstOpen(slot, ok && !counts.signalsAll);
    if (ok && slot >= 0 && provesThatAllAreSignaled(counts, id)) {
      signalAll(counts);
      id = firstOpen(slot, false);
    }
    if (id == NONE) {
      unmatched++;
      counts.unmatched++;
      strays.add(event, nanos);
      return NONE;
    }
    if (isAmbiguous(id)) {
      counts.ambiguous++;
      completionsAreNotSeen();
      return NONE;
    }
    completions++;
    if (ok && !counts.signalsAll) {
      cover(id, counts((int) rows.get(id, QUEUE)), nanos, event);
    }
    end(id, nanos, event, status, slot);
    return id;
  }

  /**
   * Whether a success shows that its queue pair was created with sq_sig_all: if no signaled request
   * with its wrid is open, it is that of another one. Only where all was seen.
   *
   * @param id the oldest open request with its wrid; {@link #NONE} if there is none
   */
  private boolean provesThatAllAreSignaled(QueueCounts of, long id) {
    return queue == QueueType.SEND
        && !of.signalsAll
        && seesBeginning
        && !hasGaps
        && (id == NONE ? of.covered > 0 : ofProgram(id) && !signaled(id));
  }

  /**
   * Every request of a queue has its own completion. Those so far were in the order of posting, so
   * that the completions that seemed to cover others were of the oldest ones.
   */
  private void signalAll(QueueCounts of) {
    of.signalsAll = true;
    if (of.covered == 0) {
      return;
    }
    List<long[]> completed = new ArrayList<>();
    List<Long> ended = new ArrayList<>();
    for (long i = endings.first(); i < endings.end(); i++) {
      long id = endings.get(i, ENDING_ID);
      if (isOf(id, of)) {
        ended.add(id);
        if (coveredBy(id) == NONE) {
          completed.add(
              new long[] {
                endings.get(i, ENDING_NANOS), endings.get(i, ENDING_EVENT), rows.get(id, FACTS)
              });
        }
      }
    }
    Collections.sort(ended);
    removeCovered(of, ended);
    List<Long> open = ended.subList(completed.size(), ended.size());
    for (int i = 0; i < completed.size(); i++) {
      long[] completion = completed.get(i);
      ended(ended.get(i), completion[0], completion[1], completion[2]);
    }
    reopen(of, open);
    of.covered = 0;
  }

  private boolean isOf(long id, QueueCounts of) {
    return rows.has(id) && rows.get(id, QUEUE) == of.id().value();
  }

  /** Removes the ends of requests that were covered; the others are those of the oldest ones. */
  private void removeCovered(QueueCounts of, List<Long> ended) {
    long to = endings.first();
    int next = 0;
    for (long i = endings.first(); i < endings.end(); i++) {
      long id = endings.get(i, ENDING_ID);
      boolean ofQueue = isOf(id, of);
      if (!ofQueue || coveredBy(id) == NONE) {
        endings.set(to, ENDING_ID, ofQueue ? ended.get(next++) : id);
        endings.set(to, ENDING_NANOS, endings.get(i, ENDING_NANOS));
        endings.set(to, ENDING_EVENT, endings.get(i, ENDING_EVENT));
        to++;
      }
    }
    endings.truncate(to);
  }

  private void ended(long id, long nanos, long event, long facts) {
    rows.set(id, ENDED, nanos);
    rows.set(id, END_EVENT, event);
    rows.set(id, FACTS, (rows.get(id, FACTS) & ~0xff00L) | (facts & 0xff00));
    rows.set(id, COVERED_BY, NONE);
  }

  /** Puts a request that is open again before the others with its wrid. */
  private void chain(int slot, long id) {
    long head = byWrid.head(slot);
    while (head != NONE && !(rows.has(head) && isOpen(head) && head > id)) {
      head = rows.has(head) ? rows.get(head, NEXT) : NONE;
    }
    rows.set(id, NEXT, head);
    byWrid.setHead(slot, id);
    if (head == NONE) {
      byWrid.setTail(slot, id);
    }
  }

  /** A success also ends the unsignaled requests of its queue that were posted before it. */
  private void cover(long by, QueueCounts counts, long nanos, long event) {
    int of = counts.id().value();
    for (long each = Math.max(counts.uncoveredFrom, rows.first()); each < by; each++) {
      if (isOpen(each) && !signaled(each) && rows.get(each, QUEUE) == of) {
        rows.set(each, COVERED_BY, by);
        end(each, nanos, event, 0, byWrid.find(of, rows.get(each, WRID)));
        counts.covered++;
      }
    }
    counts.uncoveredFrom = Math.max(counts.uncoveredFrom, by);
  }

  private void end(long id, long nanos, long event, int status, int slot) {
    rows.set(id, ENDED, nanos);
    rows.set(id, END_EVENT, event);
    rows.set(id, FACTS, rows.get(id, FACTS) | (long) (status & 0xff) << STATUS_SHIFT);
    byWrid.setLastEnded(slot, id);
    counts((int) rows.get(id, QUEUE)).end(nanos);
    endings.add(id, nanos, event);
    openIndex.ended(id, nanos);
    occupancy.ended(nanos);
  }

  /** The oldest open request of a chain, if preferred a signaled one, or {@link #NONE}. */
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

  void markMet(long id) {
    mark(id, MET);
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

  public RequestKind kind(long id) {
    if (queue == QueueType.RECEIVE) {
      return RequestKind.RECEIVE;
    }
    if (ofProgram(id)) {
      return RequestKind.ofOpcode(opcode(id));
    }
    return WorkRequestId.type(wrid(id)) == WorkRequestId.RDMA_WRITE
        ? RequestKind.WRITE
        : RequestKind.SEND;
  }
}

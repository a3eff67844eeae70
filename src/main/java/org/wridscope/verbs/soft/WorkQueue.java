// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.wridscope.time.Time;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.verbs.WorkRequest;

/**
 * A send or receive queue: a ring of work requests, filled by posting threads and emptied by one
 * device thread at a time.
 *
 * <p>A request occupies its slot until its completion has been polled. The slot of an unsignaled
 * request, which has no completion, becomes free with that of the next request whose completion is
 * polled (IBTA 10.8.6; so does the tail of the work queue in rdma-core's mlx5 provider).
 */
final class WorkQueue {
  private static final byte UNSIGNALED = 0x40;
  private static final SendRequest.Opcode[] OPCODES = SendRequest.Opcode.values();

  private final int depth;
  private final int mask;
  private final long[] workRequestIds;
  private final long[] addresses;
  private final int[] lengths;
  private final int[] localKeys;
  private final long[] remoteAddresses;
  private final int[] remoteKeys;
  private final byte[] kinds;

  /** When each request was posted, in the clock of {@link Time#nanos}; empty if nobody asks. */
  private long[] times = {};

  /** Is told of polled completions; null if nobody asks. */
  private volatile @Nullable LongConsumer watcher;

  /** Requests posted so far; written under this object's lock. */
  private volatile long posted;

  /** Requests whose slot is free again; written by the thread that polls completions. */
  private volatile long freed;

  /** RDMA WRITEs posted so far, and those that are signaled; guarded by this object. */
  private long writes;

  private long signaledWrites;

  /** Bytes of requests that succeeded; belongs to the thread that polls completions. */
  private long bytes;

  /** Polled completions, by the ordinal of the status; belongs to the thread that polls them. */
  private final long[] polled = new long[WorkCompletionStatus.values().length];

  /** Requests taken so far; belongs to the device thread that empties the queue. */
  private long taken;

  private WorkQueue(int depth, boolean sends) {
    this.depth = depth;
    int slots = Integer.highestOneBit(Math.max(1, depth - 1)) << 1;
    mask = slots - 1;
    workRequestIds = new long[slots];
    addresses = new long[slots];
    lengths = new int[slots];
    localKeys = new int[slots];
    remoteAddresses = new long[sends ? slots : 0];
    remoteKeys = new int[sends ? slots : 0];
    kinds = new byte[sends ? slots : 0];
  }

  static WorkQueue ofSends(int depth) {
    return new WorkQueue(depth, true);
  }

  static WorkQueue ofReceives(int depth) {
    return new WorkQueue(depth, false);
  }

  /**
   * From now on it is kept when requests are posted.
   *
   * @param polled is told the ordinal of each request whose completion is polled
   */
  synchronized void watch(LongConsumer polled) {
    times = new long[slots()];
    watcher = polled;
  }

  int depth() {
    return depth;
  }

  /** Upper limit of the numbers of slots. */
  int slots() {
    return mask + 1;
  }

  /** Appends a request; false when the queue is full. */
  synchronized boolean post(WorkRequest request) {
    long at = posted;
    if (at - freed >= depth) {
      return false;
    }
    int slot = slot(at);
    workRequestIds[slot] = request.workRequestId();
    addresses[slot] = request.address();
    lengths[slot] = request.length();
    localKeys[slot] = request.localKey();
    if (request instanceof SendRequest send) {
      remoteAddresses[slot] = send.remoteAddress();
      remoteKeys[slot] = send.remoteKey();
      kinds[slot] = (byte) (send.opcode().ordinal() | (send.signaled() ? 0 : UNSIGNALED));
      if (send.opcode() == SendRequest.Opcode.RDMA_WRITE) {
        writes++;
        signaledWrites += send.signaled() ? 1 : 0;
      }
    }
    if (times.length > 0) {
      times[slot] = Time.nanos();
    }
    posted = at + 1;
    return true;
  }

  /** The completion of the request with this ordinal was polled, which frees slots. */
  void polled(long ordinal, WorkCompletionStatus status) {
    LongConsumer told = watcher;
    if (told != null) {
      told.accept(ordinal);
    }
    polled[status.ordinal()]++;
    // Those before it that have no completion are unsignaled, and have succeeded.
    long succeeded = status == WorkCompletionStatus.SUCCESS ? ordinal + 1 : ordinal;
    for (long at = freed; at < succeeded; at++) {
      bytes += lengths[slot(at)];
    }
    freed = ordinal + 1;
  }

  synchronized long writes() {
    return writes;
  }

  synchronized long signaledWrites() {
    return signaledWrites;
  }

  /** Bytes of the requests that succeeded, as far as polled completions show. */
  long bytes() {
    return bytes;
  }

  /** How many completions with each status were polled. */
  Map<WorkCompletionStatus, Long> completions() {
    var counts = new EnumMap<WorkCompletionStatus, Long>(WorkCompletionStatus.class);
    for (WorkCompletionStatus status : WorkCompletionStatus.values()) {
      if (polled[status.ordinal()] > 0) {
        counts.put(status, polled[status.ordinal()]);
      }
    }
    return counts;
  }

  /** How many requests have their slot free again. */
  long freed() {
    return freed;
  }

  boolean isEmpty() {
    return posted == taken;
  }

  /** The ordinal of the oldest request, which is how many were taken before it. */
  long ordinal() {
    return taken;
  }

  /** The slot of the oldest request. */
  int slot() {
    return slot(taken);
  }

  /** The slot of the posted request with this ordinal. */
  int slot(long ordinal) {
    return (int) ordinal & mask;
  }

  /** How many requests were posted so far. */
  long posted() {
    return posted;
  }

  /** Describes requests that occupy their slots. */
  List<PostedRequest> requests(long from, long to, MemoryKeys keys) {
    return LongStream.range(from, to).mapToObj(ordinal -> request(ordinal, keys)).toList();
  }

  /** Describes a request that occupies its slot. */
  PostedRequest request(long ordinal, MemoryKeys keys) {
    int slot = slot(ordinal);
    return new PostedRequest(ordinal, workRequestId(slot), lengths[slot], start(slot, keys));
  }

  private byte[] start(int slot, MemoryKeys keys) {
    var start = new byte[Math.min(lengths[slot], PostedRequest.START)];
    SoftMemoryRegion region = keys.local(localKeys[slot]);
    return region != null && region.copyTo(start, addresses[slot]) ? start : new byte[0];
  }

  /** Takes the oldest request; its slot stays occupied. */
  void take() {
    taken++;
  }

  long workRequestId(int slot) {
    return workRequestIds[slot];
  }

  long address(int slot) {
    return addresses[slot];
  }

  /** When the request was posted; only if {@linkplain #watch that is kept}. */
  long postedAt(int slot) {
    return times[slot];
  }

  int length(int slot) {
    return lengths[slot];
  }

  int localKey(int slot) {
    return localKeys[slot];
  }

  long remoteAddress(int slot) {
    return remoteAddresses[slot];
  }

  int remoteKey(int slot) {
    return remoteKeys[slot];
  }

  SendRequest.Opcode opcode(int slot) {
    return OPCODES[kinds[slot] & ~UNSIGNALED];
  }

  boolean signaled(int slot) {
    return (kinds[slot] & UNSIGNALED) == 0;
  }
}

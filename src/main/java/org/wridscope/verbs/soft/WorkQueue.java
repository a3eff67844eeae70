// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.wridscope.verbs.ReceiveRequest;
import org.wridscope.verbs.SendRequest;

/**
 * A send or receive queue: a ring of work requests, filled by those who post and emptied by one
 * device thread at a time.
 *
 * <p>A request keeps its slot until its completion has been polled. An unsignaled one has none: its
 * slot becomes free with that of the next request whose completion is polled (IBTA 10.8.6, and the
 * tail of the work queue in rdma-core's mlx5 provider).
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

  /** Requests posted so far; written under this object's lock. */
  private volatile long posted;

  /** Requests whose slot is free again; written by who polls the completion queue. */
  private volatile long freed;

  /** Requests completed so far; belongs to the device thread that empties the queue. */
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

  int depth() {
    return depth;
  }

  /** Appends a request; false when the queue is full. */
  synchronized boolean post(SendRequest request) {
    long at = posted;
    if (at - freed >= depth) {
      return false;
    }
    int slot = (int) at & mask;
    put(slot, request.workRequestId(), request.address(), request.length(), request.localKey());
    remoteAddresses[slot] = request.remoteAddress();
    remoteKeys[slot] = request.remoteKey();
    kinds[slot] = (byte) (request.opcode().ordinal() | (request.signaled() ? 0 : UNSIGNALED));
    posted = at + 1;
    return true;
  }

  /** Appends a request; false when the queue is full. */
  synchronized boolean post(ReceiveRequest request) {
    long at = posted;
    if (at - freed >= depth) {
      return false;
    }
    put(
        (int) at & mask,
        request.workRequestId(),
        request.address(),
        request.length(),
        request.localKey());
    posted = at + 1;
    return true;
  }

  private void put(int slot, long workRequestId, long address, int length, int localKey) {
    workRequestIds[slot] = workRequestId;
    addresses[slot] = address;
    lengths[slot] = length;
    localKeys[slot] = localKey;
  }

  /** Called when the completion of the request with this ordinal was polled. */
  void free(long ordinal) {
    freed = ordinal + 1;
  }

  boolean isEmpty() {
    return posted == taken;
  }

  /** The ordinal of the oldest request: how many were taken before. */
  long ordinal() {
    return taken;
  }

  /** The slot of the oldest request. */
  int slot() {
    return slot(taken);
  }

  /** The slot of the request with this ordinal, which was posted and not taken out. */
  int slot(long ordinal) {
    return (int) ordinal & mask;
  }

  /** Slots are numbered below this. */
  int slots() {
    return mask + 1;
  }

  /** How many requests were posted so far. */
  long posted() {
    return posted;
  }

  /** Takes the oldest request out; its slot stays occupied. */
  void take() {
    taken++;
  }

  long workRequestId(int slot) {
    return workRequestIds[slot];
  }

  long address(int slot) {
    return addresses[slot];
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

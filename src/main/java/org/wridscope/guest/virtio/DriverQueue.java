// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The driver's side of a split virtqueue. It numbers its requests from 1, and expects each to be
 * completed exactly once, and in order if that is promised. Its state is in guest memory, as a
 * driver's variables are, little-endian: u16 last used index; u16 how often the driver has looked
 * for completions while its oldest request was outstanding; u16 head of that request; u16 the low
 * bits of its number; u64 next number; u64 completed requests; u64 sum of their numbers; for each
 * head u64 of twice the number of its last request, plus 1 if that is outstanding.
 */
final class DriverQueue {
  /**
   * A driver that looked so often for its oldest request counts it as lost, as Linux does after a
   * time. A sound device of ours completes its oldest request long before.
   */
  static final int PATIENCE = 256;

  private static final int LOOKS = 2;
  private static final int AWAITED_HEAD = 4;
  private static final int AWAITED_NUMBER = 6;
  private static final int NEXT = 8;
  private static final int COMPLETED = 16;
  private static final int SUM = 24;
  private static final int HEADS = 32;

  private final String name;
  private final GuestMemory memory;
  private final Vring vring;
  private final long ledger;
  private final boolean inOrder;

  /** A completed request. */
  record Done(int head, long request, long length) {}

  DriverQueue(String name, GuestMemory memory, Vring vring, long ledger, boolean inOrder) {
    this.name = name;
    this.memory = memory;
    this.vring = vring;
    this.ledger = ledger;
    this.inOrder = inOrder;
  }

  static long ledgerBytes(int size) {
    return HEADS + (long) Long.BYTES * size;
  }

  String name() {
    return name;
  }

  GuestMemory memory() {
    return memory;
  }

  Vring vring() {
    return vring;
  }

  boolean isInOrder() {
    return inOrder;
  }

  /** Starts with empty rings and request 1. */
  void begin() throws RingException {
    for (int head = 0; head < vring.size(); head++) {
      setEntry(head, 0);
    }
    memory.putU64(ledger + COMPLETED, 0);
    memory.putU64(ledger + SUM, 0);
    memory.putU64(ledger + NEXT, 1);
    clearRings();
  }

  /**
   * Empties the rings for a device that was reset.
   *
   * @return the numbers of the requests that were outstanding, in order
   */
  List<Long> withdraw() throws RingException {
    List<Long> withdrawn = outstanding();
    for (int head = 0; head < vring.size(); head++) {
      setEntry(head, entry(head) & ~1);
    }
    clearRings();
    return withdrawn;
  }

  private void clearRings() throws RingException {
    vring.clear(memory);
    memory.putU16(ledger, 0);
    memory.putU16(ledger + LOOKS, 0);
  }

  /** The number for a new request. */
  long number() throws RingException {
    long number = next();
    memory.putU64(ledger + NEXT, number + 1);
    return number;
  }

  /** Makes the chain at a head available; its descriptors must have been written. */
  void submit(int head, long request) throws RingException {
    setEntry(head, request << 1 | 1);
    vring.makeAvailable(memory, head);
  }

  /** The next descriptor of a driver that uses them in ring order. */
  int nextInRing() throws RingException {
    return vring.availIndex(memory) & vring.size() - 1;
  }

  /** Reaps the next completed request; null when there is none yet. */
  @Nullable Done poll() throws RingException, RequestFailureException {
    int lastUsed = lastUsed();
    if (vring.usedIndex(memory) == lastUsed) {
      return null;
    }
    Vring.Used used = vring.usedEntry(memory, lastUsed);
    if (used.id() >= vring.size()) {
      throw new RequestFailureException(
          new RequestFailure(RequestFailure.Kind.BROKEN, name, oldest()));
    }
    int head = (int) used.id();
    long request = request(head);
    if (!isOutstanding(head)) {
      throw new RequestFailureException(
          request == 0
              ? new RequestFailure(RequestFailure.Kind.BROKEN, name, oldest())
              : new RequestFailure(RequestFailure.Kind.DONE_TWICE, name, request));
    }
    if (inOrder && request != completed() + 1) {
      throw new RequestFailureException(
          new RequestFailure(RequestFailure.Kind.OUT_OF_ORDER, name, request));
    }
    setEntry(head, request << 1);
    memory.putU16(ledger, lastUsed + 1);
    memory.putU64(ledger + COMPLETED, completed() + 1);
    memory.putU64(ledger + SUM, sum() + request);
    return new Done(head, request, used.length());
  }

  /**
   * To be called when the driver has looked for completions.
   *
   * @throws RequestFailureException when it has looked for its oldest request {@link #PATIENCE}
   *     times
   */
  void looked() throws RingException, RequestFailureException {
    int awaited = memory.u16(ledger + AWAITED_HEAD);
    boolean same =
        awaited < vring.size()
            && isOutstanding(awaited)
            && (request(awaited) & Vring.INDEX_MASK) == memory.u16(ledger + AWAITED_NUMBER);
    if (!same) {
      await(oldestHead());
      return;
    }
    int looks = memory.u16(ledger + LOOKS) + 1;
    if (looks >= PATIENCE) {
      throw new RequestFailureException(
          new RequestFailure(RequestFailure.Kind.LOST, name, request(awaited)));
    }
    memory.putU16(ledger + LOOKS, looks);
  }

  private void await(int head) throws RingException {
    memory.putU16(ledger + LOOKS, 0);
    memory.putU16(ledger + AWAITED_HEAD, head);
    memory.putU16(ledger + AWAITED_NUMBER, (int) request(head));
  }

  /** The head of the outstanding request with the lowest number, or 0 when there is none. */
  private int oldestHead() throws RingException {
    int oldest = 0;
    long lowest = Long.MAX_VALUE;
    for (int head = 0; head < vring.size(); head++) {
      if (isOutstanding(head) && request(head) < lowest) {
        oldest = head;
        lowest = request(head);
      }
    }
    return oldest;
  }

  int lastUsed() throws RingException {
    return memory.u16(ledger);
  }

  long next() throws RingException {
    return memory.u64(ledger + NEXT);
  }

  long completed() throws RingException {
    return memory.u64(ledger + COMPLETED);
  }

  /** The sum of the numbers of all completed requests, modulo 2^64. */
  long sum() throws RingException {
    return memory.u64(ledger + SUM);
  }

  boolean isOutstanding(int head) throws RingException {
    return (entry(head) & 1) != 0;
  }

  /** The last request with this head, 0 when there was none. */
  long request(int head) throws RingException {
    return entry(head) >>> 1;
  }

  /** The numbers of the outstanding requests, in order. */
  List<Long> outstanding() throws RingException {
    List<Long> requests = new ArrayList<>();
    for (int head = 0; head < vring.size(); head++) {
      if (isOutstanding(head)) {
        requests.add(request(head));
      }
    }
    requests.sort(null);
    return requests;
  }

  /** The outstanding request with the lowest number, or the next one when there is none. */
  long oldest() throws RingException {
    List<Long> outstanding = outstanding();
    return outstanding.isEmpty() ? next() : outstanding.getFirst();
  }

  private long entry(int head) throws RingException {
    return memory.u64(ledger + HEADS + (long) Long.BYTES * head);
  }

  private void setEntry(int head, long value) throws RingException {
    memory.putU64(ledger + HEADS + (long) Long.BYTES * head, value);
  }
}

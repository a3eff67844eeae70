// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The driver's side of a split virtqueue. It gives its requests numbers, from 1, and expects each
 * to be completed exactly once, and in order if that is promised. All that it knows lies in guest
 * memory, as a driver's variables do, little-endian: u16 last used index; 6 bytes unused; u64 next
 * number; u64 completed requests; u64 sum of their numbers; for each head u64 of twice the number
 * of the last request that had it, plus 1 if it is outstanding.
 */
final class DriverQueue {
  private static final int NEXT = 8;
  private static final int COMPLETED = 16;
  private static final int SUM = 24;
  private static final int HEADS = 32;

  private final String name;
  private final GuestMemory memory;
  private final Vring vring;
  private final long ledger;
  private final boolean inOrder;

  /** A request that came back. */
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

  /** Begins with empty rings and request 1. */
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
  }

  /** A number for a request that there was not yet. */
  long number() throws RingException {
    long number = next();
    memory.putU64(ledger + NEXT, number + 1);
    return number;
  }

  /** Makes the chain at a head, whose descriptors are written, available. */
  void submit(int head, long request) throws RingException {
    setEntry(head, request << 1 | 1);
    vring.makeAvailable(memory, head);
  }

  /** Where a driver that uses descriptors in ring order puts its next one. */
  int nextInRing() throws RingException {
    return vring.availIndex(memory) & vring.size() - 1;
  }

  /** Takes the next completed request, or null when there is none yet. */
  @Nullable Done poll() throws RingException, RequestFailureException {
    int lastUsed = lastUsed();
    if (vring.usedIndex(memory) == lastUsed) {
      return null;
    }
    Vring.Used used = vring.usedEntry(memory, lastUsed);
    if (used.id() >= vring.size()) {
      throw new RequestFailureException(new RequestFailure(RequestFailure.Kind.BROKEN, name, oldest()));
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
      throw new RequestFailureException(new RequestFailure(RequestFailure.Kind.OUT_OF_ORDER, name, request));
    }
    setEntry(head, request << 1);
    memory.putU16(ledger, lastUsed + 1);
    memory.putU64(ledger + COMPLETED, completed() + 1);
    memory.putU64(ledger + SUM, sum() + request);
    return new Done(head, request, used.length());
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

  /** Of the numbers of all completed requests, modulo 2^64. */
  long sum() throws RingException {
    return memory.u64(ledger + SUM);
  }

  boolean isOutstanding(int head) throws RingException {
    return (entry(head) & 1) != 0;
  }

  /** The last request that had this head, 0 when none had. */
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

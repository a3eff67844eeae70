// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.util.ArrayList;
import java.util.List;

/** The device's side of a split virtqueue, with the device's own indices. */
final class DeviceQueue {
  private final String name;
  private final Vring vring;
  private final boolean ready;
  private final List<Integer> inFlight;
  private int lastAvail;
  private int used;

  DeviceQueue(String name, QueueState state) {
    this.name = name;
    vring = state.vring();
    ready = state.ready();
    lastAvail = state.lastAvail();
    used = state.used();
    inFlight = new ArrayList<>(state.inFlight());
  }

  QueueState state() {
    return new QueueState(vring, ready, lastAvail, used, inFlight);
  }

  /** Whether the driver has enabled it. */
  boolean isReady() {
    return ready;
  }

  /** Forgets everything except the addresses of the queue. */
  void clear() {
    lastAvail = 0;
    used = 0;
    inFlight.clear();
  }

  /** Heads of the requests that were taken and are not completed, oldest first. */
  List<Integer> inFlight() {
    return inFlight;
  }

  /** Whether an available chain was not taken yet. */
  boolean hasAvailable(GuestMemory memory) throws RingException {
    int avail = vring.availIndex(memory);
    int waiting = Vring.distance(lastAvail, avail);
    if (waiting > vring.size()) {
      throw new RingException(
          "%s: the driver's available index is %d, the device's %d, more than %d behind"
              .formatted(name, avail, lastAvail, vring.size()));
    }
    return waiting > 0;
  }

  /** Takes the next available chain, which must exist, and returns its head. */
  int take(GuestMemory memory) throws RingException {
    int head = vring.availEntry(memory, lastAvail);
    if (head >= vring.size()) {
      throw new RingException(
          "%s: head %d in the available ring, the table has %d"
              .formatted(name, head, vring.size()));
    }
    if (inFlight.contains(head)) {
      throw new RingException("%s: head %d was made available twice".formatted(name, head));
    }
    lastAvail = lastAvail + 1 & Vring.INDEX_MASK;
    inFlight.add(head);
    return head;
  }

  Chain chain(GuestMemory memory, int head) throws RingException {
    return Chain.read(memory, vring, head);
  }

  /** Completes a chain that was taken. */
  void complete(GuestMemory memory, int head, long written) throws RingException {
    vring.putUsed(memory, used, new Vring.Used(head, written));
    used = used + 1 & Vring.INDEX_MASK;
    inFlight.remove(Integer.valueOf(head));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Compares a driver's ledger with the rings and the state of the device. Each outstanding request
 * must be in exactly one place: in the available ring, in flight, or in the used ring; and no other
 * request may be in any of them.
 */
final class VirtioCheck {
  private final DriverQueue driver;
  private final Vring vring;
  private final GuestMemory memory;
  private final List<RequestFailure> failures = new ArrayList<>();
  private final int[] traces;

  /** Whether a head is in the used ring. */
  private final boolean[] returned;

  private VirtioCheck(DriverQueue driver) {
    this.driver = driver;
    vring = driver.vring();
    memory = driver.memory();
    traces = new int[vring.size()];
    returned = new boolean[vring.size()];
  }

  /** The failures, by number of the request. */
  static List<RequestFailure> check(DriverQueue driver, QueueState device) throws RingException {
    VirtioCheck check = new VirtioCheck(driver);
    check.traceWaiting(device.lastAvail());
    device.inFlight().forEach(check::trace);
    check.traceUsed();
    check.compare();
    check.checkUsedIndex(device.used());
    check.checkSums();
    check.failures.sort(Comparator.comparingLong(RequestFailure::request));
    return List.copyOf(check.failures);
  }

  private void traceWaiting(int lastAvail) throws RingException {
    int waiting = Math.min(vring.size(), Vring.distance(lastAvail, vring.availIndex(memory)));
    long before = 0;
    for (int i = 0; i < waiting; i++) {
      int head = vring.availEntry(memory, lastAvail + i);
      trace(head);
      if (driver.isInOrder() && head < vring.size()) {
        long request = driver.request(head);
        if (request <= before) {
          found(RequestFailure.Kind.OUT_OF_ORDER, request);
        }
        before = request;
      }
    }
  }

  private void traceUsed() throws RingException {
    int lastUsed = driver.lastUsed();
    int used = Math.min(vring.size(), Vring.distance(lastUsed, vring.usedIndex(memory)));
    for (int i = 0; i < used; i++) {
      int head = (int) Math.min(vring.size(), vring.usedEntry(memory, lastUsed + i).id());
      trace(head);
      if (head < returned.length) {
        returned[head] = true;
      }
    }
  }

  private void trace(int head) {
    if (head < traces.length) {
      traces[head]++;
    }
  }

  private void compare() throws RingException {
    for (int head = 0; head < traces.length; head++) {
      boolean outstanding = driver.isOutstanding(head);
      if (outstanding && traces[head] == 0) {
        found(RequestFailure.Kind.LOST, driver.request(head));
      } else if (traces[head] > (outstanding ? 1 : 0)) {
        found(RequestFailure.Kind.DONE_TWICE, driver.request(head));
      }
    }
  }

  /** The device must write the next completion where the driver expects it. */
  private void checkUsedIndex(int used) throws RingException {
    if (used == vring.usedIndex(memory)) {
      return;
    }
    for (int head = 0; head < returned.length; head++) {
      if (driver.isOutstanding(head) && !returned[head] && traces[head] == 1) {
        found(RequestFailure.Kind.LOST, driver.request(head));
      }
    }
  }

  /** Each request from 1 to next - 1 must be completed once, or outstanding. */
  private void checkSums() throws RingException {
    List<Long> outstanding = driver.outstanding();
    long submitted = driver.next() - 1;
    long sum = driver.sum() + outstanding.stream().mapToLong(Long::longValue).sum();
    // n (n + 1) / 2 modulo 2^64, halving the even factor.
    long expected =
        submitted % 2 == 0 ? submitted / 2 * (submitted + 1) : (submitted + 1) / 2 * submitted;
    if (driver.completed() + outstanding.size() != submitted || sum != expected) {
      found(RequestFailure.Kind.BROKEN, driver.oldest());
    }
  }

  /** Request 0 means that no request ever had the head. */
  private void found(RequestFailure.Kind kind, long request) throws RingException {
    failures.add(
        request == 0
            ? new RequestFailure(RequestFailure.Kind.BROKEN, driver.name(), driver.oldest())
            : new RequestFailure(kind, driver.name(), request));
  }
}

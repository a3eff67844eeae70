// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.wridscope.libvirt.VirtUri;

/**
 * How many migrations each host takes part in at once. Migrations that share a host begin in the
 * order in which they came. Thread-safe.
 */
final class HostLimits {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<VirtUri, Integer> running = new HashMap<>();
  private final List<Place> queue = new ArrayList<>();

  /** A migration that has come, and has not begun. */
  static final class Place {
    private final Set<VirtUri> hosts;
    private final int limit;

    private Place(Set<VirtUri> hosts, int limit) {
      this.hosts = hosts;
      this.limit = limit;
    }
  }

  /**
   * Takes a place in the queue; does not wait.
   *
   * @param limit how many migrations its hosts may take part in, with this one; at least 1
   */
  Place queue(FleetPlan plan, int limit) {
    lock.lock();
    try {
      var place = new Place(Set.of(plan.source(), plan.destination()), limit);
      queue.add(place);
      return place;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until a migration may begin.
   *
   * @return whether it may; false if it was cancelled
   */
  boolean enter(Place place, BooleanSupplier cancelled) throws InterruptedException {
    lock.lock();
    try {
      while (!cancelled.getAsBoolean() && !mayEnter(place)) {
        changed.await();
      }
      queue.remove(place);
      changed.signalAll();
      if (cancelled.getAsBoolean()) {
        return false;
      }
      place.hosts.forEach(host -> running.merge(host, 1, Integer::sum));
      return true;
    } finally {
      lock.unlock();
    }
  }

  private boolean mayEnter(Place place) {
    return queue.subList(0, queue.indexOf(place)).stream()
            .allMatch(earlier -> Collections.disjoint(earlier.hosts, place.hosts))
        && place.hosts.stream().allMatch(host -> running.getOrDefault(host, 0) < place.limit);
  }

  /** A migration that had begun has ended. */
  void leave(Place place) {
    lock.lock();
    try {
      place.hosts.forEach(host -> running.merge(host, -1, Integer::sum));
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Has those who wait look again whether they were cancelled. */
  void wake() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}

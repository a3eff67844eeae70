// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs of a device that somebody wants to hear of, by number. Whoever looks one up gets
 * a reference to it. An entry is removed before its queue pair is destroyed: from then on nobody
 * finds it, and the removal waits for those who had, so that nobody has it in hand when the number
 * is given back and perhaps to another queue pair at once (the order of the Linux driver mana_ib,
 * its {@code mana_ib_destroy_rc_qp}).
 */
final class QueuePairTable {

  /** A queue pair in the table. */
  static final class Entry {
    private final int number;
    private final AsyncEventHandler handler;

    /** Those who looked it up and have not let go; guarded by the table's lock. */
    private int references;

    private Entry(int number, AsyncEventHandler handler) {
      this.number = number;
      this.handler = handler;
    }

    int number() {
      return number;
    }

    AsyncEventHandler handler() {
      return handler;
    }
  }

  private final Map<Integer, Entry> entries = new HashMap<>();

  /**
   * Enters a queue pair.
   *
   * @param number of a queue pair that exists
   * @throws IllegalStateException when one with this number is there: it was not removed in time
   */
  synchronized Entry enter(int number, AsyncEventHandler handler) {
    var entry = new Entry(number, handler);
    if (entries.putIfAbsent(number, entry) != null) {
      throw new IllegalStateException("queue pair " + number + " is in the table already");
    }
    return entry;
  }

  /** A reference to the queue pair with this number, to be {@linkplain #letGo let go}; or null. */
  synchronized @Nullable Entry hold(int number) {
    Entry entry = entries.get(number);
    if (entry != null) {
      entry.references++;
    }
    return entry;
  }

  /** References to all queue pairs. */
  synchronized List<Entry> holdAll() {
    entries.values().forEach(entry -> entry.references++);
    return new ArrayList<>(entries.values());
  }

  /** Gives a reference back. */
  synchronized void letGo(Entry entry) {
    entry.references--;
    if (entry.references == 0) {
      notifyAll();
    }
  }

  /**
   * Removes a queue pair, and waits until nobody has a reference to it. A second time does nothing.
   *
   * @param limit for those who have one, which handlers that do not block never reach
   * @return false when somebody still has one
   */
  synchronized boolean remove(Entry entry, Duration limit) {
    entries.remove(entry.number, entry);
    long end = System.nanoTime() + limit.toNanos();
    long left = limit.toNanos();
    boolean interrupted = false;
    while (entry.references > 0 && left > 0) {
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      left = end - System.nanoTime();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return entry.references == 0;
  }
}

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
 * The handlers of a device's queue pairs, by queue pair number. A lookup returns a counted
 * reference. An entry is removed before its queue pair is destroyed: from then on it cannot be
 * looked up, and the removal waits until all references have been released. So none is held when
 * the number becomes free and may be reused at once (as in the Linux driver mana_ib, {@code
 * mana_ib_destroy_rc_qp}).
 */
final class QueuePairTable {

  /** The entry of a queue pair. */
  static final class Entry {
    private final int number;
    private final AsyncEventHandler handler;

    /** Number of references that have not been released; guarded by the table's lock. */
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
   * Adds a queue pair.
   *
   * @param number of a queue pair that exists
   * @throws IllegalStateException if there is one with this number, which was not removed in time
   */
  synchronized Entry enter(int number, AsyncEventHandler handler) {
    var entry = new Entry(number, handler);
    if (entries.putIfAbsent(number, entry) != null) {
      throw new IllegalStateException("queue pair " + number + " is in the table already");
    }
    return entry;
  }

  /** A reference to the entry with this number, to be {@linkplain #release released}; or null. */
  synchronized @Nullable Entry hold(int number) {
    Entry entry = entries.get(number);
    if (entry != null) {
      entry.references++;
    }
    return entry;
  }

  /** References to all entries. */
  synchronized List<Entry> holdAll() {
    entries.values().forEach(entry -> entry.references++);
    return new ArrayList<>(entries.values());
  }

  /** Releases a reference. */
  synchronized void release(Entry entry) {
    entry.references--;
    if (entry.references == 0) {
      notifyAll();
    }
  }

  /**
   * Removes an entry, and waits until all references to it have been released. Does nothing the
   * second time.
   *
   * @param limit of the wait, which is not reached if handlers do not block
   * @return false if there are references still
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

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.common.Uninterrupted;

/**
 * The handlers of a device's queue pairs, by queue pair number and, on devices that have them, by
 * the ids of its work queues. A lookup returns a counted reference. An entry is removed before its
 * queue pair is destroyed: from then on it cannot be looked up, and the removal waits until all
 * references have been released. So none is held when the number becomes free and may be reused at
 * once (as in the Linux driver mana_ib, {@code mana_ib_destroy_rc_qp}).
 *
 * <p>A queue pair has its number before it is in the table. Its events of that time are kept while
 * a queue pair is {@linkplain #expect expected}, and delivered when it is entered.
 */
final class QueuePairTable {
  /** Most events that are kept for queue pairs that are not in the table yet. */
  static final int MOST_EARLY = 1024;

  /** The entry of a queue pair. */
  static final class Entry {
    private final int number;
    private final Set<Integer> ids;
    private final AsyncEventHandler handler;

    /** Number of references that have not been released; guarded by the table's lock. */
    private int references;

    private Entry(int number, List<Integer> workQueues, AsyncEventHandler handler) {
      this.number = number;
      this.handler = handler;
      ids = new LinkedHashSet<>(workQueues);
      ids.add(number);
    }

    int number() {
      return number;
    }

    AsyncEventHandler handler() {
      return handler;
    }
  }

  /** An event of a queue pair that is not in the table. */
  private record Early(int id, AsyncEventType type) {}

  private final Map<Integer, Entry> entries = new HashMap<>();

  /** Number of queue pairs that are being created. */
  private int expected;

  private final List<Early> early = new ArrayList<>();

  /** The ids of queue pairs that were removed and may not have been destroyed. */
  private final Set<Integer> leaving = new HashSet<>();

  /** A queue pair is about to be created. */
  synchronized void expect() {
    expected++;
  }

  /** A queue pair that was expected is in the table, or was not created. */
  synchronized void expectNoMore() {
    expected--;
    if (expected == 0) {
      early.clear();
    }
  }

  /** Adds a queue pair without work queue ids; see {@link #enter(int, List, AsyncEventHandler)}. */
  Entry enter(int number, AsyncEventHandler handler) {
    return enter(number, List.of(), handler);
  }

  /**
   * Adds a queue pair. The handler gets the events that have come since it was expected, before all
   * others.
   *
   * @param number of a queue pair that exists
   * @param workQueues further ids of it
   * @throws IllegalStateException if there is one with such an id, which was not removed
   */
  Entry enter(int number, List<Integer> workQueues, AsyncEventHandler handler) {
    var entry = new Entry(number, workQueues, handler);
    List<AsyncEventType> missed = enterUnlessMissed(entry);
    while (!missed.isEmpty()) {
      missed.forEach(type -> handler.happened(type, number));
      missed = enterUnlessMissed(entry);
    }
    return entry;
  }

  /** Adds an entry unless events have come for it, which are returned. */
  private synchronized List<AsyncEventType> enterUnlessMissed(Entry entry) {
    for (int id : entry.ids) {
      if (entries.containsKey(id)) {
        throw new IllegalStateException("queue pair " + id + " is in the table already");
      }
    }
    List<AsyncEventType> missed =
        early.stream().filter(event -> entry.ids.contains(event.id)).map(Early::type).toList();
    early.removeIf(event -> entry.ids.contains(event.id));
    if (missed.isEmpty()) {
      entry.ids.forEach(id -> entries.put(id, entry));
      leaving.removeAll(entry.ids);
    }
    return missed;
  }

  /**
   * A reference to the entry that an event names, to be {@linkplain #release released}. If there is
   * none yet, the event is kept.
   *
   * @param id number of the queue pair, or id of one of its work queues
   * @return null if there is no entry
   */
  synchronized @Nullable Entry hold(int id, AsyncEventType type) {
    Entry entry = entries.get(id);
    if (entry != null) {
      entry.references++;
    } else if (expected > 0 && !leaving.contains(id) && early.size() < MOST_EARLY) {
      early.add(new Early(id, type));
    }
    return entry;
  }

  /** References to all entries. */
  synchronized List<Entry> holdAll() {
    var all = new ArrayList<>(new LinkedHashSet<>(entries.values()));
    all.forEach(entry -> entry.references++);
    return all;
  }

  /** Releases a reference. */
  synchronized void release(Entry entry) {
    entry.references--;
    if (entry.references == 0) {
      notifyAll();
    }
  }

  /** Number of references to an entry that have not been released. */
  synchronized int references(Entry entry) {
    return entry.references;
  }

  /**
   * Removes an entry: from now on no lookup finds it. Its events are not kept for the next owner of
   * its ids until it was {@linkplain #destroyed destroyed}.
   *
   * @return the number of references to it
   */
  synchronized int withdraw(Entry entry) {
    for (int id : entry.ids) {
      if (entries.remove(id, entry)) {
        leaving.add(id);
      }
    }
    return entry.references;
  }

  /** The queue pair of an entry that was removed exists no longer. */
  synchronized void destroyed(Entry entry) {
    for (int id : entry.ids) {
      leaving.remove(id);
    }
  }

  /**
   * {@linkplain #withdraw Removes} an entry, and waits until all references to it have been
   * released. Removes nothing the second time.
   *
   * @param limit of the wait, which is not reached if handlers do not block
   * @return false if there are references still
   */
  boolean remove(Entry entry, Duration limit) {
    int _ = withdraw(entry);
    return Uninterrupted.await(this, () -> entry.references == 0, limit);
  }
}

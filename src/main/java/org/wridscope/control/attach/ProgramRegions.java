// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.EventRing;
import org.wridscope.telemetry.ProgramCounts.Registrations;

/**
 * The memory regions that a program has registered, as its calls and the list of {@link
 * RegionsBefore} tell. Times are those of returns. Not thread-safe.
 */
final class ProgramRegions {
  /**
   * @param context number of the context: regions of two devices may have the same key
   * @param key the local key, unsigned
   */
  private record Key(int context, long key) {}

  /** A region. */
  private record Region(long address, long bytes) {}

  private final EventRing.Reader events;

  /** In the order of their registrations. */
  private final Map<Key, Region> regions = new LinkedHashMap<>();

  /** Regions that are deregistered, whose calls have not returned. */
  private final Map<Key, Integer> returning = new HashMap<>();

  /** How many regions of the list have each key; it does not tell whose context they are of. */
  private final Map<Long, Integer> listed = new HashMap<>();

  private long listBegin = Long.MIN_VALUE;
  private long listEnd = Long.MIN_VALUE;

  /**
   * @param events receives them
   */
  ProgramRegions(EventRing.Reader events) {
    this.events = events;
  }

  /** The program begins, and has registered nothing. */
  void none(long nanos) {
    events.event(nanos, EventKind.PROGRAM_REGIONS, Registrations.ALL.ordinal(), 0, 0, 0);
  }

  /** The program has registered before what a list tells, if that is known. */
  void before(long nanos, RegionsBefore before, long pid) {
    RegionsBefore.Regions of = before.of(pid);
    if (of == null) {
      unread(nanos);
      return;
    }
    listBegin = before.beginNanos();
    listEnd = before.endNanos();
    listed.putAll(of.keys());
    events.event(
        nanos, EventKind.PROGRAM_REGIONS, Registrations.ALL.ordinal(), of.count(), 0, of.bytes());
  }

  /** A call could not be read: from now on it is not known what is registered. */
  void unread(long nanos) {
    events.event(nanos, EventKind.PROGRAM_REGIONS, Registrations.MEANWHILE.ordinal(), 0, 0, 0);
  }

  /** Memory was registered. What had been before the list was begun is in it, or gone. */
  void registered(long nanos, int context, long key, long address, long bytes) {
    var of = new Key(context, key);
    var region = new Region(address, amount(bytes));
    if (nanos < listBegin || (nanos < listEnd && listed.containsKey(key))) {
      if (take(listed, key)) {
        regions.put(of, region);
      }
      return;
    }
    Region before = regions.put(of, region);
    if (before != null) {
      // Its key was free already, although the call that deregisters it has not returned.
      returning.merge(of, 1, Integer::sum);
      add(nanos, EventKind.PROGRAM_DEREGISTERED, key, before);
    }
    add(nanos, EventKind.PROGRAM_REGISTERED, key, region);
  }

  /**
   * Memory was deregistered. Regions that were not seen to be registered, such as those of device
   * memory, do not count.
   */
  void deregistered(long nanos, int context, long key, long address, long bytes) {
    var of = new Key(context, key);
    if (take(returning, of)) {
      return;
    }
    boolean known = regions.remove(of) != null || (nanos >= listBegin && take(listed, key));
    if (known) {
      add(nanos, EventKind.PROGRAM_DEREGISTERED, key, new Region(address, amount(bytes)));
    }
  }

  /** A device was closed, and with it what was registered. */
  void closed(long nanos, int context) {
    for (Iterator<Map.Entry<Key, Region>> each = regions.entrySet().iterator(); each.hasNext(); ) {
      Map.Entry<Key, Region> next = each.next();
      if (next.getKey().context() == context) {
        each.remove();
        add(nanos, EventKind.PROGRAM_DEREGISTERED, next.getKey().key(), next.getValue());
      }
    }
    if (!listed.isEmpty()) {
      // It is not known which of them were of this context.
      unread(nanos);
    }
  }

  /**
   * A call was refused.
   *
   * @param errno 0 if it is not known
   */
  void refused(long nanos, int errno, boolean deregistration, long address, long bytes) {
    events.event(
        nanos,
        EventKind.PROGRAM_REGION_REFUSED,
        errno,
        deregistration ? 1 : 0,
        address,
        amount(bytes));
  }

  /** Takes one of something away, and returns whether there was one. */
  private static <K> boolean take(Map<K, Integer> from, K one) {
    Integer count = from.remove(one);
    if (count != null && count > 1) {
      from.put(one, count - 1);
    }
    return count != null;
  }

  private void add(long nanos, EventKind kind, long key, Region region) {
    events.event(nanos, kind, 0, (int) key, region.address(), region.bytes());
  }

  /** All of the address space, which pins nothing, has no amount. */
  private static long amount(long bytes) {
    return Math.max(0, bytes);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.EventLog;

/** The events of a session that match a condition, found step by step. Not thread-safe. */
public final class Hits {
  private static final int EVENT = 0;
  private static final int NANOS = 1;

  private final EventLog log;
  private final LongSupplier until;
  private final Predicate<Event> condition;
  private final LongTable found = new LongTable(2, Integer.MAX_VALUE);
  private long next;

  /** The events that match a query, as far as the requests have read them. */
  public Hits(Requests requests, Query query) {
    this(requests, query, EventText.Group.ALL);
  }

  /** The events of a group that match a query, as far as the requests have read them. */
  public Hits(Requests requests, Query query, EventText.Group group) {
    log = requests.telemetry().log();
    until = requests::next;
    condition = event -> group.has(event) && query.has(event, requests);
  }

  /** The events of a group. */
  public Hits(EventLog log, EventText.Group group) {
    this.log = log;
    until = log::size;
    condition = group::has;
  }

  /**
   * Examines more of the events.
   *
   * @param limit upper limit of the number of events
   * @return how many were examined
   */
  public long advance(int limit) {
    long before = Math.max(next, log.oldest());
    int most = Math.clamp(until.getAsLong() - before, 0, limit);
    next = log.read(before, most, this::take);
    return next - before;
  }

  private boolean take(
      long number, long nanos, EventKind kind, int detail, int length, long wrid, long argument) {
    if (condition.test(new Event(number, nanos, kind, detail, length, wrid, argument))) {
      found.add(number, nanos);
    }
    return true;
  }

  /** The number of the next event to examine. */
  public long next() {
    return next;
  }

  /** How many there are so far. */
  public long count() {
    return found.end();
  }

  /** The number of the event of a hit. */
  public long event(long hit) {
    return found.get(hit, EVENT);
  }

  /** The moment of a hit. */
  public long nanos(long hit) {
    return found.get(hit, NANOS);
  }

  /** The first hit whose event has at least this number; {@link #count()} if there is none. */
  public long indexOfEvent(long number) {
    return found.indexOf(EVENT, number);
  }

  /** Whether an event is a hit. */
  public boolean has(long number) {
    long hit = indexOfEvent(number);
    return hit < count() && event(hit) == number;
  }

  /** The first hit at or after a moment; {@link #count()} if there is none. */
  public long indexOf(long nanos) {
    return found.indexOf(NANOS, nanos);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Hits;
import org.wridscope.control.Session;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventLog;
import org.wridscope.ui.TimeRange;

/**
 * The events of one end that the log shows: all of them, or those that pass a filter. They have
 * indices, of which a stretch is shown. Not thread-safe.
 */
final class LogPart {
  private final Session session;
  private final EventLog log;
  private final @Nullable Hits hits;
  private long first;
  private long end;

  /**
   * @param hits the events that pass; null for all
   */
  LogPart(Session session, @Nullable Hits hits) {
    this.session = session;
    this.hits = hits;
    log = session.telemetry().log();
  }

  Session session() {
    return session;
  }

  /** Shows what there is now, within a range if there is one. */
  void update(TimeRange.@Nullable Span span) {
    first = hits == null ? log.oldest() : hits.indexOfEvent(log.oldest());
    end = hits == null ? log.size() : hits.count();
    if (span != null) {
      first = Math.max(first, indexOf(span.fromNanos()));
      end = Math.min(end, indexOf(span.toNanos()));
    }
    end = Math.max(first, end);
  }

  /** The first index that is shown. */
  long first() {
    return first;
  }

  /** The last index that is shown plus one. */
  long end() {
    return end;
  }

  long count() {
    return end - first;
  }

  /** The first event at or after a moment, shown or not. */
  private long indexOf(long nanos) {
    return hits == null ? log.indexOf(nanos) : hits.indexOf(nanos);
  }

  /** How many of the shown events were before a moment. */
  long countBefore(long nanos) {
    return Math.clamp(indexOf(nanos), first, end) - first;
  }

  long nanos(long index) {
    return hits == null ? log.nanos(index) : hits.nanos(index);
  }

  /** The index of an event; -1 if it is not shown. */
  long indexOfEvent(long number) {
    long index = hits == null ? number : hits.indexOfEvent(number);
    return index >= first && index < end && numberOf(index) == number ? index : -1;
  }

  private long numberOf(long index) {
    return hits == null ? index : hits.event(index);
  }

  LogRow row(long index) {
    long number = numberOf(index);
    List<Event> read = log.read(number, 1);
    boolean kept = !read.isEmpty() && read.getFirst().number() == number;
    return new LogRow(session, number, kept ? read.getFirst() : null);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.Hits;
import org.wridscope.control.Session;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventLog;
import org.wridscope.ui.TimeRange;

/**
 * The events of a session that the log view shows. Reads the log in pieces, so that its lock is
 * held only briefly. Not thread-safe.
 */
public final class LogModel {
  /** The largest number of rows; only the newest are kept. */
  public static final int ROWS = 20_000;

  /** Events per read; ten polls a second keep up with a million events a second. */
  private static final int PIECE = 8_192;

  private static final int PIECES_PER_POLL = 12;

  private @Nullable Session session;
  private EventText.Group group = EventText.Group.ALL;
  private @Nullable Hits only;
  private TimeRange.@Nullable Span span;
  private long next;
  private long missed;

  /** Shows another session, starting with its oldest event in memory. */
  public void show(@Nullable Session newSession) {
    session = newSession;
    restart();
  }

  /**
   * Sets the filter, and starts again with the oldest event in memory.
   *
   * @param newOnly the only events to show, of the same session; null for all
   */
  public void filter(EventText.Group newGroup, @Nullable Hits newOnly) {
    group = newGroup;
    only = newOnly;
    restart();
  }

  /** Shows only what happened in a range, if there is one; starts again with the oldest event. */
  public void limit(TimeRange.@Nullable Span newSpan) {
    span = newSpan;
    restart();
  }

  /**
   * Starts again with an event.
   *
   * @param number of the event; the oldest event in memory is used if that is newer
   */
  public void startAt(long number) {
    next = session == null ? 0 : Math.max(number, session.telemetry().log().oldest());
    missed = 0;
  }

  private void restart() {
    next = session == null ? 0 : session.telemetry().log().oldest();
    missed = 0;
  }

  /** The events since the last call that pass the filter, oldest first. */
  public List<Event> poll() {
    return poll(PIECES_PER_POLL);
  }

  /** The next few thousand of them, fewer than {@link #ROWS}. */
  public List<Event> pollSome() {
    return poll(1);
  }

  private List<Event> poll(int pieces) {
    if (session == null) {
      return List.of();
    }
    EventLog log = session.telemetry().log();
    var passed = new ArrayList<Event>();
    for (int piece = 0; piece < pieces; piece++) {
      // What was not examined yet may still be found.
      long known = only == null ? PIECE : Math.clamp(only.next() - next, 0, PIECE);
      List<Event> events = log.read(next, (int) known);
      if (events.isEmpty()) {
        break;
      }
      missed += events.getFirst().number() - next;
      next = events.getLast().number() + 1;
      for (Event event : events) {
        if (passes(event)) {
          passed.add(event);
        }
      }
    }
    return passed;
  }

  private boolean passes(Event event) {
    return (span == null || span.has(event.nanos()))
        && group.has(event)
        && (only == null || only.has(event.number()));
  }

  /** Events that the log discarded before they could be read. */
  public long missed() {
    return missed;
  }
}

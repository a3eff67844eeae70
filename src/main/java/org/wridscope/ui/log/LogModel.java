// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.control.Session;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventLog;

/**
 * Which events of a session the log shows. Reads the log in pieces, so that its lock is never held
 * for long. Not thread-safe.
 */
public final class LogModel {
  /** Rows that are kept, the newest. */
  public static final int ROWS = 20_000;

  /** Events that one poll looks at; ten polls a second keep up with a million a second. */
  private static final int PIECE = 8_192;

  private static final int PIECES_PER_POLL = 12;

  private @Nullable Session session;
  private EventText.Group group = EventText.Group.ALL;
  private String text = "";
  private long next;
  private long missed;

  /** The session whose events are shown from now on, from the oldest that is kept. */
  public void show(@Nullable Session newSession) {
    session = newSession;
    restart();
  }

  /**
   * Which events to show from now on; begins again with the oldest that is kept.
   *
   * @param newText that their line must contain, whatever the case; empty for no condition
   */
  public void filter(EventText.Group newGroup, String newText) {
    group = newGroup;
    text = newText.strip().toLowerCase(Locale.ROOT);
    restart();
  }

  /**
   * Begins again with an event, which is shown whatever the filter.
   *
   * @param number of the event; older ones than are kept are skipped
   */
  public void restartAt(long number) {
    group = EventText.Group.ALL;
    text = "";
    next = session == null ? 0 : Math.max(number, session.telemetry().log().oldest());
    missed = 0;
  }

  private void restart() {
    next = session == null ? 0 : session.telemetry().log().oldest();
    missed = 0;
  }

  /** The events that came since the last call and pass the filter, oldest first. */
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
      List<Event> events = log.read(next, PIECE);
      if (events.isEmpty()) {
        break;
      }
      missed += events.getFirst().number() - next;
      next = events.getLast().number() + 1;
      for (Event event : events) {
        if (passes(event, session)) {
          passed.add(event);
        }
      }
    }
    return passed;
  }

  private boolean passes(Event event, Session of) {
    if (!group.has(event)) {
      return false;
    }
    if (text.isEmpty()) {
      return true;
    }
    String line = EventText.kind(event.kind()) + " " + EventText.summary(event, of.telemetry());
    return line.toLowerCase(Locale.ROOT).contains(text);
  }

  /** Events that the log gave up before they could be looked at. */
  public long missed() {
    return missed;
  }
}

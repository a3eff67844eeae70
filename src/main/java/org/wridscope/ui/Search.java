// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javafx.beans.property.BooleanProperty;
import javafx.beans.property.ObjectProperty;
import javafx.beans.property.ReadOnlyObjectProperty;
import javafx.beans.property.SimpleBooleanProperty;
import javafx.beans.property.SimpleObjectProperty;
import javafx.beans.property.SimpleStringProperty;
import javafx.beans.property.StringProperty;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Hits;
import org.wridscope.analysis.Query;
import org.wridscope.analysis.QueryCompletion;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.memory.ChunkTable;

/**
 * What the user searches for in all views, and the events that were found. Each pulse searches for
 * a part of a frame. For the JavaFX thread only.
 */
public final class Search {
  /** Of the 16 ms of a frame. */
  private static final long BUDGET_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

  private static final int PIECE = 2_048;

  private final TimeRange range;
  private final Selection selection;
  private final Analyses analyses;
  private final ObjectProperty<@Nullable Query> query =
      new SimpleObjectProperty<>(this, "query", null);
  private final BooleanProperty only = new SimpleBooleanProperty(this, "only", false);
  private final Map<Session, Hits> hits = new LinkedHashMap<>();
  private @Nullable SessionPair pair;
  private final StringProperty text = new SimpleStringProperty(this, "text", "");
  private String problem = "";
  private boolean complete = true;

  public Search(TimeRange range, Selection selection, Analyses analyses) {
    this.range = range;
    this.selection = selection;
    this.analyses = analyses;
    text.subscribe((_, _) -> read());
  }

  /** What the user has typed, whether it can be searched for or not; blank for nothing. */
  public StringProperty textProperty() {
    return text;
  }

  /** What is searched for; null for nothing. */
  public ReadOnlyObjectProperty<@Nullable Query> queryProperty() {
    return query;
  }

  /** What is searched for; null for nothing. */
  public @Nullable Query query() {
    return query.get();
  }

  /** Whether views leave out what does not match. */
  public BooleanProperty onlyProperty() {
    return only;
  }

  /** What views leave everything else out for; null if they leave out nothing. */
  public @Nullable Query filter() {
    return only.get() ? query.get() : null;
  }

  /** Why the text cannot be searched for, one sentence; empty if it can. */
  public String problem() {
    return problem;
  }

  /** Searches in other sessions, or in the same ones from their beginning. */
  public void show(@Nullable SessionPair newPair) {
    pair = newPair;
    read();
  }

  /** Searches for something else; a blank text is nothing. */
  public void find(String newText) {
    text.set(newText);
  }

  private void read() {
    Query read = null;
    try {
      read = Query.parse(text.get(), blocks());
      problem = "";
    } catch (IllegalArgumentException e) {
      problem = String.valueOf(e.getMessage());
    }
    hits.clear();
    complete = read == null || pair == null;
    if (read != null && pair != null) {
      for (Session session : pair.sessions()) {
        hits.put(session, new Hits(analyses.of(session), read));
      }
    }
    range.mark(hits.isEmpty() ? null : this::next);
    query.set(read);
  }

  /** How what was typed can go on. */
  public List<QueryCompletion> completions() {
    return QueryCompletion.of(text.get(), blocks());
  }

  private List<ChunkTable> blocks() {
    return pair == null ? List.of() : pair.leading().telemetry().blocks();
  }

  /** The first hit at or after a moment. */
  private long next(long nanos) {
    long next = Long.MAX_VALUE;
    for (Hits each : hits.values()) {
      long hit = each.indexOf(nanos);
      if (hit < each.count()) {
        next = Math.min(next, each.nanos(hit));
      }
    }
    return next;
  }

  /** Searches further. */
  public void advance() {
    SessionPair of = pair;
    if (of == null || hits.isEmpty()) {
      return;
    }
    long end = System.nanoTime() + BUDGET_NANOS;
    boolean all = analyses.advance(of);
    long before = count();
    for (Hits each : hits.values()) {
      long examined;
      do {
        examined = each.advance(PIECE);
      } while (examined > 0 && System.nanoTime() < end);
      all &= examined == 0;
    }
    complete = all;
    if (count() != before) {
      range.renewMarks();
    }
  }

  /** Whether everything so far was searched. */
  public boolean isComplete() {
    return complete;
  }

  /** How many events were found so far. */
  public long count() {
    return hits.values().stream().mapToLong(Hits::count).sum();
  }

  /** What was found in a session so far; null if nothing is searched for in it. */
  public @Nullable Hits hits(Session session) {
    return hits.get(session);
  }

  /** What views leave everything else out for; null if they leave out nothing. */
  public @Nullable Hits only(Session session) {
    return only.get() ? hits.get(session) : null;
  }

  /** Whether an event was found. */
  public boolean has(Session session, long event) {
    Hits of = hits.get(session);
    return of != null && of.has(event);
  }

  /** The number of the selected hit in the order of time, from 1; 0 if none is selected. */
  public long position() {
    if (!(selection.get() instanceof Selected.LoggedEvent(var session, var event))
        || !has(session, event.number())) {
      return 0;
    }
    long position = 1;
    // Of two at the same moment, the one of the first session comes first.
    boolean before = true;
    for (Map.Entry<Session, Hits> each : hits.entrySet()) {
      if (each.getKey().equals(session)) {
        before = false;
        position += each.getValue().indexOfEvent(event.number());
      } else {
        position += each.getValue().indexOf(event.nanos() + (before ? 1 : 0));
      }
    }
    return position;
  }

  /** Selects the hit after what is selected, or the one before; shows its time. */
  public void go(boolean forwards) {
    Session best = null;
    long bestEvent = -1;
    long bestNanos = 0;
    for (Map.Entry<Session, Hits> each : hits.entrySet()) {
      Hits of = each.getValue();
      long hit = neighbour(each.getKey(), of, forwards);
      if (hit < 0 || hit >= of.count()) {
        continue;
      }
      long nanos = of.nanos(hit);
      if (best == null || (forwards ? nanos < bestNanos : nanos >= bestNanos)) {
        best = each.getKey();
        bestEvent = of.event(hit);
        bestNanos = nanos;
      }
    }
    if (best != null) {
      selection.selectEvent(best, bestEvent);
      range.reveal(bestNanos);
    }
  }

  /** The nearest hit of a session after what is selected, or before it; may not exist. */
  private long neighbour(Session session, Hits of, boolean forwards) {
    if (selection.get() instanceof Selected.LoggedEvent(var other, var event)) {
      if (session.equals(other)) {
        return forwards ? of.indexOfEvent(event.number() + 1) : of.indexOfEvent(event.number()) - 1;
      }
      boolean first = session.equals(hits.keySet().iterator().next());
      return forwards
          ? of.indexOf(event.nanos() + (first ? 1 : 0))
          : of.indexOf(event.nanos() + (first ? 1 : 0)) - 1;
    }
    if (selection.get() instanceof Selected.WorkRequest(_, var facts)) {
      return forwards ? of.indexOf(facts.postedNanos() + 1) : of.indexOf(facts.postedNanos()) - 1;
    }
    return forwards ? of.indexOf(range.leftNanos()) : of.indexOf(range.rightNanos()) - 1;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.FilteredRequests;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.RequestFacts;
import org.wridscope.analysis.RequestFilter;
import org.wridscope.analysis.RequestKind;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.Timeline;
import org.wridscope.analysis.WorkRequests;
import org.wridscope.analysis.WridQuery;
import org.wridscope.control.Session;
import org.wridscope.memory.ChunkTable;
import org.wridscope.recording.SessionPair;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;

/**
 * Which ends and requests the view shows, which requests are marked, and the way from one request
 * to the next. Needs no window. For the JavaFX thread only.
 */
final class WridNavigation {
  /** A request that was found fills one part in this many of the shown time. */
  private static final long SURROUNDINGS = 12;

  /** Which ends of a migration to show. */
  enum Ends {
    BOTH,
    SOURCE,
    DESTINATION;

    boolean include(Role role) {
      return this == BOTH || (role == Role.SOURCE) == (this == SOURCE);
    }
  }

  private final TimeRange range;
  private final Selection selection;
  private final Analyses analyses;
  private @Nullable SessionPair pair;
  private List<Session> sessions = List.of();
  private List<WridModel> models = List.of();
  private boolean marks;
  private boolean complete = true;
  private long now;

  WridNavigation(TimeRange range, Selection selection, Analyses analyses) {
    this.range = range;
    this.selection = selection;
    this.analyses = analyses;
  }

  /** Sets what to show from now on, with neither filter nor mark. */
  void show(@Nullable SessionPair newPair, Ends ends) {
    pair = newPair;
    sessions =
        newPair == null
            ? List.of()
            : newPair.sessions().stream().filter(session -> ends.include(session.role())).toList();
    models = sessions.stream().map(session -> new WridModel(analyses.of(session))).toList();
    marks = false;
  }

  @Nullable SessionPair pair() {
    return pair;
  }

  /** The requests of each end that is shown, the source's first. */
  List<WridModel> models() {
    return models;
  }

  private List<ChunkTable> blocks() {
    return pair == null ? List.of() : pair.leading().telemetry().blocks();
  }

  /**
   * Shows only some requests.
   *
   * @param text a wrid, a block or a chunk, as {@link WridQuery} reads it; blank for all
   * @param kind null for all kinds
   * @return whether the text could be read; if not, it excludes nothing
   */
  boolean filter(String text, @Nullable RequestKind kind) {
    RequestFilter read = WridQuery.parse(text, blocks());
    RequestFilter filter = read == null ? RequestFilter.ALL : read;
    if (kind != null && filter.kind() == null) {
      filter = new RequestFilter(kind, filter.block(), filter.chunk(), filter.wrid());
    } else if (kind != null && filter.kind() != kind) {
      // Writes to a chunk that are receives: there are none.
      filter = new RequestFilter(kind, filter.block(), filter.chunk(), Long.MIN_VALUE);
    }
    for (WridModel model : models) {
      model.setFilter(filter);
    }
    return read != null || text.isBlank();
  }

  /**
   * Marks the requests that a text describes; if it is blank, the writes of the selected chunk.
   *
   * @param text a wrid, a block or a chunk, as {@link WridQuery} reads it; blank for none
   * @return whether the text could be read
   */
  boolean mark(String text) {
    RequestFilter read = WridQuery.parse(text, blocks());
    RequestFilter mark = read;
    if (mark == null && selection.get() instanceof Selected.Chunk chunk) {
      mark = new RequestFilter(RequestKind.WRITE, chunk.block(), chunk.chunk(), null);
    }
    for (WridModel model : models) {
      model.setMark(mark);
    }
    marks = mark != null;
    return read != null || text.isBlank();
  }

  /** Whether requests are marked. */
  boolean hasMarks() {
    return marks;
  }

  /** Reads new events. */
  void advance(long nowNanos) {
    SessionPair of = pair;
    if (of == null) {
      return;
    }
    complete = analyses.advance(of);
    for (WridModel model : models) {
      complete &= model.advance();
    }
    now =
        of.ended()
            ? models.stream()
                .mapToLong(model -> model.requests().lastNanos())
                .max()
                .orElse(Long.MIN_VALUE)
            : of.clock(nowNanos);
  }

  /** Whether all events were read. */
  boolean isComplete() {
    return complete;
  }

  /** The moment that open requests and waits reach: now or, after the end, the last event. */
  long nowNanos() {
    return now;
  }

  /** The number of the next event to read, of all ends together; changes with each new event. */
  long nextEvent() {
    return models.stream().mapToLong(model -> model.requests().next()).sum();
  }

  // ------------------------------------------------------------------------------------ selecting

  /** Selects the marked request after the one that is selected, or the one before. */
  void goToMarked(boolean forwards) {
    WridModel.Found best = null;
    int of = 0;
    long from = markedFrom(forwards);
    for (int i = 0; i < models.size(); i++) {
      WridModel.Found found = models.get(i).nextMarked(from, forwards);
      if (found != null
          && (best == null
              || (forwards ? found.nanos() < best.nanos() : found.nanos() > best.nanos()))) {
        best = found;
        of = i;
      }
    }
    if (best != null) {
      select(sessions.get(of), best.queue(), best.id());
      reveal(models.get(of).requests().of(best.queue()), best.id());
    }
  }

  private long markedFrom(boolean forwards) {
    if (selection.get() instanceof Selected.WorkRequest(var session, var facts)
        && sessions.contains(session)) {
      return facts.postedNanos();
    }
    return forwards ? range.leftNanos() : range.rightNanos();
  }

  /** Selects the next request that was posted to the same queue, or the one before. */
  void step(boolean forwards) {
    if (!(selection.get() instanceof Selected.WorkRequest(var session, var facts))
        || !sessions.contains(session)) {
      return;
    }
    FilteredRequests shown = models.get(sessions.indexOf(session)).shown(facts.queue());
    Timeline posted = shown.posted();
    long index = posted.indexOf(facts.postedNanos());
    while (index < posted.end() && posted.id(index) < facts.id()) {
      index++;
    }
    index += forwards ? 1 : -1;
    if (index >= posted.first() && index < posted.end() && shown.has(posted.id(index))) {
      select(session, facts.queue(), posted.id(index));
      reveal(shown.requests(), posted.id(index));
    }
  }

  /** Moves and zooms so that a request is visible and legible, unless it already is. */
  private void reveal(WorkRequests requests, long id) {
    long from = requests.postedNanos(id);
    long to = requests.isOpen(id) ? from + TimeRange.SHORTEST : requests.endedNanos(id);
    long took = Math.max(to - from, TimeRange.SHORTEST);
    boolean legible =
        range.shownNanos() >= took && range.shownNanos() <= took * SURROUNDINGS * SURROUNDINGS;
    if (legible && from >= range.leftNanos() && to <= range.rightNanos()) {
      return;
    }
    long half = legible ? range.shownNanos() / 2 : took * SURROUNDINGS / 2;
    long middle = from + (to - from) / 2;
    range.hold(middle - half, middle + half);
  }

  private void select(Session session, QueueType queue, long id) {
    selection.select(
        new Selected.WorkRequest(session, RequestFacts.of(analyses.of(session), queue, id)));
  }

  /** Selects a request, or the event with which a wait began. */
  void select(WridPicker.Pick pick) {
    Session session = sessions.get(models.indexOf(pick.model()));
    if (pick.queue() != null) {
      select(session, pick.queue(), pick.id());
    } else {
      selection.selectEvent(session, pick.model().requests().waits().beginEvent(pick.id()));
    }
  }

  /** Updates the selected request if more is known about it now. */
  void renewSelected() {
    if (selection.get() instanceof Selected.WorkRequest request
        && sessions.contains(request.session())) {
      Requests of = analyses.of(request.session());
      if (of.of(request.facts().queue()).has(request.facts().id())) {
        var fresh = RequestFacts.of(of, request.facts().queue(), request.facts().id());
        if (!fresh.equals(request.facts())) {
          selection.select(new Selected.WorkRequest(request.session(), fresh));
        }
      }
    }
  }

  /** The requests that are selected, or that the selected event is about. */
  List<WridPainter.Chosen> chosen() {
    Selected selected = selection.get();
    int end = selected == null ? -1 : sessions.indexOf(selected.session());
    if (end < 0) {
      return List.of();
    }
    WridModel model = models.get(end);
    if (selected instanceof Selected.WorkRequest request) {
      return model.requests().of(request.facts().queue()).has(request.facts().id())
          ? List.of(new WridPainter.Chosen(model, request.facts().queue(), request.facts().id()))
          : List.of();
    }
    if (selected instanceof Selected.LoggedEvent logged) {
      var found = new ArrayList<WridPainter.Chosen>();
      for (QueueType queue : QueueType.values()) {
        long id = model.requests().of(queue).ofEvent(logged.event().number());
        if (id != WorkRequests.NONE) {
          found.add(new WridPainter.Chosen(model, queue, id));
        }
      }
      return found;
    }
    return List.of();
  }

  // ---------------------------------------------------------------------------------------- words

  /** How many requests there are at each end, what is wrong with them, and how many are marked. */
  String counts() {
    var text = new StringBuilder();
    for (WridModel model : models) {
      Requests of = model.requests();
      text.append(text.isEmpty() ? "" : "  |  ")
          .append(models.size() == 1 ? "" : of.role() == Role.SOURCE ? "source: " : "dest.: ")
          .append(WridText.count(of));
    }
    if (marks) {
      long marked = models.stream().mapToLong(WridModel::markedCount).sum();
      text.append("  |  ").append(Format.count(marked)).append(" marked");
    }
    if (!complete) {
      text.append("  |  reading…");
    }
    return text.toString();
  }

  /** Why there is nothing to see; empty when there is something. */
  String whyEmpty() {
    if (pair == null) {
      return "Select a migration to see its work requests.";
    }
    boolean any = false;
    for (WridModel model : models) {
      if (!model.requests().telemetry().monitored()) {
        return "No requests: this session was started without monitoring.";
      }
      any |= model.requests().sends().end() + model.requests().receives().end() > 0;
    }
    return any ? "" : "Work requests appear here as soon as the first one is posted.";
  }
}

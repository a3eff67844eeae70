// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Anomalies;
import org.wridscope.analysis.Anomaly;
import org.wridscope.analysis.FilteredRequests;
import org.wridscope.analysis.Query;
import org.wridscope.analysis.QueueCounts;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.RequestFacts;
import org.wridscope.analysis.RequestFilter;
import org.wridscope.analysis.RequestKind;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.Timeline;
import org.wridscope.analysis.Waits;
import org.wridscope.analysis.WorkRequests;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.QueueId;
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

  /** One part in this many of the shown time is at most before the beginning of the session. */
  private static final long PARTS_BEFORE_BEGIN = 50;

  /** With more, the requests of all queues of a program share their lanes until one is chosen. */
  private static final int MOST_QUEUES = 6;

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
  private List<WridModel> models = List.of();

  /** The queues of a program, ascending; empty for a migration. */
  private List<QueueId> queues = List.of();

  /** The only queue of a program to show; null for all. */
  private @Nullable QueueId queue;

  private RequestFilter filter = RequestFilter.ALL;
  private @Nullable RequestFilter mark;
  private boolean complete = true;
  private long now;

  /** The anomaly that was shown last, and what was selected for it. */
  private @Nullable Anomaly anomaly;

  private @Nullable Selected anomalySelected;

  WridNavigation(TimeRange range, Selection selection, Analyses analyses) {
    this.range = range;
    this.selection = selection;
    this.analyses = analyses;
  }

  /** Sets what to show from now on, with neither filter nor mark. */
  void show(@Nullable SessionPair newPair, Ends ends) {
    pair = newPair;
    anomaly = null;
    filter = RequestFilter.ALL;
    mark = null;
    queue = null;
    queues = List.of();
    models =
        newPair == null
            ? List.of()
            : newPair.sessions().stream()
                .filter(session -> ends.include(session.role()))
                .map(session -> new WridModel(session, analyses.of(session), null))
                .toList();
    findQueues();
  }

  /** Shows only one queue of a program, or all if it is null. */
  void show(@Nullable QueueId only) {
    queue = only;
    divide();
  }

  /** The queues of a program that have been used so far; empty for a migration. */
  List<QueueId> queues() {
    return queues;
  }

  /** Their names, with the addresses of their peers if those are known. */
  List<String> queueNames() {
    SessionPair of = pair;
    return of == null ? List.of() : queues.stream().map(analyses.of(of.leading())::nameOf).toList();
  }

  /** Notices the queues that a program has begun to use. */
  private void findQueues() {
    SessionPair of = pair;
    if (of == null || of.leading().migrates()) {
      return;
    }
    Requests requests = analyses.of(of.leading());
    List<QueueId> found =
        Stream.of(requests.sends(), requests.receives())
            .flatMap(each -> each.queues().stream())
            .map(QueueCounts::id)
            .distinct()
            .sorted(Comparator.comparing(QueueId::isShared).thenComparingInt(QueueId::value))
            .toList();
    if (!found.equals(queues)) {
      queues = found;
      divide();
    }
  }

  /** Gives each queue of a program its lanes, if there are few enough. */
  private void divide() {
    if (pair == null || queues.isEmpty()) {
      return;
    }
    Session session = pair.leading();
    Requests requests = analyses.of(session);
    List<@Nullable QueueId> each = new ArrayList<>();
    if (queue != null) {
      each.add(queue);
    } else if (queues.size() <= MOST_QUEUES) {
      each.addAll(queues);
    } else {
      each.add(null);
    }
    models = each.stream().map(only -> new WridModel(session, requests, only)).toList();
    for (WridModel model : models) {
      model.setFilter(filter);
      model.setMark(mark);
    }
  }

  @Nullable SessionPair pair() {
    return pair;
  }

  /** The requests of each end that is shown, the source's first. */
  List<WridModel> models() {
    return models;
  }

  /**
   * Shows only some requests.
   *
   * @param query what they must match; null for all
   * @param kind null for all kinds
   */
  void filter(@Nullable Query query, @Nullable RequestKind kind) {
    filter = new RequestFilter(kind, query, null);
    for (WridModel model : models) {
      model.setFilter(filter);
    }
  }

  /**
   * Marks the requests that match a query; if it is null, the writes of the selected chunk.
   *
   * @param query null for none
   */
  void mark(@Nullable Query query) {
    mark = query == null ? null : new RequestFilter(null, query, null);
    if (mark == null && selection.get() instanceof Selected.Chunk chunk) {
      mark =
          new RequestFilter(RequestKind.WRITE, Query.ofChunk(chunk.block(), chunk.chunk()), null);
    }
    for (WridModel model : models) {
      model.setMark(mark);
    }
  }

  /** Whether requests are marked. */
  boolean hasMarks() {
    return mark != null;
  }

  /** Reads new events. */
  void advance(long nowNanos) {
    SessionPair of = pair;
    if (of == null) {
      return;
    }
    complete = analyses.advance(of);
    findQueues();
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
    return models.stream().map(WridModel::requests).distinct().mapToLong(Requests::next).sum();
  }

  // ------------------------------------------------------------------------------------ selecting

  /** Selects the marked request after the one that is selected, or the one before. */
  void goToMarked(boolean forwards) {
    long from = markedFrom(forwards);
    firstOf(forwards, model -> model.nextMarked(from, forwards))
        .ifPresent(found -> {
          select(found.model().session(), found.queue(), found.id());
          reveal(found.model().requests().of(found.queue()), found.id());
        });
  }

  /** The first of what is found at each end, or the last one. */
  private Optional<WridModel.Found> firstOf(
      boolean forwards, Function<WridModel, Optional<WridModel.Found>> of) {
    return models.stream()
        .flatMap(model -> of.apply(model).stream())
        .min(WridModel.Found.order(forwards));
  }

  /**
   * Selects the next anomaly of what is shown, or the one before; after the last one, the first one
   * follows.
   *
   * @return what it is, a phrase
   */
  String goToAnomaly(boolean forwards) {
    Anomaly next = nearest(forwards, beyond(forwards));
    boolean again = next == null;
    if (again) {
      next = nearest(forwards, _ -> true);
    }
    anomaly = next;
    if (next == null) {
      return "no anomaly among these requests";
    }
    Session session = session(next);
    Requests requests = analyses.of(session);
    show(session, requests, next);
    anomalySelected = selection.get();
    String what = WridText.anomaly(requests, next);
    return !again
        ? what
        : (forwards ? "back at the beginning: %s" : "back at the end: %s").formatted(what);
  }

  private @Nullable Anomaly nearest(boolean forwards, Predicate<Anomaly> beyond) {
    SessionPair of = pair;
    Anomaly best = null;
    for (Requests each : models.stream().map(WridModel::requests).distinct().toList()) {
      Anomaly found =
          new Anomalies(each, range.originNanos(), now, of != null && of.ended())
              .nearest(this::isShown, beyond, forwards);
      if (found != null
          && (best == null || (forwards ? found.compareTo(best) < 0 : found.compareTo(best) > 0))) {
        best = found;
      }
    }
    return best;
  }

  /** Those after the last one that was shown, or after what is selected or seen. */
  private Predicate<Anomaly> beyond(boolean forwards) {
    Anomaly last = anomaly;
    if (last != null && isSame(anomalySelected, selection.get())) {
      return each -> forwards ? each.compareTo(last) > 0 : each.compareTo(last) < 0;
    }
    long from =
        switch (selection.get()) {
          case Selected.WorkRequest(_, var facts) -> facts.postedNanos();
          case Selected.LoggedEvent(_, var event) -> event.nanos();
          case null, default -> forwards ? range.leftNanos() : range.rightNanos();
        };
    return each -> forwards ? each.nanos() >= from : each.nanos() < from;
  }

  /** Whether the same is selected; more may be known of a request than before. */
  private static boolean isSame(@Nullable Selected one, @Nullable Selected other) {
    if (one instanceof Selected.WorkRequest before && other instanceof Selected.WorkRequest after) {
      return before.isSame(after);
    }
    return Objects.equals(one, other);
  }

  private boolean isShown(Anomaly of) {
    QueueType type = of.queue();
    if (type == null || of.kind() == Anomaly.Kind.NOBODY_POSTED) {
      return filter.isAll();
    }
    WridModel model = modelOf(session(of), type, of.id());
    return model != null && model.shown(type).has(of.id());
  }

  private Session session(Anomaly of) {
    return models.stream()
        .map(WridModel::session)
        .filter(session -> session.role() == of.role())
        .findFirst()
        .orElseThrow();
  }

  private void show(Session session, Requests requests, Anomaly what) {
    QueueType type = what.queue();
    if (type == null) {
      Waits waits = requests.waits();
      selection.selectEvent(session, waits.beginEvent(what.id()));
      reveal(what.nanos(), Math.min(now, waits.endedNanos(what.id())));
    } else if (what.kind() == Anomaly.Kind.NOBODY_POSTED) {
      selection.selectEvent(session, what.id());
      range.reveal(what.nanos());
    } else {
      select(session, type, what.id());
      var apart = new AnomalySpan(requests, what, now);
      reveal(apart.fromNanos(), apart.toNanos());
    }
  }

  private long markedFrom(boolean forwards) {
    if (selection.get() instanceof Selected.WorkRequest(var session, var facts) && shows(session)) {
      return facts.postedNanos();
    }
    return forwards ? range.leftNanos() : range.rightNanos();
  }

  /**
   * Selects the next request that was posted to the same queue, or the one before. Without a
   * selected request, selects the one of the selected event, or else the first or the last in
   * sight.
   */
  void step(boolean forwards) {
    if (!(selection.get() instanceof Selected.WorkRequest(var session, var facts))) {
      chosen().stream()
          .findFirst()
          .or(() -> inSight(forwards))
          .ifPresent(each -> select(each.model().session(), each.queue(), each.id()));
      return;
    }
    WridModel model = modelOf(session, facts.queue(), facts.id());
    if (model == null) {
      return;
    }
    FilteredRequests shown = model.shown(facts.queue());
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

  private Optional<WridPainter.Chosen> inSight(boolean first) {
    long edge = first ? range.leftNanos() - 1 : range.rightNanos();
    return firstOf(first, model -> model.nextShown(edge, first))
        .filter(each -> each.nanos() >= range.leftNanos() && each.nanos() < range.rightNanos())
        .map(each -> new WridPainter.Chosen(each.model(), each.queue(), each.id()));
  }

  /** Moves and zooms so that a request is visible and legible, unless it already is. */
  private void reveal(WorkRequests requests, long id) {
    long from = requests.postedNanos(id);
    reveal(from, requests.isOpen(id) ? from + TimeRange.SHORTEST : requests.endedNanos(id));
  }

  private void reveal(long from, long to) {
    long took = Math.max(to - from, TimeRange.SHORTEST);
    boolean legible =
        range.shownNanos() >= took && range.shownNanos() <= took * SURROUNDINGS * SURROUNDINGS;
    if (legible && from >= range.leftNanos() && to <= range.rightNanos()) {
      return;
    }
    long shown = legible ? range.shownNanos() : took * SURROUNDINGS;
    // Before the beginning there is nothing to see, but for the edge of what begins there.
    long left =
        Math.max(
            from + (to - from) / 2 - shown / 2, range.originNanos() - shown / PARTS_BEFORE_BEGIN);
    range.hold(left, left + shown);
  }

  private void select(Session session, QueueType queue, long id) {
    selection.select(
        new Selected.WorkRequest(session, RequestFacts.of(analyses.of(session), queue, id)));
  }

  /** Selects a request, or the event that begins a wait or tells what a device counted. */
  void select(WridPicker.Pick pick) {
    Session session = pick.model().session();
    Requests requests = pick.model().requests();
    switch (pick) {
      case WridPicker.Request(_, var queue, var id) -> select(session, queue, id);
      case WridPicker.Wait(_, var id) ->
          selection.selectEvent(session, requests.waits().beginEvent(id));
      case WridPicker.Trouble(_, var row) ->
          selection.selectEvent(session, requests.counted().troubles().event(row));
    }
  }

  /** Updates the selected request if more is known about it now. */
  void renewSelected() {
    if (selection.get() instanceof Selected.WorkRequest request && shows(request.session())) {
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
    var found = new ArrayList<WridPainter.Chosen>();
    switch (selection.get()) {
      case Selected.WorkRequest(var session, var facts) ->
          choose(found, session, facts.queue(), facts.id());
      case Selected.LoggedEvent(var session, var event) -> {
        for (QueueType type : QueueType.values()) {
          choose(found, session, type, analyses.of(session).of(type).ofEvent(event.number()));
        }
      }
      case null, default -> {
        // nothing of a request
      }
    }
    return found;
  }

  /** Where the selection is in the picture. */
  record Place(WridModel model, Function<Lanes.End, Lanes.Band> lane, long nanos) {}

  /**
   * The place of the selected request, or of the selected event if it is of a request, a wait, or
   * trouble that a device counted.
   */
  Optional<Place> landing() {
    List<WridPainter.Chosen> chosen = chosen();
    if (!chosen.isEmpty()) {
      WridPainter.Chosen each = chosen.getFirst();
      WorkRequests of = each.model().requests().of(each.queue());
      boolean ended =
          selection.get() instanceof Selected.LoggedEvent(_, var event)
              ? event.number() != of.postEvent(each.id())
              : !of.isOpen(each.id());
      long nanos = ended ? of.endedNanos(each.id()) : of.postedNanos(each.id());
      Function<Lanes.End, Lanes.QueueLanes> queue =
          each.queue() == QueueType.SEND ? Lanes.End::send : Lanes.End::receive;
      return Optional.of(
          new Place(
              each.model(),
              queue.andThen(ended ? Lanes.QueueLanes::completions : Lanes.QueueLanes::posts),
              nanos));
    }
    if (selection.get() instanceof Selected.LoggedEvent(var session, var event) && shows(session)) {
      Requests of = analyses.of(session);
      boolean wait = of.waits().ofEvent(event.number()) >= 0;
      if (wait || of.counted().troubles().ofEvent(event.number()) >= 0) {
        return models.stream()
            .filter(model -> model.session().equals(session))
            .findFirst()
            .map(model ->
                new Place(model, wait ? Lanes.End::waits : Lanes.End::device, event.nanos()));
      }
    }
    return Optional.empty();
  }

  private void choose(List<WridPainter.Chosen> found, Session session, QueueType type, long id) {
    WridModel model = modelOf(session, type, id);
    if (model != null) {
      found.add(new WridPainter.Chosen(model, type, id));
    }
  }

  private boolean shows(Session session) {
    return models.stream().anyMatch(model -> model.session().equals(session));
  }

  /** The lanes that a request is in; null if it is not shown. */
  private @Nullable WridModel modelOf(Session session, QueueType type, long id) {
    return models.stream().filter(model -> model.has(session, type, id)).findFirst().orElse(null);
  }

  // ---------------------------------------------------------------------------------------- words

  /** How many requests there are at each end, what is wrong with them, and how many are marked. */
  String counts() {
    var text = new StringBuilder();
    List<Requests> ends = models.stream().map(WridModel::requests).distinct().toList();
    for (Requests of : ends) {
      text.append(text.isEmpty() ? "" : "  |  ")
          .append(ends.size() == 1 ? "" : of.role() == Role.SOURCE ? "source: " : "dest.: ")
          .append(WridText.count(of));
    }
    countIn(text, ends, range.chosen(), "in the range: %s posted, %s ended");
    countIn(text, ends, range.markers().between(), "between the markers: %s posted, %s ended");
    if (mark != null) {
      long marked = models.stream().mapToLong(WridModel::markedCount).sum();
      text.append("  |  %s marked".formatted(Format.count(marked)));
    }
    if (!complete) {
      text.append("  |  reading…");
    }
    return text.toString();
  }

  private static void countIn(
      StringBuilder text, List<Requests> ends, TimeRange.@Nullable Span span, String sentence) {
    if (span == null) {
      return;
    }
    long posted = 0;
    long ended = 0;
    for (Requests of : ends) {
      for (QueueType queue : QueueType.values()) {
        posted += of.of(queue).posted().countIn(span.fromNanos(), span.toNanos());
        ended += of.of(queue).ended().countIn(span.fromNanos(), span.toNanos());
      }
    }
    text.append("  |  ").append(sentence.formatted(Format.count(posted), Format.count(ended)));
  }

  /** Why there is nothing to see; empty when there is something. */
  String whyEmpty() {
    if (pair == null) {
      return "Select a migration to see its work requests.";
    }
    boolean any = false;
    for (WridModel model : models) {
      if (!model.requests().telemetry().monitored()) {
        return "No requests: this migration was started without monitoring.";
      }
      any |= model.requests().sends().end() + model.requests().receives().end() > 0;
    }
    return any ? "" : "Work requests appear here as soon as the first one is posted.";
  }
}

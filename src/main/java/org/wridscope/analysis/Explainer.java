// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Explanation.Step;
import org.wridscope.analysis.Explanation.Verdict;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.ConnectionEvent;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * Explains sessions from their requests, waits and messages. Every step of what it says rests on a
 * recorded event, but for its last one, which is the conclusion.
 */
public final class Explainer {
  /**
   * Waits from here on are long: answers come within milliseconds, and the engines say that they
   * are alive every second.
   */
  public static final long LONG_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How far back a wait may lie that was given up before the session ended. */
  private static final int LAST_WAITS = 64;

  /** Neighbours in time among which the message of a request is. */
  private static final int NEIGHBOURS = 16;

  private static final int MOST_MILESTONES = 14;

  private final @Nullable Requests source;
  private final @Nullable Requests destination;
  private final List<Step> steps = new ArrayList<>();

  private Explainer(@Nullable Requests source, @Nullable Requests destination) {
    this.source = source;
    this.destination = destination;
  }

  /**
   * Explains what there is to explain: a wait for what was thrown away, a failure, a wait that
   * lasts too long, or how it went. The headline and the verdict of a migration that has ended are
   * those of its ending; what the events tell stands below.
   *
   * @param source null when it is not here
   * @param destination null when it is not here
   * @param nowNanos {@link System#nanoTime()}, or when the session ended
   * @param ending null while it goes on, or when nobody has said how it ended
   */
  public static Explanation explain(
      @Nullable Requests source,
      @Nullable Requests destination,
      long nowNanos,
      @Nullable Ending ending) {
    var explainer = new Explainer(source, destination);
    if (ending == null) {
      return explainer.explainByEvents(nowNanos);
    }
    if (ending.verdict() != Verdict.FAILED) {
      Explanation course = explainer.explainCourse();
      return new Explanation(
          ending.verdict(), ending.sentence(), course.summary(), course.steps(), course.remedy());
    }
    Explanation dropped = explainer.explainDropped();
    Explanation story = dropped != null ? dropped : explainer.explainFailure();
    return new Explanation(
        Verdict.FAILED,
        ending.sentence(),
        (story.headline() + " " + story.summary()).strip(),
        story.steps(),
        story.remedy());
  }

  private Explanation explainByEvents(long nowNanos) {
    Explanation dropped = explainDropped();
    if (dropped != null) {
      return dropped;
    }
    if (ends().stream().anyMatch(end -> end.telemetry().status() == MigrationStatus.FAILED)) {
      return explainFailure();
    }
    Explanation waiting = explainLongWait(nowNanos);
    return waiting != null ? waiting : explainCourse();
  }

  private List<Requests> ends() {
    var ends = new ArrayList<Requests>();
    if (source != null) {
      ends.add(source);
    }
    if (destination != null) {
      ends.add(destination);
    }
    return ends;
  }

  private @Nullable Requests peerOf(Requests end) {
    return end.role() == Role.SOURCE ? destination : source;
  }

  private static String the(Role role) {
    return role == Role.SOURCE ? "the source" : "the destination";
  }

  private static String capital(String text) {
    return Character.toUpperCase(text.charAt(0)) + text.substring(1);
  }

  private static Role other(Role role) {
    return role == Role.SOURCE ? Role.DESTINATION : Role.SOURCE;
  }

  private void step(Requests end, long nanos, long event, String text) {
    steps.add(new Step(end.role(), nanos, event, capital(text), false));
  }

  private void keyStep(Requests end, long nanos, long event, String text) {
    steps.add(new Step(end.role(), nanos, event, capital(text), true));
  }

  private List<Step> inOrder() {
    steps.sort(Comparator.comparingLong(Step::nanos));
    return List.copyOf(steps);
  }

  // ------------------------------------------------------------------ a completion thrown away

  private @Nullable Explanation explainDropped() {
    for (Requests end : ends()) {
      Waits waits = end.waits();
      long first = Math.max(waits.first(), waits.end() - LAST_WAITS);
      for (long wait = waits.end() - 1; wait >= first; wait--) {
        WorkQueue queue = WorkQueue.of(waits.wrid(wait));
        long request = waits.request(wait);
        if (waits.wrid(wait) != 0
            && !waits.came(wait)
            && end.of(queue).has(request)
            && end.of(queue).dropped(request)) {
          long mark = dropOf(end, queue, request);
          if (mark >= 0) {
            return explainDropped(end, wait, queue, request, mark);
          }
        }
      }
    }
    return null;
  }

  private static long dropOf(Requests end, WorkQueue queue, long request) {
    Marks marks = end.marks();
    for (long mark = marks.end() - 1; mark >= marks.first(); mark--) {
      if (marks.kind(mark) == Marks.Kind.DROPPED
          && marks.queue(mark) == queue
          && marks.request(mark) == request) {
        return mark;
      }
    }
    return -1;
  }

  private Explanation explainDropped(
      Requests end, long wait, WorkQueue queue, long request, long mark) {
    WorkRequests requests = end.of(queue);
    Waits waits = end.waits();
    Marks marks = end.marks();
    String me = the(end.role());
    String it = RequestFacts.name(requests, request);
    step(
        end,
        requests.postedNanos(request),
        requests.postEvent(request),
        me + " posts " + it + " to the " + queue.text() + " queue.");

    long dropping = marks.other(mark);
    boolean known = dropping >= waits.first();
    String wanted = "another completion";
    if (known) {
      WorkQueue wantedQueue = WorkQueue.of(waits.wrid(dropping));
      long wantedRequest = waits.request(dropping);
      if (waits.wrid(dropping) != 0 && end.of(wantedQueue).has(wantedRequest)) {
        wanted = "the completion of " + RequestFacts.name(end.of(wantedQueue), wantedRequest);
        tellWanted(end, dropping, wantedQueue, wantedRequest);
      } else {
        wanted = RequestFacts.wait(end, dropping);
      }
      step(
          end,
          waits.beganNanos(dropping),
          waits.beginEvent(dropping),
          me + " waits for " + wanted + ", and polls whatever completes meanwhile.");
    }
    String message = tellMessage(end, queue, request);
    String named = message.isEmpty() ? it : it + ", which holds " + message + ",";
    long polled = requests.endEvent(request);
    if (polled != marks.event(mark)) {
      step(
          end,
          requests.endedNanos(request),
          polled,
          "the completion of " + named + " is polled before " + wanted + ".");
    }
    keyStep(
        end,
        marks.nanos(mark),
        marks.event(mark),
        "the wait for %s does not want the completion of %s and drops it.".formatted(wanted, it));
    step(
        end,
        waits.beganNanos(wait),
        waits.beginEvent(wait),
        me + " begins to wait for the completion of " + it + ", the one that was dropped.");
    return conclude(end, wait, it, message);
  }

  /** Tells the request that a wait was for, its way to the peer, and its completion. */
  private void tellWanted(Requests end, long dropping, WorkQueue queue, long id) {
    WorkRequests requests = end.of(queue);
    Requests peer = peerOf(end);
    String name = RequestFacts.name(requests, id);
    step(
        end,
        requests.postedNanos(id),
        requests.postEvent(id),
        the(end.role()) + " posts " + name + " to the " + queue.text() + " queue.");
    long sent =
        queue == WorkQueue.SEND
            ? messageOf(end.sent(), id, requests.postedNanos(id))
            : WorkRequests.NONE;
    if (sent >= 0 && peer != null && isPaired() && peer.received().has(sent)) {
      step(
          peer,
          peer.received().nanos(sent),
          peer.received().event(sent),
          RequestFacts.message(end.sent().type(sent)) + " arrives at " + the(peer.role()) + ".");
    }
    if (!requests.isOpen(id)) {
      step(
          end,
          requests.endedNanos(id),
          requests.endEvent(id),
          "the completion of "
              + name
              + " is polled; the wait for it "
              + (end.waits().isOpen(dropping) ? "goes on." : "is over."));
    }
  }

  private boolean isPaired() {
    return new Ladder(source, destination).isPaired();
  }

  /**
   * Tells the message that came in a receive, and how the peer sent it.
   *
   * @return its name, empty when it is not known
   */
  private String tellMessage(Requests end, WorkQueue queue, long request) {
    if (queue == WorkQueue.SEND) {
      return "";
    }
    Requests peer = peerOf(end);
    long number = messageOf(end.received(), request, end.receives().endedNanos(request));
    if (number < 0) {
      return "";
    }
    if (peer == null || !isPaired() || !peer.sent().has(number)) {
      int type = end.received().type(number);
      return type == Messages.UNKNOWN ? "" : RequestFacts.message(type);
    }
    String name = RequestFacts.message(peer.sent().type(number));
    String them = the(peer.role());
    long send = peer.sent().request(number);
    step(
        peer,
        peer.sent().nanos(number),
        peer.sent().event(number),
        them + " posts CONTROL SEND (" + name + ") to its send queue.");
    if (peer.sends().has(send) && !peer.sends().isOpen(send)) {
      step(
          peer,
          peer.sends().endedNanos(send),
          peer.sends().endEvent(send),
          "the completion of this SEND is polled: as far as "
              + them
              + " can tell, "
              + name
              + " has arrived.");
    }
    return name;
  }

  private static long messageOf(Messages messages, long request, long nanos) {
    long first = messages.indexOf(nanos);
    long end = Math.min(messages.end(), first + NEIGHBOURS);
    for (long number = first; number < end; number++) {
      if (messages.request(number) == request) {
        return number;
      }
    }
    return WorkRequests.NONE;
  }

  private Explanation conclude(Requests end, long wait, String it, String message) {
    Requests peer = peerOf(end);
    String me = the(end.role());
    String them = the(other(end.role()));
    long last = end.waits().beganNanos(wait);
    String what = message.isEmpty() ? "the message in it" : message;
    String conclusion =
        me
            + " never handles "
            + what
            + ": a request completes once, and the completion of "
            + it
            + " is gone.";
    if (peer != null && peer.waits().open() >= 0) {
      long theirs = peer.waits().open();
      step(
          peer,
          peer.waits().beganNanos(theirs),
          peer.waits().beginEvent(theirs),
          them + " waits for " + RequestFacts.wait(peer, theirs) + ".");
      last = Math.max(last, peer.waits().beganNanos(theirs));
      conclusion += " So it never answers, and " + them + " waits for ever as well.";
    } else {
      conclusion += " So it never answers " + them + ".";
    }
    List<Step> ordered = new ArrayList<>(inOrder());
    ordered.add(new Step(end.role(), last, -1, capital(conclusion), false));
    boolean open = end.waits().isOpen(wait);
    return new Explanation(
        Verdict.STUCK,
        capital(me)
            + (open ? " waits" : " waited")
            + " for a completion that it has thrown away itself.",
        "Sends and receives share one completion queue there, a wait drops what it does not want,"
            + " and the order of completions of two different queues is not promised: "
            + it
            + " came first.",
        List.copyOf(ordered),
        "Give sends and receives a completion queue each, as QEMU does since version 6.2 (commit"
            + " b390afd8c50b), or keep every completion that a wait polls.");
  }

  // ------------------------------------------------------------------------------- a failure

  private Explanation explainFailure() {
    Requests failed = null;
    long first = -1;
    for (Requests end : ends()) {
      long mark = firstFailure(end.marks(), end);
      if (mark >= 0 && (failed == null || end.marks().nanos(mark) < failed.marks().nanos(first))) {
        failed = end;
        first = mark;
      }
    }
    if (failed == null) {
      return explainEnd();
    }
    WorkQueue queue = failed.marks().queue(first);
    WorkRequests requests = failed.of(queue);
    long id = failed.marks().request(first);
    String name = RequestFacts.name(requests, id);
    String status = requests.status(id).text();
    step(
        failed,
        requests.postedNanos(id),
        requests.postEvent(id),
        the(failed.role()) + " posts " + name + " to the " + queue.text() + " queue.");
    keyStep(
        failed,
        requests.endedNanos(id),
        requests.endEvent(id),
        "it completes with an error: " + status + ".");
    long others = failed.marks().count(Marks.Kind.FAILED) - 1;
    tellFailures();
    return new Explanation(
        Verdict.FAILED,
        name + " of " + the(failed.role()) + " completed with an error: " + status + ".",
        others == 0
            ? "An error ends the queue pair; nothing else was outstanding."
            : "An error ends the queue pair: %s more request%s completed with an error after it."
                .formatted(Format.count(others), others == 1 ? "" : "s"),
        inOrder(),
        advice(requests.status(id)));
  }

  /** The first completion with an error of its own; a flush is only a consequence of one. */
  private static long firstFailure(Marks marks, Requests end) {
    for (long mark = marks.first(); mark < marks.end(); mark++) {
      if (marks.kind(mark) != Marks.Kind.FAILED
          || !end.of(marks.queue(mark)).has(marks.request(mark))) {
        continue;
      }
      if (end.of(marks.queue(mark)).status(marks.request(mark))
          != WorkCompletionStatus.WR_FLUSH_ERR) {
        return mark;
      }
    }
    return -1;
  }

  private static String advice(WorkCompletionStatus status) {
    return switch (status) {
      case RETRY_EXC_ERR -> "The peer's device does not answer: check its host and the link.";
      case RNR_RETRY_EXC_ERR ->
          "The peer had no receive posted in time: look at what it waits for instead.";
      case REM_ACCESS_ERR ->
          "The peer's device refused the access: compare key, address and length with what the"
              + " peer registered.";
      default -> "See the status in the InfiniBand specification, 11.6.2.";
    };
  }

  private Explanation explainEnd() {
    tellFailures();
    tellLastWaits();
    long flushed = ends().stream().mapToLong(end -> end.marks().count(Marks.Kind.FAILED)).sum();
    return new Explanation(
        Verdict.FAILED,
        "No request failed by itself.",
        flushed == 0
            ? "What ended it lies outside of the queues; the steps are the last that is known."
            : "%s request%s outstanding %s flushed when the connection ended."
                .formatted(
                    Format.count(flushed), flushed == 1 ? "" : "s", flushed == 1 ? "was" : "were"),
        inOrder(),
        "");
  }

  private void tellFailures() {
    for (Requests end : ends()) {
      for (Event event : end.milestones()) {
        boolean bad =
            event.kind() == EventKind.CONNECTION
                || event.kind() == EventKind.ASYNC
                || (event.kind() == EventKind.STATUS
                    && event.detail() != MigrationStatus.COMPLETED.ordinal());
        if (bad) {
          steps.add(
              new Step(
                  end.role(),
                  event.nanos(),
                  event.number(),
                  capital(milestone(end, event)),
                  isFatal(event)));
        }
      }
    }
  }

  /** Whether the device says with it that a queue pair, or more, is of no use any more. */
  private static boolean isFatal(Event event) {
    AsyncEventType[] types = AsyncEventType.values();
    return event.kind() == EventKind.ASYNC
        && event.detail() < types.length
        && switch (types[event.detail()]) {
          case COMM_EST, PORT_ACTIVE, PORT_ERR, GID_CHANGE -> false;
          default -> true;
        };
  }

  private void tellLastWaits() {
    for (Requests end : ends()) {
      long wait = end.waits().end() - 1;
      if (wait >= end.waits().first()) {
        step(
            end,
            end.waits().beganNanos(wait),
            end.waits().beginEvent(wait),
            the(end.role()) + " waits for " + RequestFacts.wait(end, wait) + ".");
      }
    }
  }

  // ------------------------------------------------------------------------------ a long wait

  private @Nullable Explanation explainLongWait(long now) {
    Requests waiting = null;
    for (Requests end : ends()) {
      long open = end.waits().open();
      // Before anything is posted, a destination waits for a source, which is what it is for.
      boolean busy = end.sends().end() + end.receives().end() > 0;
      if (open >= 0
          && busy
          && now - end.waits().beganNanos(open) >= LONG_WAIT_NANOS
          && (waiting == null
              || end.waits().beganNanos(open)
                  < waiting.waits().beganNanos(waiting.waits().open()))) {
        waiting = end;
      }
    }
    return waiting == null ? null : explainLongWait(waiting, now);
  }

  private Explanation explainLongWait(Requests end, long now) {
    Waits waits = end.waits();
    long wait = waits.open();
    String me = the(end.role());
    String phrase = RequestFacts.wait(end, wait);
    WorkQueue queue = WorkQueue.of(waits.wrid(wait));
    long request = waits.request(wait);
    if (waits.wrid(wait) != 0 && end.of(queue).has(request)) {
      WorkRequests requests = end.of(queue);
      step(
          end,
          requests.postedNanos(request),
          requests.postEvent(request),
          me + " posts " + RequestFacts.name(requests, request) + ".");
    }
    tellLastMessages(end);
    long oldest = end.sends().oldestOpen();
    if (oldest != WorkRequests.NONE && oldest != request) {
      step(
          end,
          end.sends().postedNanos(oldest),
          end.sends().postEvent(oldest),
          me
              + " posts "
              + RequestFacts.name(end.sends(), oldest)
              + ", the oldest request of its send queue that has not completed.");
    }
    keyStep(
        end,
        waits.beganNanos(wait),
        waits.beginEvent(wait),
        me + " begins to wait for " + phrase + ".");
    return new Explanation(
        Verdict.WAITING,
        "%s has waited for %s for %s."
            .formatted(
                capital(me), phrase, Format.duration(Math.max(0, now - waits.beganNanos(wait)))),
        peerDoes(end, now),
        inOrder(),
        "The waits of the engine have a limit: if nothing comes, the session ends with an error"
            + " that says what it waited for.");
  }

  private void tellLastMessages(Requests end) {
    Requests peer = peerOf(end);
    long sent = end.sent().end() - 1;
    if (end.sent().has(sent)) {
      String name = RequestFacts.message(end.sent().type(sent));
      step(
          end,
          end.sent().nanos(sent),
          end.sent().event(sent),
          the(end.role()) + " sends " + name + ", its last message so far.");
      if (peer != null && isPaired() && peer.received().has(sent)) {
        step(
            peer,
            peer.received().nanos(sent),
            peer.received().event(sent),
            the(peer.role()) + " receives it.");
      }
    }
    long received = end.received().end() - 1;
    if (end.received().has(received)) {
      int type = end.received().type(received);
      step(
          end,
          end.received().nanos(received),
          end.received().event(received),
          the(end.role())
              + " receives "
              + (type == Messages.UNKNOWN ? "a message" : RequestFacts.message(type))
              + ", the last message so far.");
    }
  }

  private String peerDoes(Requests end, long now) {
    Requests peer = peerOf(end);
    String them = capital(the(other(end.role())));
    if (peer == null) {
      return them + " is not in this process: look there what it waits for.";
    }
    long theirs = peer.waits().open();
    if (theirs >= 0) {
      step(
          peer,
          peer.waits().beganNanos(theirs),
          peer.waits().beginEvent(theirs),
          the(peer.role()) + " begins to wait for " + RequestFacts.wait(peer, theirs) + ".");
      return "%s waits, too: for %s.".formatted(them, RequestFacts.wait(peer, theirs));
    }
    if (peer.telemetry().status().isEnd()) {
      return them + " has ended: " + peer.telemetry().status().qemuName() + ".";
    }
    return "%s does not wait; its last event was %s ago."
        .formatted(them, Format.duration(Math.max(0, now - peer.lastNanos())));
  }

  // ------------------------------------------------------------------------------- the course

  private Explanation explainCourse() {
    for (Requests end : ends()) {
      tellMilestones(end);
      tellLongestWait(end);
      tellOvertaking(end);
    }
    Requests leading = source != null ? source : destination;
    if (leading == null) {
      return new Explanation(Verdict.IDLE, "Nothing has happened yet.", "", List.of(), "");
    }
    MigrationStatus status = leading.telemetry().status();
    long all = leading.sends().end() + leading.receives().end();
    if (all == 0 && steps.isEmpty()) {
      return new Explanation(
          Verdict.of(status),
          leading.role() == Role.DESTINATION && status == MigrationStatus.NONE
              ? "The destination listens; no source has connected yet."
              : "Nothing has happened yet.",
          "",
          List.of(),
          "");
    }
    return new Explanation(
        status == MigrationStatus.NONE ? Verdict.RUNNING : Verdict.of(status),
        status.isEnd() ? "The migration ended: " + status.qemuName() + "." : "Running normally.",
        "%s posted %s request%s: %s."
            .formatted(
                capital(the(leading.role())),
                Format.count(all),
                all == 1 ? "" : "s",
                open(leading.sends().openCount(), leading.receives().openCount())),
        inOrder(),
        "");
  }

  /** Receives are posted in advance, so that some of them are open at any time. */
  private static String open(long sends, long receives) {
    String all =
        sends == 0
            ? "all have completed"
            : Format.count(sends)
                + (sends == 1 ? " send or write has" : " sends or writes have")
                + " not completed";
    if (receives == 0) {
      return all;
    }
    return all
        + (sends == 0 ? " but " : "; ")
        + Format.count(receives)
        + (receives == 1 ? " receive" : " receives")
        + (sends == 0 ? ", which " : " ")
        + (receives == 1 ? "stands" : "stand")
        + " ready for messages that may come";
  }

  private void tellMilestones(Requests end) {
    List<Event> all = changes(end.milestones());
    for (int i = 0; i < all.size(); i++) {
      // With many rounds, the first and the last tell most.
      boolean shown =
          i < MOST_MILESTONES / 2
              || i >= all.size() - MOST_MILESTONES / 2
              || all.size() <= MOST_MILESTONES;
      if (shown) {
        Event event = all.get(i);
        step(end, event.nanos(), event.number(), milestone(end, event));
      }
    }
  }

  /** Without those that tell a status once more: an engine tells it at each round. */
  private static List<Event> changes(List<Event> milestones) {
    var changes = new ArrayList<Event>();
    int status = -1;
    for (Event event : milestones) {
      if (event.kind() != EventKind.STATUS) {
        changes.add(event);
      } else if (event.detail() != status) {
        status = event.detail();
        changes.add(event);
      }
    }
    return changes;
  }

  private static String milestone(Requests end, Event event) {
    String me = the(end.role());
    return switch (event.kind()) {
      case STATUS -> me + " is in state " + status(event.detail()) + ".";
      case ROUND_BEGIN ->
          "round " + event.detail() + " begins, with " + Format.bytes(event.argument()) + " dirty.";
      case ROUND_END ->
          "round " + event.detail() + " ends, " + Format.bytes(event.argument()) + " dealt with.";
      case GUEST_PAUSED -> "the guest stands still at " + me + ".";
      case GUEST_RESUMED -> "the guest runs at " + me + ".";
      case CONNECTION ->
          me + " is told of the connection: " + words(ConnectionEvent.Type.values(), event) + ".";
      case ASYNC ->
          "the device of "
              + me
              + " reports an event: "
              + words(AsyncEventType.values(), event)
              + ".";
      default -> event.kind().name();
    };
  }

  private static String status(int ordinal) {
    MigrationStatus[] all = MigrationStatus.values();
    return ordinal < all.length ? all[ordinal].qemuName() : "number " + ordinal;
  }

  private static String words(Enum<?>[] values, Event event) {
    return event.detail() < values.length
        ? values[event.detail()].name().replace('_', ' ')
        : "number " + event.detail();
  }

  private void tellLongestWait(Requests end) {
    Waits waits = end.waits();
    long longest = -1;
    long most = 0;
    for (long wait = waits.first(); wait < waits.end(); wait++) {
      long took = waits.isOpen(wait) ? 0 : waits.endedNanos(wait) - waits.beganNanos(wait);
      // What it waited for before it was connected says nothing of the connection.
      boolean connected = end.receives().end() > 0 && waits.beganNanos(wait) >= firstPost(end);
      if (took > most && connected) {
        most = took;
        longest = wait;
      }
    }
    if (longest >= 0) {
      step(
          end,
          waits.beganNanos(longest),
          waits.beginEvent(longest),
          "%s waits for %s for %s, its longest wait."
              .formatted(the(end.role()), RequestFacts.wait(end, longest), Format.duration(most)));
    }
  }

  private static long firstPost(Requests end) {
    return end.receives().postedNanos(end.receives().first());
  }

  private void tellOvertaking(Requests end) {
    Marks marks = end.marks();
    long count = marks.count(Marks.Kind.RECEIVE_OVERTOOK_SEND);
    for (long mark = marks.first(); count > 0 && mark < marks.end(); mark++) {
      long send = marks.other(mark);
      if (marks.kind(mark) == Marks.Kind.RECEIVE_OVERTOOK_SEND && end.sends().has(send)) {
        step(
            end,
            marks.nanos(mark),
            marks.event(mark),
            "at %s a message is polled before the completion of %s that it answers, the first of %s"
                    .formatted(
                        the(end.role()), RequestFacts.name(end.sends(), send), Format.count(count))
                + "; no completion was dropped for it.");
        return;
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.wridscope.analysis.BothEnds.the;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Explanation.State;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;

/** Explains the course of a migration that runs, or that ended without a failure. */
final class Course {
  /** With more milestones, only the first and the last ones are shown. */
  private static final int MOST_MILESTONES = 14;

  private final BothEnds both;
  private final Steps steps = new Steps();

  private Course(BothEnds both) {
    this.both = both;
  }

  static Explanation explain(BothEnds both) {
    return new Course(both).explain();
  }

  private Explanation explain() {
    if (both.ends().isEmpty()) {
      return nothing(State.IDLE, "Nothing has happened yet.");
    }
    for (Requests end : both.ends()) {
      addMilestones(end);
      addLongestWait(end);
      addOvertaking(end);
      addMet(end);
      steps.addTroubles(end);
    }
    Requests leading = both.ends().getFirst();
    MigrationStatus status = leading.telemetry().status();
    long all = leading.sends().end() + leading.receives().end();
    boolean met = both.ends().stream().anyMatch(end -> MetCompletion.first(end) != null);
    if (all == 0 && steps.isEmpty()) {
      return nothing(
          State.of(status),
          leading.role() == Role.DESTINATION && status == MigrationStatus.NONE
              ? "The destination listens; no source has connected yet."
              : "Nothing has happened yet.");
    }
    return new Explanation(
        status == MigrationStatus.NONE ? State.RUNNING : State.of(status),
        status.isEnd()
            ? "The migration ended with status %s.".formatted(status.qemuName())
            : status == MigrationStatus.PRE_SWITCHOVER
                ? "The source could switch over, and waits for permission."
                : met
                    ? "Nothing is known to be wrong; a wait polled and handled the completion of"
                        + " another request, which is harmless."
                    : leading.unseen().ofPackets()
                        ? "The capture ends while the migration runs; nothing wrong is seen."
                        : "Running normally.",
        posted(leading),
        steps.inOrder(),
        "");
  }

  private static String posted(Requests leading) {
    long posted = leading.sends().postedCount() + leading.receives().postedCount();
    return posted == 0
        ? ""
        : "%s posted %s: %s."
            .formatted(
                Format.capitalized(the(leading.role())),
                Format.counted(posted, "request"),
                open(
                    leading.sends().openCount(),
                    leading.receives().openCount(),
                    leading.sends().knowsOpen()));
  }

  private static Explanation nothing(State state, String headline) {
    return new Explanation(state, headline, "", List.of(), "");
  }

  /** Receives are posted in advance, so some of them are open at any time. */
  private static String open(long sends, long receives, boolean known) {
    String posted =
        "%s posted for %s"
            .formatted(
                receives == 1 ? "is" : "are",
                receives == 1 ? "a future message" : "future messages");
    if (sends > 0) {
      String incomplete =
          "%s %s %s"
              .formatted(
                  sends == 1 ? "1 send or write" : Format.count(sends) + " sends or writes",
                  sends == 1 ? "has" : "have",
                  known ? "not completed" : "no acknowledgement in the capture");
      return receives == 0
          ? incomplete
          : "%s; %s %s".formatted(incomplete, Format.counted(receives, "receive"), posted);
    }
    return receives == 0
        ? "all have completed"
        : "all have completed except %s, which %s"
            .formatted(Format.counted(receives, "receive"), posted);
  }

  private void addMilestones(Requests end) {
    List<Event> all = changes(end.milestones());
    var hidden = new ArrayList<Event>();
    for (int i = 0; i < all.size(); i++) {
      Event event = all.get(i);
      boolean shown =
          i < MOST_MILESTONES / 2
              || i >= all.size() - MOST_MILESTONES / 2
              || all.size() <= MOST_MILESTONES
              || event.kind() == EventKind.OPERATED;
      if (shown) {
        steps.add(end, event.nanos(), event.number(), EventText.milestone(event, end.role()));
      } else {
        hidden.add(event);
      }
    }
    if (!hidden.isEmpty()) {
      Event first = hidden.getFirst();
      steps.add(
          end,
          first.nanos(),
          first.number(),
          "%s of %s follow that only the Log shows, such as rounds."
              .formatted(Format.counted(hidden.size(), "event"), the(end.role())));
    }
  }

  /** The milestones without repetitions of the same status, which an engine sets in each round. */
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

  private void addLongestWait(Requests end) {
    Waits waits = end.waits();
    long longest = -1;
    long most = 0;
    for (long wait = waits.first(); wait < waits.end(); wait++) {
      long took = waits.isOpen(wait) ? 0 : waits.endedNanos(wait) - waits.beganNanos(wait);
      // Waits before the connection was established are not part of the migration.
      boolean connected = end.receives().end() > 0 && waits.beganNanos(wait) >= firstPost(end);
      if (took > most && connected) {
        most = took;
        longest = wait;
      }
    }
    if (longest >= 0) {
      steps.add(
          end,
          waits.beganNanos(longest),
          waits.beginEvent(longest),
          "%s waits for %s for %s, its longest wait."
              .formatted(the(end.role()), RequestFacts.wait(end, longest), Format.duration(most)));
      addActivity(both.peerOf(end), waits.beganNanos(longest) + most / 2);
    }
  }

  /** Adds what the other end did in the middle of a wait. */
  private void addActivity(@Nullable Requests peer, long nanos) {
    Activity activity = peer == null ? null : Activity.at(peer, nanos);
    if (peer != null && activity != null && activity.verb() != null) {
      steps.add(
          peer,
          activity.nanos(),
          activity.event(),
          "meanwhile %s %s.".formatted(the(peer.role()), activity.verb()));
    }
  }

  private static long firstPost(Requests end) {
    return end.receives().postedNanos(end.receives().first());
  }

  /** Adds the first message that a wait for something else met. */
  private void addMet(Requests end) {
    MetCompletion met = MetCompletion.first(end);
    if (met != null) {
      met.addTo(steps);
    }
  }

  private void addOvertaking(Requests end) {
    Marks marks = end.marks();
    long count = marks.count(Marks.Kind.RECEIVE_OVERTOOK_SEND);
    for (long mark = marks.first(); count > 0 && mark < marks.end(); mark++) {
      long send = marks.other(mark);
      if (marks.kind(mark) == Marks.Kind.RECEIVE_OVERTOOK_SEND && end.sends().has(send)) {
        steps.add(
            end,
            marks.nanos(mark),
            marks.event(mark),
            "at %s a message is polled before the completion of %s, which it answers%s; no completion was dropped because of it."
                .formatted(
                    the(end.role()),
                    RequestFacts.name(end.sends(), send),
                    count == 1
                        ? ""
                        : " (the first of %s such cases)".formatted(Format.count(count))));
        return;
      }
    }
  }
}

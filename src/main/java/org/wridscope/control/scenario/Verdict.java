// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EarlyRelease;
import org.wridscope.control.Lab;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.PredictedHarm;
import org.wridscope.control.Session;
import org.wridscope.memory.ChunkTable;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Wait;
import org.wridscope.text.Format;
import org.wridscope.time.Time;

/**
 * The result of checking a migration with both ends in this process against the invariants: exactly
 * one guest runs unless it was lost with its process, it has all of its RAM, every posted send
 * request has completed or was flushed, nothing that a request needs is released before, and no
 * more receive requests are left than the receive queue holds.
 *
 * @param problems a sentence for each problem
 */
public record Verdict(List<String> problems) {
  public Verdict {
    problems = List.copyOf(problems);
  }

  public boolean good() {
    return problems.isEmpty();
  }

  /** Interval at which {@link #await} calls the caller's action. */
  private static final Duration FRAME = Duration.ofMillis(50);

  /**
   * Waits for both ends of a run, up to {@link Scenario#PATIENCE}. Cancels a destination that still
   * waits for a connection when its source has ended.
   *
   * @param meanwhile called repeatedly during the wait
   * @return the verdict; if the run does not end, that it hangs
   */
  public static Verdict await(Scenario scenario, int run, Lab lab, Runnable meanwhile)
      throws InterruptedException {
    await(lab.source(), Scenario.PATIENCE, meanwhile);
    if (lab.source().status().isEnd() && lab.destination().status() == MigrationStatus.NONE) {
      lab.destination().cancel();
    }
    await(lab.destination(), Session.END_PATIENCE, meanwhile);
    PredictedHarm.await(
        List.of(lab.source(), lab.destination()),
        () -> {
          meanwhile.run();
          return true;
        });
    return of(scenario, run, lab);
  }

  /**
   * Waits for the end of a session, in frames: when time passes for all at once, as it may under a
   * schedule, that is one frame, after which the session can go on.
   */
  private static void await(Session session, Duration patience, Runnable meanwhile)
      throws InterruptedException {
    long left = patience.dividedBy(FRAME);
    do {
      meanwhile.run();
      left--;
    } while (!session.await(FRAME) && left > 0);
  }

  /** Checks the invariants. */
  public static Verdict of(Lab lab) {
    var problems = new ArrayList<>(guestAndRequests(lab));
    problems.addAll(sentAgain(lab));
    return new Verdict(problems);
  }

  /** What was released before its request had completed, a sentence for each end. */
  private static List<String> sentAgain(Lab lab) {
    return Stream.of(lab.source(), lab.destination())
        .flatMap(session -> Stream.ofNullable(EarlyRelease.finding(session.telemetry())))
        .toList();
  }

  private static String waitingFor(Session session) {
    Wait what = session.telemetry().waitingFor();
    return what == null ? "nothing" : what.text();
  }

  private static List<String> guestAndRequests(Lab lab) {
    var problems = new ArrayList<String>();
    for (Throwable defect : Time.takeDefects()) {
      problems.add("This program made an error: " + defect);
    }
    Session source = lab.source();
    Session destination = lab.destination();
    if (!source.status().isEnd() || !destination.status().isEnd()) {
      problems.add(
          "The migration hangs: the source is '%s' and the destination '%s', waiting for %s and %s."
              .formatted(
                  source.status().qemuName(),
                  destination.status().qemuName(),
                  waitingFor(source),
                  waitingFor(destination)));
      return problems;
    }
    if (source.guestRunning() && destination.guestRunning()) {
      problems.add("Both guests run.");
    }
    Optional<Session.Kill> sourceKilled = source.killed();
    Optional<Session.Kill> destinationKilled = destination.killed();
    if (sourceKilled.isPresent() || destinationKilled.isPresent()) {
      problems.addAll(afterKill(lab, sourceKilled.orElse(null), destinationKilled.orElse(null)));
    } else if (!source.guestRunning()
        && !destination.guestRunning()
        && !source.guestStopped()
        && !destination.guestStopped()
        // A guest may have been shut down after the end to free its memory for another migration.
        && source.guestFate() == null
        && destination.guestFate() == null
        && source.status() != MigrationStatus.UNDECIDED) {
      problems.add("Neither guest runs.");
    }
    if (source.status() == MigrationStatus.COMPLETED && source.guestRunning()) {
      problems.add("The source completed, but its guest still runs.");
    }
    // Compared here, because the ends cannot compare if the connection broke after switch-over.
    Map<String, String> sent = source.report().digests().source();
    Map<String, String> arrived = destination.report().digests().destination();
    if (!sent.isEmpty() && !arrived.isEmpty() && !sent.equals(arrived)) {
      problems.add("The RAM at the destination differs from the RAM at the source.");
    }
    for (Session session : List.of(source, destination)) {
      if (session.killed().isEmpty()) {
        checkRequests(session, problems);
      }
    }
    return problems;
  }

  /**
   * Where the guest must be, and must not be, after the process of an end was killed. It may be
   * lost with the process that had it.
   */
  private static List<String> afterKill(
      Lab lab, Session.@Nullable Kill ofSource, Session.@Nullable Kill ofDestination) {
    List<String> problems = new ArrayList<>();
    boolean destinationRan = ofDestination != null && ofDestination.guestRan();
    if (ofSource != null) {
      boolean atDestination =
          lab.destination().guestRunning() || lab.destination().guestStopped() || destinationRan;
      if (ofSource.guestRan() && atDestination) {
        problems.add(
            "The source was killed while its guest ran, but the destination runs it, too.");
      }
      if (ofSource.handedOver() && !atDestination) {
        problems.add("The source had handed the guest over, but the destination does not run it.");
      }
    } else {
      boolean atSource = lab.source().guestRunning() || lab.source().guestStopped();
      MigrationStatus end = lab.source().status();
      if (destinationRan && atSource) {
        problems.add(
            "The destination was killed while it ran the guest, but the source runs it, too.");
      }
      if (!destinationRan && end == MigrationStatus.COMPLETED) {
        problems.add(
            "The source completed, but the destination was killed before it ran the guest.");
      }
      if (end != MigrationStatus.COMPLETED && end != MigrationStatus.UNDECIDED && !atSource) {
        problems.add("The destination was killed, and the source does not run its guest.");
      }
    }
    return problems;
  }

  /**
   * Whether the migration failed after a wait of one end had dropped a completion. The guest may
   * have been handed over before: then it is the confirmation that failed.
   */
  private static boolean hung(Lab lab) {
    return dropped(lab) > 0
        && (lab.source().status() == MigrationStatus.FAILED || unconfirmed(lab) != null);
  }

  /** A sentence if it did not complete after a wait had dropped a completion; null if not so. */
  public static @Nullable String hang(Lab lab) {
    long dropped = dropped(lab);
    if (dropped == 0) {
      return null;
    }
    String unconfirmed = unconfirmed(lab);
    return unconfirmed != null
        ? "It was not confirmed after waits had dropped completions (%s): %s"
            .formatted(Format.count(dropped), unconfirmed)
        : lab.source().status() != MigrationStatus.COMPLETED
            ? "It did not complete after waits had dropped completions (%s): %s"
                .formatted(Format.count(dropped), lab.source().outcome())
            : null;
  }

  /**
   * What the ends say of a guest that was handed over, but of which an end that was not killed does
   * not know that it arrived whole; null if both know, or cannot.
   */
  private static @Nullable String unconfirmed(Lab lab) {
    if (lab.source().status() != MigrationStatus.COMPLETED || isKilled(lab)) {
      return null;
    }
    return lab.destination().status() != MigrationStatus.COMPLETED
        ? "the destination says: " + lab.destination().outcome()
        : Stream.of(lab.source(), lab.destination())
            .filter(session -> !session.report().isConfirmed())
            .map(session -> "the %s says: %s".formatted(session.role().text(), session.outcome()))
            .findFirst()
            .orElse(null);
  }

  private static boolean isKilled(Lab lab) {
    return lab.source().killed().isPresent() || lab.destination().killed().isPresent();
  }

  private static long dropped(Lab lab) {
    return Stream.of(lab.source(), lab.destination())
        .mapToLong(session -> session.telemetry().metrics().get(Metric.COMPLETIONS_DROPPED))
        .sum();
  }

  /** A sentence about the requests of the virtio devices, of either end; empty if none has it. */
  private static String virtio(
      Lab lab, Function<MigrationReport.Virtio, @Nullable String> sentence) {
    return Stream.of(lab.source(), lab.destination())
        .map(session -> session.report().virtio())
        .flatMap(virtio -> Stream.ofNullable(virtio == null ? null : sentence.apply(virtio)))
        .findFirst()
        .orElse("");
  }

  private static void checkVirtio(Lab lab, Expectation expected, List<String> problems) {
    String found = virtio(lab, MigrationReport.Virtio::finding);
    String met = virtio(lab, MigrationReport.Virtio::observed);
    if (!found.isEmpty() && expected.virtio().isEmpty()) {
      problems.add(found);
    } else if (!found.contains(expected.virtio()) && !expected.isAnyEnd()) {
      problems.add(
          "The check of the virtio requests should have found \"%s\", but found %s."
              .formatted(expected.virtio(), found.isEmpty() ? "nothing" : '"' + found + '"'));
    }
    if (!met.contains(expected.driver()) && !expected.isAnyEnd()) {
      problems.add(
          "A driver should have met \"%s\", but met %s."
              .formatted(expected.driver(), met.isEmpty() ? "nothing" : '"' + met + '"'));
    }
  }

  private static void checkRequests(Session session, List<String> problems) {
    String who = session.role().text();
    Metrics metrics = session.telemetry().metrics();
    for (ChunkTable table : session.telemetry().blocks()) {
      for (int chunk = 0; chunk < table.chunkCount(); chunk++) {
        if (table.inTransit(chunk) != 0) {
          problems.add(
              "At the %s, %d writes of %s chunk %d are still in transit."
                  .formatted(who, table.inTransit(chunk), table.name(), chunk));
          return;
        }
      }
    }
    checkAll(
        who,
        "writes",
        metrics.get(Metric.WRITES_POSTED),
        metrics.get(Metric.WRITES_COMPLETED),
        problems);
    checkAll(
        who,
        "sends",
        metrics.get(Metric.SENDS_POSTED),
        metrics.get(Metric.SENDS_COMPLETED),
        problems);
    long posted = metrics.get(Metric.RECEIVES_POSTED);
    long completed = metrics.get(Metric.RECEIVES_COMPLETED);
    long room = metrics.get(Metric.RECEIVE_QUEUE_DEPTH);
    if (posted < completed || posted - completed > room) {
      problems.add(
          "At the %s, %d receives were posted and %d completed; the queue holds %d."
              .formatted(who, posted, completed, room));
    }
  }

  private static void checkAll(
      String who, String what, long posted, long completed, List<String> problems) {
    if (posted != completed) {
      problems.add(
          "At the %s, %d %s were posted and %d completed.".formatted(who, posted, what, completed));
    }
  }

  /** Whether the expected text applies: not to a success, if failures are allowed, too. */
  private static boolean textApplies(MigrationStatus status, Expectation expected) {
    return status != MigrationStatus.COMPLETED || expected.statuses().size() == 1;
  }

  /** Checks the invariants and the expectation of a scenario. */
  public static Verdict of(Scenario scenario, int run, Lab lab) {
    var problems = new ArrayList<>(guestAndRequests(lab));
    Expectation expected = scenario.expectation(run);
    MigrationStatus status = lab.source().status();
    if (expected.hang() == Expectation.Hang.ALLOWED && hung(lab)) {
      return new Verdict(problems);
    }
    String hang = hang(lab);
    if (expected.hang() == Expectation.Hang.FORBIDDEN && hang != null) {
      problems.add(hang);
      return new Verdict(problems);
    }
    String outcome = String.valueOf(lab.source().outcome());
    if (!expected.statuses().contains(status)) {
      problems.add(
          "The source ended '%s' instead of '%s'."
              .formatted(
                  status.qemuName(),
                  expected.statuses().stream()
                      .map(MigrationStatus::qemuName)
                      .sorted()
                      .collect(Collectors.joining("' or '"))));
    } else if (textApplies(status, expected) && !outcome.contains(expected.says())) {
      problems.add(
          "The source's outcome \"%s\" does not contain \"%s\"."
              .formatted(outcome, expected.says()));
    }
    String unconfirmed = unconfirmed(lab);
    if (unconfirmed != null && expected.isCompletionOnly()) {
      problems.add("The migration was not confirmed: " + unconfirmed);
    }
    long number = lab.source().telemetry().metrics().get(Metric.QUEUE_PAIR_NUMBER);
    if (expected.queuePair() != 0 && number != expected.queuePair()) {
      problems.add(
          "The source's queue pair had the number %d instead of %d."
              .formatted(number, expected.queuePair()));
    }
    String released = String.join(" ", sentAgain(lab));
    if (!released.isEmpty() && expected.sentAgain().isEmpty()) {
      problems.add(released);
    } else if (!released.contains(expected.sentAgain()) && !expected.isAnyEnd()) {
      problems.add(
          "The check of requests that were sent again should have found \"%s\", but found %s."
              .formatted(
                  expected.sentAgain(), released.isEmpty() ? "nothing" : '"' + released + '"'));
    }
    checkVirtio(lab, expected, problems);
    return new Verdict(problems);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
import org.wridscope.time.Time;

/**
 * The result of checking a migration with both ends in this process against the invariants: exactly
 * one guest runs, it has all of its RAM, every posted send request has completed or was flushed,
 * nothing that a request needs is released before, and no more receive requests are left than the
 * receive queue holds.
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
    long end = Time.nanos() + Scenario.PATIENCE.toNanos();
    do {
      meanwhile.run();
    } while (!lab.source().await(FRAME) && Time.nanos() < end);
    if (lab.source().status().isEnd() && lab.destination().status() == MigrationStatus.NONE) {
      lab.destination().cancel();
    }
    boolean _ = lab.destination().await(Session.END_PATIENCE);
    PredictedHarm.await(
        List.of(lab.source(), lab.destination()),
        () -> {
          meanwhile.run();
          return true;
        });
    return of(scenario, run, lab);
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

  private static List<String> guestAndRequests(Lab lab) {
    var problems = new ArrayList<String>();
    Session source = lab.source();
    Session destination = lab.destination();
    if (!source.status().isEnd() || !destination.status().isEnd()) {
      problems.add(
          "The migration hangs: the source is '%s' and the destination '%s', waiting for %s and %s."
              .formatted(
                  source.status().qemuName(),
                  destination.status().qemuName(),
                  source.telemetry().waitingFor(),
                  destination.telemetry().waitingFor()));
      return problems;
    }
    if (source.guestRunning() && destination.guestRunning()) {
      problems.add("Both guests run.");
    }
    if (!source.guestRunning()
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
      checkRequests(session, problems);
    }
    return problems;
  }

  /** Whether the migration failed after a wait of one end had dropped a completion. */
  private static boolean hung(Lab lab) {
    return lab.source().status() == MigrationStatus.FAILED
        && Stream.of(lab.source(), lab.destination())
            .anyMatch(session -> session.telemetry().metrics().get(Metric.COMPLETIONS_DROPPED) > 0);
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
    } else if (!found.contains(expected.virtio())) {
      problems.add(
          "The check of the virtio requests should have found \"%s\", but found %s."
              .formatted(expected.virtio(), found.isEmpty() ? "nothing" : '"' + found + '"'));
    }
    if (!met.contains(expected.driver())) {
      problems.add(
          "A driver should have met \"%s\", but met %s."
              .formatted(expected.driver(), met.isEmpty() ? "nothing" : '"' + met + '"'));
    }
  }

  private static void checkRequests(Session session, List<String> problems) {
    String who = session.role().name().toLowerCase(Locale.ROOT);
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
    if (expected.mayHang() && hung(lab)) {
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
    long number = lab.source().telemetry().metrics().get(Metric.QUEUE_PAIR_NUMBER);
    if (expected.queuePair() != 0 && number != expected.queuePair()) {
      problems.add(
          "The source's queue pair had the number %d instead of %d."
              .formatted(number, expected.queuePair()));
    }
    String released = String.join(" ", sentAgain(lab));
    if (!released.isEmpty() && expected.sentAgain().isEmpty()) {
      problems.add(released);
    } else if (!released.contains(expected.sentAgain())) {
      problems.add(
          "The check of requests that were sent again should have found \"%s\", but found %s."
              .formatted(
                  expected.sentAgain(), released.isEmpty() ? "nothing" : '"' + released + '"'));
    }
    checkVirtio(lab, expected, problems);
    return new Verdict(problems);
  }
}

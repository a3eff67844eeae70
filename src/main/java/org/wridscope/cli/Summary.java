// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Finding;
import org.wridscope.control.MigrationReport;
import org.wridscope.figures.Figure;
import org.wridscope.telemetry.DowntimePart;
import org.wridscope.text.Format;

/** The results of a migration as lines of text. */
final class Summary {
  private static final int DIGEST_DIGITS = 16;

  private Summary() {}

  /**
   * The lines below the headline.
   *
   * @param session report of the source, if both ends are in this process
   * @param destination report of the destination; null if only one end is in this process
   */
  static List<String> lines(MigrationReport session, @Nullable MigrationReport destination) {
    List<String> lines = new ArrayList<>();
    MigrationReport.Ram ram = session.ram();
    if (session.totalTime() > 0) {
      line(
          lines,
          "total time",
          milliseconds(session.totalTime())
              + (session.setupTime() == 0
                  ? ""
                  : ", including set-up " + milliseconds(session.setupTime()))
              + (session.heldTime() == null
                  ? ""
                  : ", held before the switch-over for " + milliseconds(session.heldTime())));
    }
    Long downtime = session.downtime();
    if (downtime != null) {
      line(lines, "downtime", milliseconds(downtime) + phases(session.downtimePhases()));
    }
    // Captured packets do not tell the rounds.
    if (session.role().equals("source") && (ram.dirtySyncCount() > 0 || ram.transferred() > 0)) {
      throughput(lines, ram);
      sent(lines, ram);
    } else {
      line(lines, "RAM", "%s, rounds: %s".formatted(Format.bytes(ram.total()), rounds(ram)));
    }
    line(lines, "RAM in use", memory(session));
    if (destination != null) {
      line(lines, "", destination.role() + ": " + memory(destination));
    }
    completions(lines, session, destination);
    registrations(lines, session.registrations());
    digests(lines, session.digests());
    virtio(lines, session, destination);
    reports(session, destination).stream()
        .flatMap(report -> Stream.ofNullable(report.releasedEarly()))
        .forEach(sentence -> line(lines, "sent again", sentence));
    machines(lines, session, destination);
    unconfirmed(session, destination).forEach(sentence -> line(lines, "not confirmed", sentence));
    reports(session, destination).stream()
        .flatMap(report -> Stream.ofNullable(report.turnedAway()))
        .forEach(callers -> line(lines, "turned away", callers.sentence()));
    if (session.eventsLeftOut() > 0) {
      line(lines, "monitoring", Format.count(session.eventsLeftOut()) + " events left out");
    }
    return lines;
  }

  /**
   * Lines for warnings and errors, without repetitions.
   *
   * @param destination empty if only one end is in this process
   */
  static List<String> lines(List<Finding> session, List<Finding> destination) {
    List<String> lines = new ArrayList<>();
    Stream.concat(session.stream(), destination.stream())
        .filter(finding -> finding.severity() != Finding.Severity.INFO)
        .map(finding -> (finding.title() + ": " + finding.seen() + " " + finding.advice()).strip())
        .distinct()
        .forEach(text -> line(lines, "finding", text));
    return lines;
  }

  private static String memory(MigrationReport report) {
    return "%s; never touched: %s"
        .formatted(report.hostMemory().inUse(), report.hostMemory().neverTouched());
  }

  /** Only a source knows this: a destination is not notified of writes to its memory. */
  private static void sent(List<String> lines, MigrationReport.Ram ram) {
    line(
        lines,
        "RAM",
        "%s; %s on the wire; %s left"
            .formatted(
                Format.bytes(ram.total()),
                Format.bytes(ram.transferred()),
                Format.bytes(ram.remaining())));
    line(
        lines,
        "pages",
        "%s normal, %s duplicate (zero); rounds: %s"
            .formatted(Format.count(ram.normal()), Format.count(ram.duplicate()), rounds(ram)));
  }

  private static String rounds(MigrationReport.Ram ram) {
    return ram.dirtySyncCount() == 0 ? "not known" : Format.count(ram.dirtySyncCount());
  }

  private static void throughput(List<String> lines, MigrationReport.Ram ram) {
    Long pages = ram.pagesPerSecond();
    Double wire = ram.mbps();
    if (pages != null && wire != null) {
      line(
          lines,
          Figure.PROCESSED_RATE.title(),
          String.format(
              Locale.ROOT,
              "%s; %,.0f Mbit/s on the wire",
              Figure.PROCESSED_RATE.text(pages * ram.pageSize()),
              wire));
    }
  }

  private static void registrations(
      List<String> lines, MigrationReport.@Nullable Registrations registrations) {
    if (registrations == null) {
      line(lines, "registrations", Figure.NOT_KNOWN);
      return;
    }
    line(
        lines,
        "registrations",
        "%s at the peak, %s in total, %s; round trips: %s"
            .formatted(
                Format.count(registrations.peak()),
                Format.count(registrations.total()),
                Format.bytes(registrations.bytes()),
                Format.count(registrations.roundTrips())));
    if (registrations.unregistered() > 0 || registrations.hinted() > 0) {
      line(
          lines,
          "unregistered",
          "%s before the end; postponed: %s; hints: %s"
              .formatted(
                  Format.count(registrations.unregistered()),
                  Format.count(registrations.deferred()),
                  Format.count(registrations.hinted())));
    }
  }

  /** Guests in other processes, and how the writes of the one at the source were found. */
  private static void machines(
      List<String> lines, MigrationReport session, @Nullable MigrationReport destination) {
    String label = "guest in";
    for (MigrationReport report : reports(session, destination)) {
      MigrationReport.Machine machine = report.machine();
      if (machine != null) {
        line(lines, label, "%s: %s".formatted(report.role(), machine.place()));
        label = "";
        MigrationReport.DirtyLog log = machine.dirtyLog();
        if (log != null) {
          line(lines, label, "writes were found by " + log.text());
        }
      }
    }
  }

  /** A sentence for each thing that could not be confirmed, without repetitions. */
  private static List<String> unconfirmed(
      MigrationReport session, @Nullable MigrationReport destination) {
    return reports(session, destination).stream()
        .flatMap(report -> report.unconfirmed().stream())
        .distinct()
        .toList();
  }

  private static void digests(List<String> lines, MigrationReport.Digests digests) {
    int width = digests.source().keySet().stream().mapToInt(String::length).max().orElse(0);
    String label = "digests";
    for (Map.Entry<String, String> block : digests.source().entrySet()) {
      String name = block.getKey();
      line(
          lines,
          label,
          name
              + " ".repeat(width - name.length() + 1)
              + comparison(block.getValue(), digests.destination().get(name)));
      label = "";
    }
  }

  /** Those of both ends where the destination dropped some, or some of it failed. */
  private static void completions(
      List<String> lines, MigrationReport session, @Nullable MigrationReport destination) {
    MigrationReport.Completions completions = session.completions();
    line(lines, "completions", completions == null ? Figure.NOT_KNOWN : completions(completions));
    MigrationReport.Completions there = destination == null ? null : destination.completions();
    if (destination != null && there != null && (there.dropped() > 0 || there.failed() > 0)) {
      line(lines, "", destination.role() + ": " + completions(there));
    }
  }

  private static String completions(MigrationReport.Completions completions) {
    MigrationReport.Completions.Queue shared = completions.shared();
    String queues =
        "send queue %s, receive queue %s"
            .formatted(queue(completions.send()), queue(completions.receive()));
    return (shared == null ? queues : "shared queue %s (%s)".formatted(queue(shared), queues))
        + ", failed "
        + Format.count(completions.failed())
        + (completions.dropped() == 0 ? "" : ", dropped " + Format.count(completions.dropped()))
        + (completions.met() == 0
            ? ""
            : ", handled by another wait without harm " + Format.count(completions.met()));
  }

  private static void virtio(
      List<String> lines, MigrationReport session, @Nullable MigrationReport destination) {
    String label = "virtio";
    for (MigrationReport report : reports(session, destination)) {
      MigrationReport.Virtio virtio = report.virtio();
      if (virtio != null) {
        String finding = virtio.finding();
        String observed = virtio.observed();
        if (finding == null) {
          line(
              lines,
              label,
              "%s: %s requests completed, each once; %s in flight"
                  .formatted(
                      report.role(),
                      Format.count(virtio.completed()),
                      Format.count(virtio.inFlight())));
        } else {
          String predicted = virtio.predicted();
          line(
              lines,
              label,
              "%s, predicted: %s"
                  .formatted(report.role(), predicted == null ? "nothing" : predicted));
          line(
              lines,
              "",
              "%s, noticed by a driver: %s"
                  .formatted(report.role(), observed == null ? "nothing so far" : observed));
        }
        label = "";
      }
    }
  }

  private static List<MigrationReport> reports(
      MigrationReport session, @Nullable MigrationReport destination) {
    return destination == null ? List.of(session) : List.of(session, destination);
  }

  private static String comparison(String source, @Nullable String destination) {
    if (destination == null) {
      return shortened(source) + ", that of the destination is not known";
    }
    return source.equals(destination)
        ? shortened(source) + " at both ends"
        : shortened(source) + ", but at the destination " + shortened(destination);
  }

  private static String shortened(String digest) {
    return digest.length() <= DIGEST_DIGITS ? digest : digest.substring(0, DIGEST_DIGITS) + "...";
  }

  private static String queue(MigrationReport.Completions.Queue queue) {
    return queue.completed() == queue.posted()
        ? Format.count(queue.completed())
        : "%s of %s".formatted(Format.count(queue.completed()), Format.count(queue.posted()));
  }

  private static String phases(Map<DowntimePart, Double> phases) {
    return phases.isEmpty()
        ? ""
        : phases.entrySet().stream()
            .map(phase -> phase.getKey().text() + " " + milliseconds(phase.getValue()))
            .collect(Collectors.joining(", ", " (", ")"));
  }

  private static String milliseconds(long milliseconds) {
    return Format.duration(TimeUnit.MILLISECONDS.toNanos(milliseconds));
  }

  private static String milliseconds(double milliseconds) {
    return Format.duration(Math.round(milliseconds * TimeUnit.MILLISECONDS.toNanos(1)));
  }

  private static void line(List<String> lines, String label, String text) {
    lines.add("  %-14s %s".formatted(label, text));
  }
}

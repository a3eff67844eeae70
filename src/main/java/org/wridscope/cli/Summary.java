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
import org.wridscope.control.MigrationReport;
import org.wridscope.telemetry.Format;

/** The result of a migration for people: one line for each thing that they ask about. */
final class Summary {
  private static final int DIGEST_DIGITS = 16;

  private Summary() {}

  /** The lines below the headline. */
  static List<String> lines(MigrationReport source, MigrationReport destination) {
    List<String> lines = new ArrayList<>();
    MigrationReport.Ram ram = source.ram();
    line(
        lines,
        "total time",
        "%s, of that set-up %s"
            .formatted(milliseconds(source.totalTime()), milliseconds(source.setupTime())));
    Long downtime = source.downtime();
    if (downtime != null) {
      line(lines, "downtime", milliseconds(downtime) + phases(source.downtimePhases()));
    }
    double bytesPerSecond = ram.mbps() * 1e6 / 8;
    line(
        lines,
        "throughput",
        String.format(Locale.ROOT, "%s, %,.0f Mbit/s", Format.rate(bytesPerSecond), ram.mbps()));
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
        "%s normal, %s duplicate (zero); rounds: %d"
            .formatted(
                Format.count(ram.normal()), Format.count(ram.duplicate()), ram.dirtySyncCount()));
    line(
        lines,
        "completions",
        "send queue %s, receive queue %s, failed %s"
            .formatted(
                queue(source.completions().send()),
                queue(source.completions().receive()),
                Format.count(source.completions().failed())));
    line(
        lines,
        "registrations",
        "%s at the peak, %s in total, %s; round trips: %s"
            .formatted(
                Format.count(source.registrations().peak()),
                Format.count(source.registrations().total()),
                Format.bytes(source.registrations().bytes()),
                Format.count(source.registrations().roundTrips())));
    digests(lines, source.digests());
    unconfirmed(source, destination).forEach(sentence -> line(lines, "not confirmed", sentence));
    if (source.eventsLeftOut() > 0) {
      line(lines, "monitoring", Format.count(source.eventsLeftOut()) + " events left out");
    }
    return lines;
  }

  /** What could not be confirmed, a sentence each, the same one only once. */
  private static List<String> unconfirmed(MigrationReport source, MigrationReport destination) {
    return Stream.of(source, destination)
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

  private static String comparison(String source, @Nullable String destination) {
    if (destination == null) {
      return shortened(source) + ", the destination's is not known";
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

  private static String phases(Map<String, Double> phases) {
    return phases.isEmpty()
        ? ""
        : phases.entrySet().stream()
            .map(phase -> phase.getKey() + " " + milliseconds(phase.getValue()))
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

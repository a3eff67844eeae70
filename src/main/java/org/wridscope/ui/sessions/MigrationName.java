// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;

/** What a migration is called, and what tells it apart from others of the same ends. */
final class MigrationName {
  private static final Pattern NUMBER = Pattern.compile("\\d+$");

  private MigrationName() {}

  /**
   * The title of a scenario's run with its number; otherwise from where to where the guest goes, as
   * far as that is known: {@code QEMU 4711 to QEMU 4712}, {@code web1 to hostB}.
   *
   * @param scenario the title of the scenario of which it is a run; null if it is none
   */
  static String of(SessionPair pair, @Nullable String scenario) {
    String own = common(pair);
    if (scenario != null) {
      Matcher number = NUMBER.matcher(own);
      return number.find() ? "%s (%s)".formatted(scenario, number.group()) : scenario;
    }
    Session leading = pair.leading();
    if (!leading.migrates() || leading.recorded().isPresent()) {
      return own;
    }
    Optional<String> from = machine(pair.source());
    Optional<String> to = machine(pair.destination());
    if (from.isPresent() && to.isPresent()) {
      return "%s to %s".formatted(from.get(), to.get());
    }
    String subject = (pair.source() == null ? to : from).orElse(own);
    String link = pair.source() == null ? "%s at %s" : "%s to %s";
    return leading.host().map(host -> link.formatted(subject, host)).orElse(subject);
  }

  /** The RAM and the limits of a migration, as far as they are known; empty before that. */
  static String limits(SessionPair pair) {
    if (!pair.leading().migrates()) {
      return "";
    }
    Metrics metrics = pair.leading().telemetry().metrics();
    List<String> parts = new ArrayList<>();
    if (metrics.get(Metric.RAM_TOTAL) > 0) {
      parts.add(Format.bytes(metrics.get(Metric.RAM_TOTAL)));
    }
    if (pair.leading().role() == Role.SOURCE) {
      long rate = metrics.get(Metric.BANDWIDTH_LIMIT);
      long pause = metrics.get(Metric.DOWNTIME_LIMIT);
      parts.add(rate > 0 ? "≤ %s".formatted(Format.rate(rate)) : "");
      parts.add(pause > 0 ? "≤ %s".formatted(Format.duration(pause)) : "");
    }
    parts.removeIf(String::isEmpty);
    return String.join(" · ", parts);
  }

  /** A machine whose process is known; the others are named by their addresses, which are long. */
  private static Optional<String> machine(@Nullable Session session) {
    return Optional.ofNullable(session)
        .flatMap(Session::machine)
        .filter(machine -> !machine.name().endsWith(machine.qmp()))
        .map(MigrationReport.Machine::name);
  }

  /** What the names of both ends begin with; both names if that is nothing. */
  private static String common(SessionPair pair) {
    String name = pair.leading().name();
    if (pair.source() == null || pair.destination() == null) {
      return name;
    }
    String common = name;
    while (!pair.destination().name().startsWith(common)) {
      common = common.substring(0, common.length() - 1);
    }
    // The common part of file names may end with a separator.
    common = common.replaceFirst("[\\s.:_-]+$", "");
    return common.isEmpty() ? "%s to %s".formatted(name, pair.destination().name()) : common;
  }
}

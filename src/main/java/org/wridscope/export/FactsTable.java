// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Recorded;
import org.wridscope.control.Session;
import org.wridscope.telemetry.Banner;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;

/** Writes identity and settings of the sessions, one column for each end, and the digests. */
final class FactsTable {
  private final Html html;
  private final List<EndReading> ends;

  private FactsTable(Html html, List<EndReading> ends) {
    this.html = html;
    this.ends = ends;
  }

  static void write(Html html, List<EndReading> ends) throws IOException {
    var table = new FactsTable(html, ends);
    table.sessions();
    table.digests();
  }

  private void sessions() throws IOException {
    html.open("div", "class", "scroll").open("table", "class", "facts");
    html.open("thead").open("tr").element("th", "", "scope", "col");
    for (EndReading end : ends) {
      html.element("th", end.end(), "scope", "col");
    }
    html.close().close().open("tbody");
    for (String fact : facts(ends.getFirst()).keySet()) {
      List<@Nullable String> values =
          ends.stream().<@Nullable String>map(end -> facts(end).get(fact)).toList();
      if (values.stream().anyMatch(value -> value != null && !value.isEmpty())) {
        html.open("tr").element("th", fact, "scope", "row");
        for (String value : values) {
          html.element("td", value == null ? "" : value);
        }
        html.close();
      }
    }
    html.close().close().close();
  }

  private static Map<String, String> facts(EndReading end) {
    Session session = end.session();
    MigrationReport report = end.report();
    var facts = new LinkedHashMap<String, String>();
    facts.put("name", EndReading.nameOf(session));
    facts.put("recorded in", session.recorded().map(Recorded::file).orElse(""));
    facts.put("URI", session.uri());
    facts.put("device", session.device());
    Banner banner = session.telemetry().banner();
    facts.put("device and route", banner == null ? "" : EventText.banner(banner));
    facts.put("why this device", session.deviceReason());
    facts.put("peer", report.peer() == null ? "not known" : report.peer());
    facts.put("status", session.status().qemuName());
    facts.put("schedule", report.schedule() == null ? "" : report.schedule());
    if (session.tellsGuest()) {
      facts.put("guest", session.guestPlace());
      facts.put("memory", report.pinAll() ? "pinned whole" : "registered chunk by chunk");
    }
    facts.put("dirty log", dirtyLog(report.machine()));
    facts.put("bandwidth limit", limit(end, Metric.BANDWIDTH_LIMIT));
    facts.put("downtime limit", limit(end, Metric.DOWNTIME_LIMIT));
    facts.put("completion queue", queues(end));
    facts.put("send queue depth", limit(end, Metric.SEND_QUEUE_DEPTH));
    facts.put("receive queue depth", limit(end, Metric.RECEIVE_QUEUE_DEPTH));
    facts.put(
        "registrations",
        "%s in total, %s at the peak, %s"
            .formatted(
                Format.count(report.registrations().total()),
                Format.count(report.registrations().peak()),
                Format.bytes(report.registrations().bytes())));
    facts.put("round trips for keys", Format.count(report.registrations().roundTrips()));
    virtio(report.virtio(), facts);
    facts.put("set-up", Format.duration(TimeUnit.MILLISECONDS.toNanos(report.setupTime())));
    facts.put("held before the switch-over", limit(end, Metric.HELD_TIME));
    facts.put("events missing here", Format.count(end.requests().missed()));
    MigrationReport.TurnedAway callers = report.turnedAway();
    facts.put("turned away", callers == null ? "" : callers.sentence());
    facts.put("not confirmed", String.join(" ", report.unconfirmed()));
    return facts;
  }

  /** Only of a source whose guest is in another process. */
  private static String dirtyLog(MigrationReport.@Nullable Machine machine) {
    MigrationReport.DirtyLog log = machine == null ? null : machine.dirtyLog();
    return log == null ? "" : log.text();
  }

  private static void virtio(MigrationReport.@Nullable Virtio virtio, Map<String, String> facts) {
    if (virtio == null) {
      facts.put("virtio requests", "");
      facts.put("predicted for a virtio request", "");
      facts.put("noticed by a virtio driver", "");
      return;
    }
    String predicted = virtio.predicted();
    String met = virtio.observed();
    facts.put(
        "virtio requests",
        "%s completed, %s in flight; map changes: %s, resets: %s"
            .formatted(
                Format.count(virtio.completed()),
                Format.count(virtio.inFlight()),
                Format.count(virtio.mapChanges()),
                Format.count(virtio.resets())));
    facts.put("predicted for a virtio request", predicted == null ? "" : predicted);
    facts.put(
        "noticed by a virtio driver",
        met != null ? met : predicted == null ? "" : "nothing so far");
  }

  /** Named only when it is unusual. */
  private static String queues(EndReading end) {
    long dropped = end.report().completions().dropped();
    long met = end.report().completions().met();
    return end.report().completions().shared() == null
        ? ""
        : "shared by sends and receives, dropped %s, handled by another wait without harm %s"
            .formatted(Format.count(dropped), Format.count(met));
  }

  private static String limit(EndReading end, Metric metric) {
    long value = end.session().telemetry().metrics().get(metric);
    boolean ofSource = metric == Metric.BANDWIDTH_LIMIT || metric == Metric.DOWNTIME_LIMIT;
    if (ofSource && end.session().role() != Role.SOURCE) {
      return "";
    }
    if (value == 0) {
      return metric == Metric.BANDWIDTH_LIMIT ? "none" : "";
    }
    return switch (metric.unit()) {
      case BYTES_PER_SECOND -> Format.rate(value);
      case NANOSECONDS -> Format.duration(value);
      default -> Format.count(value);
    };
  }

  private void digests() throws IOException {
    MigrationReport.Digests digests = ends.getFirst().report().digests();
    if (digests.source().isEmpty() && digests.destination().isEmpty()) {
      return;
    }
    html.open("div", "class", "scroll").open("table", "class", "facts");
    html.open("thead").open("tr");
    for (String head : List.of("RAM block", "", "digest at the switch-over")) {
      html.element("th", head, "scope", "col");
    }
    html.close().close().open("tbody");
    for (String block :
        Stream.concat(digests.source().keySet().stream(), digests.destination().keySet().stream())
            .distinct()
            .toList()) {
      String source = digests.source().get(block);
      String destination = digests.destination().get(block);
      boolean equal = source != null && source.equals(destination);
      html.open("tr").element("th", block, "scope", "row");
      html.element(
          "td",
          equal ? "equal" : source == null || destination == null ? "not compared" : "differs",
          "class",
          equal ? "good-text" : "bad-text");
      html.open("td").element("code", String.valueOf(source == null ? destination : source));
      if (!equal && source != null && destination != null) {
        html.text(" at the source, ").element("code", destination).text(" at the destination");
      }
      html.close().close();
    }
    html.close().close().close();
  }
}

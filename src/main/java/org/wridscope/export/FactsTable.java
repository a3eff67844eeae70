// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Recorded;
import org.wridscope.control.Session;
import org.wridscope.figures.Figure;
import org.wridscope.figures.Reading;
import org.wridscope.telemetry.Banner;
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
    Reading reading = session.reading();
    known(facts, reading, Figure.BANDWIDTH_LIMIT);
    known(facts, reading, Figure.DOWNTIME_LIMIT);
    facts.put("completion queue", queues(reading));
    known(facts, reading, Figure.SEND_QUEUE_DEPTH);
    known(facts, reading, Figure.RECEIVE_QUEUE_DEPTH);
    facts.put(
        "registrations",
        Figure.REGISTRATIONS_TOTAL.in(reading).isEmpty()
            ? Figure.NOT_KNOWN
            : "%s in total, %s at the peak, %s"
                .formatted(
                    Figure.REGISTRATIONS_TOTAL.text(reading),
                    Figure.REGISTRATIONS_PEAK.text(reading),
                    Figure.REGISTERED_BYTES_PEAK.text(reading)));
    facts.put(
        Figure.REGISTRATION_ROUND_TRIPS.title(), Figure.REGISTRATION_ROUND_TRIPS.text(reading));
    virtio(report.virtio(), facts);
    known(facts, reading, Figure.SETUP_TIME);
    known(facts, reading, Figure.HELD_TIME);
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
  private static String queues(Reading reading) {
    return Figure.COMPLETION_QUEUE_SHARED.in(reading).orElse(0) == 0
        ? ""
        : "shared by sends and receives, dropped %s, handled by another wait without harm %s"
            .formatted(
                Figure.COMPLETIONS_DROPPED.text(reading), Figure.COMPLETIONS_MET.text(reading));
  }

  /** Adds a figure under its name; nothing if this end does not know it. */
  private static void known(Map<String, String> facts, Reading reading, Figure figure) {
    facts.put(figure.title(), figure.in(reading).isPresent() ? figure.text(reading) : "");
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

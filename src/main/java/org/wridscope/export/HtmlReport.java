// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.wridscope.analysis.Ending;
import org.wridscope.analysis.Explanation;
import org.wridscope.analysis.Explanation.State;
import org.wridscope.analysis.Finding;
import org.wridscope.analysis.Ladder;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Session;
import org.wridscope.export.Chart.Line;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.text.AxisUnit;
import org.wridscope.text.Format;

/**
 * Writes a migration as a single self-contained page without network access, scripts or fonts. Its
 * colours follow the reader's system, and it can be printed.
 */
final class HtmlReport {
  private final MigrationReading reading;
  private final Clock clock;
  private final EndReading leading;
  private final Html html;

  private HtmlReport(MigrationReading reading, Html html) {
    this.reading = reading;
    this.html = html;
    clock = reading.clock();
    leading = reading.leading();
  }

  static void write(MigrationReading reading, OutputStream out) throws IOException {
    var writer = new OutputStreamWriter(out, StandardCharsets.UTF_8);
    var html = new Html(writer);
    new HtmlReport(reading, html).page();
    html.flush();
    writer.flush();
  }

  private void page() throws IOException {
    html.doctype().open("html", "lang", "en").open("head");
    html.empty("meta", "charset", "utf-8");
    html.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
    html.empty("meta", "name", "color-scheme", "content", "light dark");
    // Nothing is fetched, whatever names a peer gave to its blocks.
    html.empty(
        "meta",
        "http-equiv",
        "Content-Security-Policy",
        "content",
        "default-src 'none'; style-src 'unsafe-inline'");
    html.element("title", "Migration report: " + name());
    html.style(style()).close();
    html.open("body").open("main");
    head();
    tiles();
    explanation();
    findings();
    charts();
    downtime();
    latencies();
    chunks();
    messages();
    sessions();
    foot();
    html.close().close().close();
  }

  private static String style() throws IOException {
    try (InputStream css =
        Objects.requireNonNull(HtmlReport.class.getResourceAsStream("report.css"), "report.css")) {
      return new String(css.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private String name() {
    return reading.ends().stream()
        .map(end -> EndReading.nameOf(end.session()))
        .collect(Collectors.joining(" and "));
  }

  private void section(String id, String title) throws IOException {
    html.open("section", "id", id).element("h2", title);
  }

  // ------------------------------------------------------------------------- what came of it

  private void head() throws IOException {
    Session session = leading.session();
    MigrationStatus status = session.status();
    html.open("header", "class", colour());
    html.element("p", "Wridscope migration report", "class", "brand");
    html.element("h1", name());
    html.open("p", "class", "outcome").element("span", status.qemuName(), "class", "pill");
    Ending ending = reading.ending();
    html.text(ending == null ? outcome(leading) : ending.sentence()).close();
    for (EndReading end : reading.ends().subList(1, reading.ends().size())) {
      if (end.session().status() != MigrationStatus.COMPLETED) {
        html.element(
            "p", "The destination: " + end.session().status().qemuName() + ". " + outcome(end));
      }
    }
    html.element(
        "p",
        "Began %s at %s on %s.".formatted(utc(clock.originUtc()), session.uri(), session.device()),
        "class",
        "muted");
    html.close();
  }

  private static String outcome(EndReading end) {
    String outcome = end.session().outcome();
    return outcome == null ? "The session had not ended when this report was written." : outcome;
  }

  private String colour() {
    Ending ending = reading.ending();
    return colour(ending == null ? State.of(leading.session().status()) : ending.state());
  }

  private void tiles() throws IOException {
    MigrationReport report = leading.report();
    MigrationReport.Ram ram = report.ram();
    html.open("section", "class", "tiles");
    tile("total time", milliseconds(report.totalTime()));
    Long downtime = report.downtime();
    tile("downtime", downtime == null ? "none" : milliseconds(downtime));
    tile("RAM", Format.bytes(ram.total()));
    if (leading.session().role() == Role.SOURCE) {
      tile("throughput", Format.rate(ram.mbps() * 1e6 / 8));
      tile("on the wire", Format.bytes(ram.transferred()));
      tile("zero pages", Format.count(ram.duplicate()));
      tile("rounds", Format.count(ram.dirtySyncCount()));
    }
    tile("send queue", completed(report.completions().send()));
    tile("receive queue", completed(report.completions().receive()));
    tile("failed completions", Format.count(report.completions().failed()));
    tile("peak of regions", Format.count(report.registrations().peak()));
    tile("events missing", Format.count(missing()));
    html.close();
  }

  private void tile(String what, String value) throws IOException {
    html.open("div").element("span", what).element("b", value).close();
  }

  private static String completed(MigrationReport.Completions.Queue queue) {
    return queue.posted() == queue.completed()
        ? Format.count(queue.completed())
        : Format.count(queue.completed()) + " of " + Format.count(queue.posted());
  }

  private static String milliseconds(long milliseconds) {
    return Format.duration(TimeUnit.MILLISECONDS.toNanos(milliseconds));
  }

  private static String milliseconds(double milliseconds) {
    return Format.duration(Math.round(milliseconds * 1e6));
  }

  private long missing() {
    return reading.ends().stream().mapToLong(end -> end.requests().missed()).sum();
  }

  // ------------------------------------------------------------------------------ what it means

  private void explanation() throws IOException {
    if (!leading.session().telemetry().monitored()) {
      return;
    }
    Explanation explanation = reading.explanation();
    section("explanation", "What happened");
    html.open("div", "class", "card " + colour(explanation.state()));
    html.element("p", explanation.headline(), "class", "headline");
    if (!explanation.summary().isEmpty()) {
      html.element("p", explanation.summary());
    }
    html.open("ol", "class", "steps");
    for (Explanation.Step step : explanation.steps()) {
      html.open("li", "class", step.isKey() ? "key-step" : "step");
      html.element("span", Format.moment(step.nanos() - clock.originNanos()), "class", "number");
      end(step.role());
      html.element("span", step.text(), "class", "said").close();
    }
    html.close();
    if (!explanation.remedy().isEmpty()) {
      html.open("p").element("strong", "What to do: ").text(explanation.remedy()).close();
    }
    html.close().close();
  }

  private static String colour(State state) {
    return switch (state) {
      case IDLE, RUNNING -> "going";
      case COMPLETED -> "good";
      case WAITING, UNSOUND, CANCELLED -> "doubtful";
      case STUCK, UNDECIDED, FAILED -> "bad";
    };
  }

  private void end(Role role) throws IOException {
    String end = EndReading.end(role);
    html.element("span", end, "class", "end-" + end);
  }

  private void findings() throws IOException {
    section("findings", "Findings");
    var found = new LinkedHashMap<Finding, List<String>>();
    for (EndReading end : reading.ends()) {
      for (Finding finding : end.findings()) {
        found.computeIfAbsent(finding, _ -> new ArrayList<>()).add(end.end());
      }
    }
    List<Map.Entry<Finding, List<String>>> ordered =
        found.entrySet().stream()
            .sorted((a, b) -> b.getKey().severity().compareTo(a.getKey().severity()))
            .toList();
    if (ordered.isEmpty()) {
      html.element("p", "Nothing noteworthy was found.", "class", "muted");
    }
    html.open("div", "class", "cards");
    for (Map.Entry<Finding, List<String>> entry : ordered) {
      Finding finding = entry.getKey();
      String severity = finding.severity().text();
      html.open("article", "class", "card " + severity);
      html.open("h3").element("span", severity, "class", "pill").text(finding.title()).close();
      html.element("p", finding.seen());
      html.element("p", finding.why(), "class", "muted");
      if (!finding.advice().isEmpty()) {
        html.open("p").element("strong", "What to do: ").text(finding.advice()).close();
      }
      html.element("p", "At the " + String.join(" and the ", entry.getValue()), "class", "where");
      html.close();
    }
    html.close().close();
  }

  // ------------------------------------------------------------------------------------ pictures

  private void charts() throws IOException {
    long from = clock.originNanos();
    long to = Math.max(reading.lastNanos(), from + 1);
    section("charts", "Over time");
    html.open("div", "class", "charts");
    boolean any = false;
    for (EndReading end : reading.ends()) {
      boolean both = reading.ends().size() > 1;
      for (Chart chart : charts(end, both ? ", " + end.end() : "", from, to)) {
        if (!chart.isBlank()) {
          chart.write(html, end.session().telemetry().phases());
          any = true;
        }
      }
    }
    html.close();
    html.element(
        "p",
        any
            ? "Time starts at the beginning of the migration; vertical lines are its phases."
            : "No samples were taken.",
        "class",
        "muted");
    html.close();
  }

  private static List<Chart> charts(EndReading end, String where, long from, long to) {
    var charts = new ArrayList<Chart>();
    if (end.session().role() == Role.SOURCE) {
      // The device of a destination receives writes without notifying the program.
      charts.add(
          new Chart(
              "Throughput" + where,
              AxisUnit.BYTES_PER_SECOND,
              end.samples(),
              from,
              to,
              Line.rate("sent", "send", Metric.RAM_TRANSFERRED),
              Line.gauge("dirtied by the guest", "dirty", Metric.DIRTY_BYTES_RATE)));
      charts.add(
          new Chart(
              "RAM to send" + where,
              AxisUnit.BYTES,
              end.samples(),
              from,
              to,
              Line.gauge("remaining", "transit", Metric.RAM_REMAINING),
              Line.gauge("at the start of the round", "dirty", Metric.ROUND_BYTES)));
    }
    charts.add(
        new Chart(
            "Completions" + where,
            AxisUnit.COUNT_PER_SECOND,
            end.samples(),
            from,
            to,
            Line.rate("send queue", "send", Metric.WRITES_COMPLETED, Metric.SENDS_COMPLETED),
            Line.rate("receive queue", "receive", Metric.RECEIVES_COMPLETED)));
    charts.add(
        new Chart(
            "Registered regions" + where,
            AxisUnit.COUNT,
            end.samples(),
            from,
            to,
            Line.gauge("alive", "registered", Metric.REGISTRATIONS_ALIVE)));
    return charts;
  }

  private void downtime() throws IOException {
    Map<String, Double> phases = leading.report().downtimePhases();
    double all = phases.values().stream().mapToDouble(Double::doubleValue).sum();
    if (all <= 0) {
      return;
    }
    section("downtime", "Downtime");
    html.open("div", "class", "scroll").open("table");
    for (Map.Entry<String, Double> phase : phases.entrySet()) {
      html.open("tr").element("th", phase.getKey(), "scope", "row");
      html.element("td", milliseconds(phase.getValue()), "class", "number");
      html.open("td", "class", "bar-cell");
      html.element(
          "i",
          "",
          "class",
          "bar",
          "style",
          String.format(Locale.ROOT, "width:%.1f%%", 100 * phase.getValue() / all));
      html.close().close();
    }
    html.close().close().close();
  }

  private void latencies() throws IOException {
    section("latencies", "From post to completion");
    LatencyTable.write(html, reading.ends());
    html.close();
  }

  private void chunks() throws IOException {
    if (reading.ends().stream().allMatch(end -> end.session().telemetry().blocks().isEmpty())) {
      return;
    }
    section("chunks", "Chunks of RAM");
    for (EndReading end : reading.ends()) {
      html.open("h3").text("At the " + end.end()).close();
      ChunkPicture.write(html, end.session().telemetry().blocks());
    }
    html.close();
  }

  private void messages() throws IOException {
    Ladder ladder = reading.ladder();
    if (MessageRow.count(ladder) > 0) {
      section("messages", "Control messages");
      LadderTable.write(html, ladder, clock);
      html.close();
    }
  }

  private void sessions() throws IOException {
    section("sessions", "Sessions and settings");
    FactsTable.write(html, reading.ends());
    html.close();
  }

  private void foot() throws IOException {
    html.open("footer");
    if (missing() > 0) {
      html.element(
          "p",
          ("%s events are missing because the monitor or the recorder was too slow, or the log had"
                  + " discarded them; order, latencies and messages do not include them.")
              .formatted(Format.count(missing())));
    }
    html.element("p", "Written by Wridscope on %s.".formatted(utc(Instant.now())));
    html.close();
  }

  /** A date and a time, to the second. */
  private static String utc(Instant at) {
    return at.truncatedTo(ChronoUnit.SECONDS).toString().replace('T', ' ').replace("Z", " UTC");
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.wridscope.analysis.Ending;
import org.wridscope.analysis.Explanation.State;
import org.wridscope.analysis.Ladder;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Session;
import org.wridscope.figures.Figure;
import org.wridscope.figures.Reading;
import org.wridscope.telemetry.DowntimePart;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.text.Format;

/**
 * Writes a migration as a single self-contained page without network access, scripts or fonts. Its
 * colours follow the reader's system, and it can be printed.
 */
final class HtmlReport {
  private final MigrationReading reading;
  private final Clock clock;
  private final EndReading leading;

  /** What the first tiles show, of the ends that know it. */
  private static final List<Figure> TILES =
      List.of(
          Figure.TOTAL_TIME,
          Figure.DOWNTIME,
          Figure.RAM_TOTAL,
          Figure.PROCESSED_RATE,
          Figure.RAM_TRANSFERRED,
          Figure.DUPLICATE_PAGES,
          Figure.ROUNDS);

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
    ReportCards.write(html, reading);
    ReportCharts.write(html, reading);
    downtime();
    latencies();
    device();
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
    Ending ending = reading.ending();
    html.open("p", "class", "outcome")
        .element("span", ending == null ? status.qemuName() : ending.verdict(), "class", "pill");
    html.text(ending == null ? outcome(leading) : ending.sentence()).close();
    for (EndReading end : reading.ends().subList(1, reading.ends().size())) {
      if (end.session().status() != MigrationStatus.COMPLETED) {
        html.element(
            "p", "The destination: " + end.session().status().qemuName() + ". " + outcome(end));
      }
    }
    html.element(
        "p",
        "Began %s at %s on %s.".formatted(began(), session.uri(), session.device()),
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
    Reading reading = leading.session().reading();
    html.open("section", "class", "tiles");
    for (Figure figure : TILES) {
      if (figure.ends().contains(reading.role())) {
        tile(figure.title(), figure.text(reading));
      }
    }
    for (EndReading end : this.reading.ends()) {
      MigrationReport.Memory memory = end.report().hostMemory();
      tile("RAM in use, " + end.end(), memory.inUse());
      tile("never touched, " + end.end(), memory.neverTouched());
    }
    MigrationReport.Completions completions = leading.report().completions();
    if (completions != null) {
      completions(completions);
    }
    for (EndReading end : this.reading.ends()) {
      Reading of = end.session().reading();
      if (Figure.COMPLETIONS_DROPPED.in(of).orElse(0) > 0) {
        tile(
            "%s, %s".formatted(Figure.COMPLETIONS_DROPPED.title(), end.end()),
            Figure.COMPLETIONS_DROPPED.text(of));
      }
    }
    tile(Figure.REGISTRATIONS_PEAK.title(), Figure.REGISTRATIONS_PEAK.text(reading));
    tile("events missing", Format.count(missing()));
    html.close();
  }

  private void completions(MigrationReport.Completions completions) throws IOException {
    MigrationReport.Completions.Queue shared = completions.shared();
    if (shared == null) {
      tile("send queue", completed(completions.send()));
      tile("receive queue", completed(completions.receive()));
    } else {
      tile("shared completion queue", completed(shared));
    }
    tile(Figure.FAILED_COMPLETIONS.title(), Format.count(completions.failed()));
  }

  private void tile(String what, String value) throws IOException {
    html.open("div").element("span", what).element("b", value).close();
  }

  private static String completed(MigrationReport.Completions.Queue queue) {
    return queue.posted() == queue.completed()
        ? Format.count(queue.completed())
        : Format.count(queue.completed()) + " of " + Format.count(queue.posted());
  }

  private static String milliseconds(double milliseconds) {
    return Format.duration(Math.round(milliseconds * 1e6));
  }

  private long missing() {
    return reading.ends().stream().mapToLong(end -> end.requests().missed()).sum();
  }

  static String colour(State state) {
    return switch (state) {
      case IDLE, RUNNING -> "going";
      case COMPLETED -> "good";
      case WAITING, UNSOUND, CANCELLED -> "doubtful";
      case STUCK, UNDECIDED, FAILED -> "bad";
    };
  }

  // ------------------------------------------------------------------------------------ pictures

  private void downtime() throws IOException {
    Map<DowntimePart, Double> phases = leading.report().downtimePhases();
    double all = phases.values().stream().mapToDouble(Double::doubleValue).sum();
    if (all <= 0) {
      return;
    }
    section("downtime", "Downtime");
    html.open("div", "class", "scroll").open("table");
    for (Map.Entry<DowntimePart, Double> phase : phases.entrySet()) {
      html.open("tr").element("th", phase.getKey().text(), "scope", "row");
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

  private void device() throws IOException {
    if (DeviceTable.isNeeded(reading.ends())) {
      section("device", "The device counted");
      DeviceTable.write(html, reading.ends(), clock);
      html.close();
    }
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
  private String began() {
    Instant at = clock.originUtc();
    return at == null ? "at a time that the log does not have," : utc(at);
  }

  private static String utc(Instant at) {
    return at.truncatedTo(ChronoUnit.SECONDS).toString().replace('T', ' ').replace("Z", " UTC");
  }
}

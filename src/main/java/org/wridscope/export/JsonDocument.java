// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import static org.wridscope.export.JsonRows.member;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.FormattingStyle;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import org.wridscope.analysis.CountedByDevice;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.Explanation;
import org.wridscope.analysis.Finding;
import org.wridscope.analysis.Latencies;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.RequestKind;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.WorkRequests;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.figures.Figure;
import org.wridscope.figures.Reading;
import org.wridscope.memory.ChunkRelease;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.telemetry.Banner;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Phase;

/** Writes a migration as one JSON document; {@code docs/export.md} describes its members. */
final class JsonDocument {
  static final String FORMAT = "wridscope-export";
  static final int VERSION = 1;

  /** The report has the members of QEMU's query-migrate. */
  private static final Gson REPORT =
      new GsonBuilder()
          .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_DASHES)
          .disableHtmlEscaping()
          .create();

  private final SessionPair ends;
  private final Clock clock;
  private final JsonWriter json;

  private JsonDocument(SessionPair ends, Clock clock, JsonWriter json) {
    this.ends = ends;
    this.clock = clock;
    this.json = json;
  }

  /**
   * Writes the document.
   *
   * @param meter counts all events {@link #passes} times
   */
  static void write(SessionPair ends, Set<ExportTable> tables, Meter meter, OutputStream out)
      throws IOException {
    var json = new JsonWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    json.setFormattingStyle(FormattingStyle.PRETTY);
    new JsonDocument(ends, Clock.of(ends), json).write(tables, meter);
    json.flush();
  }

  /** How many times all events are read. */
  static int passes(Set<ExportTable> tables) {
    return 1
        + (tables.contains(ExportTable.EVENTS) ? 1 : 0)
        + (tables.contains(ExportTable.REQUESTS) ? 1 : 0)
        + (tables.contains(ExportTable.LOG) ? 1 : 0);
  }

  private void write(Set<ExportTable> tables, Meter meter) throws IOException {
    MigrationReading reading = MigrationReading.of(ends, clock, meter);
    json.beginObject();
    member(json, "format", FORMAT);
    member(json, "version", VERSION);
    member(json, "exported_utc", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    member(json, "origin_utc", clock.utc(clock.originNanos()));
    json.name("sessions").beginArray();
    for (EndReading end : reading.ends()) {
      session(end);
    }
    json.endArray();
    explanation(reading.explanation());
    for (ExportTable table : tables) {
      json.name(table.text()).beginArray();
      switch (table) {
        case EVENTS -> EventRow.forEach(ends, clock, meter, new JsonRows<>(json, EventRow.COLUMNS));
        case REQUESTS ->
            RequestRow.forEach(ends, clock, meter, new JsonRows<>(json, RequestRow.COLUMNS));
        case SAMPLES -> SampleRow.forEach(ends, clock, new JsonRows<>(json, SampleRow.COLUMNS));
        case MESSAGES ->
            MessageRow.forEach(reading.ladder(), clock, new JsonRows<>(json, MessageRow.COLUMNS));
        case LOG -> LogRow.forEach(ends, clock, meter, new JsonRows<>(json, LogRow.COLUMNS));
        case VIRTIO -> VirtioRow.forEach(ends, clock, new JsonRows<>(json, VirtioRow.COLUMNS));
      }
      json.endArray();
    }
    json.endObject();
  }

  private void session(EndReading end) throws IOException {
    Session session = end.session();
    json.beginObject();
    member(json, "end", end.end());
    member(json, "name", session.name());
    member(json, "uri", session.uri());
    member(json, "device", session.device());
    member(json, "device_reason", session.deviceReason());
    Banner banner = session.telemetry().banner();
    member(json, "banner", banner == null ? null : EventText.banner(banner));
    member(json, "status", session.status().qemuName());
    member(json, "outcome", session.outcome());
    member(json, "guest_running", session.tellsGuest() ? (Object) session.guestRunning() : null);
    member(json, "guest_place", session.tellsGuest() ? (Object) session.guestPlace() : null);
    json.name("report");
    REPORT.toJson(end.report(), MigrationReport.class, json);
    json.name("metrics").beginObject();
    Reading reading = session.reading();
    for (Figure figure : Figure.values()) {
      OptionalLong value = figure.in(reading);
      String name = figure.metric().map(Metric::name).orElse(figure.name());
      member(
          json,
          SampleRow.name(name, figure.unit()),
          value.isPresent() ? (Object) value.getAsLong() : null);
    }
    json.endObject();
    phases(session.telemetry().phases());
    blocks(session.telemetry().blocks());
    latencies(end.requests().latencies());
    member(
        json,
        "completion_queues",
        session.telemetry().metrics().sharesCompletionQueue() ? "shared" : "split");
    queues(end.requests());
    counters(end.requests().counted());
    findings(end.findings());
    member(json, "events_missing", end.requests().missed());
    json.endObject();
  }

  private void phases(List<Phase> phases) throws IOException {
    json.name("phases").beginArray();
    for (Phase phase : phases) {
      json.beginObject();
      member(json, "name", phase.name());
      member(json, "begin_s", clock.seconds(phase.nanos()));
      json.endObject();
    }
    json.endArray();
  }

  private void blocks(List<ChunkTable> blocks) throws IOException {
    json.name("blocks").beginArray();
    for (ChunkTable block : blocks) {
      json.beginObject();
      member(json, "name", block.name());
      member(json, "length_bytes", block.length());
      member(json, "chunks", block.chunkCount());
      json.name("states").beginObject();
      for (ChunkState state : ChunkState.values()) {
        member(json, state.name().toLowerCase(Locale.ROOT), block.count(state));
      }
      json.endObject();
      json.name("releases").beginObject();
      for (ChunkRelease release : ChunkRelease.values()) {
        if (release != ChunkRelease.NONE) {
          member(json, release.name().toLowerCase(Locale.ROOT), count(block, release));
        }
      }
      json.endObject();
      json.endObject();
    }
    json.endArray();
  }

  private static long count(ChunkTable block, ChunkRelease release) {
    return Arrays.stream(ChunkState.values()).mapToLong(state -> block.count(state, release)).sum();
  }

  private void latencies(Latencies latencies) throws IOException {
    json.name("latencies").beginArray();
    for (RequestKind kind : RequestKind.values()) {
      if (!kind.ofMigrations() && latencies.count(kind) == 0) {
        continue;
      }
      json.beginObject();
      member(json, "kind", kind.name());
      member(json, "requests", latencies.count(kind));
      if (latencies.count(kind) > 0) {
        member(json, "p50_us", Clock.micros(latencies.percentile(kind, 50)));
        member(json, "p90_us", Clock.micros(latencies.percentile(kind, 90)));
        member(json, "p99_us", Clock.micros(latencies.percentile(kind, 99)));
        member(json, "p99_9_us", Clock.micros(latencies.percentile(kind, 99.9)));
        member(json, "longest_us", Clock.micros(latencies.percentile(kind, 100)));
      }
      json.endObject();
    }
    json.endArray();
  }

  private void queues(Requests requests) throws IOException {
    json.name("queues").beginArray();
    for (QueueType queue : QueueType.values()) {
      WorkRequests all = requests.of(queue);
      json.beginObject();
      member(json, "queue", queue.text());
      member(json, "posted", all.end());
      member(json, "completions", all.completions());
      member(json, "open", all.openCount());
      member(json, "unmatched", all.unmatched());
      json.endObject();
    }
    json.endArray();
  }

  private void counters(CountedByDevice counted) throws IOException {
    json.name("device_counters").beginArray();
    for (CountedByDevice.Total total : counted.totals()) {
      json.beginObject();
      member(json, "device", total.counter().device());
      member(json, "port", total.counter().port());
      member(json, "name", total.counter().name());
      member(json, "counted", new BigInteger(Long.toUnsignedString(total.value())));
      member(json, "at_least", total.atLeast());
      member(json, "first_s", clock.seconds(total.firstNanos()));
      member(json, "last_s", clock.seconds(total.lastNanos()));
      member(json, "means", total.means().isEmpty() ? null : total.means());
      json.endObject();
    }
    json.endArray();
  }

  private void findings(List<Finding> findings) throws IOException {
    json.name("findings").beginArray();
    for (Finding finding : findings) {
      json.beginObject();
      member(json, "severity", finding.severity().text());
      member(json, "title", finding.title());
      member(json, "seen", finding.seen());
      member(json, "why", finding.why());
      member(json, "advice", finding.advice());
      json.endObject();
    }
    json.endArray();
  }

  private void explanation(Explanation explanation) throws IOException {
    json.name("explanation").beginObject();
    member(json, "verdict", explanation.state().name().toLowerCase(Locale.ROOT));
    member(json, "headline", explanation.headline());
    member(json, "summary", explanation.summary());
    member(json, "remedy", explanation.remedy());
    json.name("steps").beginArray();
    for (Explanation.Step step : explanation.steps()) {
      json.beginObject();
      member(json, "end", EndReading.end(step.role()));
      member(json, "time_s", clock.seconds(step.nanos()));
      member(json, "event", step.event() < 0 ? null : step.event());
      member(json, "text", step.text());
      member(json, "key", step.isKey());
      json.endObject();
    }
    json.endArray();
    json.endObject();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import com.google.gson.FormattingStyle;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.Ladder;
import org.wridscope.analysis.Ladder.Rung;
import org.wridscope.analysis.Waits;
import org.wridscope.analysis.WorkRequests;
import org.wridscope.control.Recorded;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;

/**
 * Writes a migration in the Trace Event Format, which Perfetto and Chrome show: each end is a
 * process, a request is an asynchronous slice from its post to its completion, phases and waits are
 * slices, messages are slices with arrows from end to end, and metrics are counters.
 */
final class PerfettoTrace {
  static final String FORMAT = "wridscope-perfetto";

  /** So that an arrow has something to point at. */
  private static final long SHORTEST_NANOS = 1;

  /** An event per line, so that other programs can search and compare. */
  private static final FormattingStyle LINES = FormattingStyle.COMPACT.withNewline("\n");

  /** What a graph over time helps to understand. */
  private static final List<Metric> COUNTERS =
      List.of(
          Metric.RAM_REMAINING,
          Metric.BANDWIDTH,
          Metric.DIRTY_BYTES_RATE,
          Metric.REGISTERED_BYTES,
          Metric.WRITES_COMPLETED,
          Metric.SENDS_COMPLETED,
          Metric.RECEIVES_COMPLETED);

  /** The tracks of an end besides its requests, in their order. */
  private enum Track {
    PHASES("phases"),
    WAITS("waits"),
    MESSAGES("messages"),
    EVENTS("events");

    private final String text;

    Track(String text) {
      this.text = text;
    }

    int id() {
      return ordinal() + 1;
    }
  }

  private final SessionPair ends;
  private final Place place;
  private final Clock clock;
  private final JsonWriter json;

  /**
   * Where a migration is in a trace.
   *
   * @param number of the migration, from 0
   * @param name precedes the names of its ends; empty if it is alone
   * @param laterNanos by which its times are later than on its own clock
   */
  record Place(int number, String name, long laterNanos) {
    private static final Place ALONE = new Place(0, "", 0);
  }

  private PerfettoTrace(SessionPair ends, Place place, JsonWriter json) {
    this.ends = ends;
    this.place = place;
    clock = Clock.of(ends);
    this.json = json;
  }

  /**
   * Writes the trace.
   *
   * @param meter counts all events twice
   */
  static void write(SessionPair ends, Meter meter, OutputStream out) throws IOException {
    JsonWriter json = begin(out);
    var trace = new PerfettoTrace(ends, Place.ALONE, json);
    trace.clock();
    trace.beginEvents();
    trace.write(meter);
    trace.endEvents();
  }

  /**
   * Writes two migrations, with the times of the first one.
   *
   * @param meter counts all events twice
   */
  static void write(ComparedTrace both, Meter meter, OutputStream out) throws IOException {
    JsonWriter json = begin(out);
    var left = new PerfettoTrace(both.left(), new Place(0, "left: ", 0), json);
    var right =
        new PerfettoTrace(both.right(), new Place(1, "right: ", both.rightLaterNanos()), json);
    left.clock();
    JsonRows.member(json, "alignment", both.alignment());
    JsonRows.member(json, "right_later_ns", both.rightLaterNanos());
    left.beginEvents();
    left.write(meter);
    right.write(meter);
    left.endEvents();
  }

  private static JsonWriter begin(OutputStream out) {
    var json = new JsonWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    json.setFormattingStyle(LINES);
    return json;
  }

  private void clock() throws IOException {
    json.beginObject();
    json.name("otherData").beginObject();
    JsonRows.member(json, "format", FORMAT);
    JsonRows.member(json, "clock", clockName());
    JsonRows.member(json, "origin_utc", clock.utc(clock.originNanos()));
  }

  private void beginEvents() throws IOException {
    json.endObject();
    json.name("displayTimeUnit").value("ns");
    json.name("traceEvents").beginArray();
  }

  private void endEvents() throws IOException {
    json.endArray();
    json.endObject();
    json.flush();
  }

  private void write(Meter meter) throws IOException {
    MigrationReading reading = MigrationReading.of(ends, clock, meter);
    for (EndReading end : reading.ends()) {
      names(end);
      phases(end, reading.lastNanos());
      waits(end, reading.lastNanos());
      for (Event event : end.requests().milestones()) {
        milestone(end, event);
      }
      EndReading.forEachSample(
          end.session(),
          (nanos, metrics) -> {
            for (Metric metric : COUNTERS) {
              if (metric != Metric.DIRTY_BYTES_RATE || end.knowsDirtyRate(metrics)) {
                counter(end, nanos, SampleRow.name(metric), metrics.get(metric));
              }
            }
          });
    }
    messages(reading.ladder());
    RequestRow.forEach(ends, clock, meter, this::request);
  }

  /** What a time is; those of a log are its own. */
  private String clockName() {
    Optional<Recorded> recorded = ends.leading().recorded();
    if (recorded.map(Recorded::ofProgramLog).orElse(false)) {
      return "the clock of the log";
    }
    if (ends.leading().ofCapture()) {
      return "the clock of the machine that captured the packets";
    }
    return recorded.map(Recorded::ofQemu).orElse(false)
        ? "the clock of QEMU's log"
        : "CLOCK_MONOTONIC of the machine of the " + EndReading.end(ends.leading());
  }

  // -------------------------------------------------------------------------------- the parts

  private void names(EndReading end) throws IOException {
    int process = process(end.session().role());
    meta(
        process,
        0,
        "process_name",
        "%s%s %s".formatted(place.name, end.end(), EndReading.nameOf(end.session())));
    for (Track track : Track.values()) {
      meta(process, track.id(), "thread_name", track.text);
    }
  }

  private void meta(int process, int thread, String name, String value) throws IOException {
    begin("M", name, process, thread);
    json.name("args").beginObject().name("name").value(value).endObject();
    end();
  }

  private void phases(EndReading end, long last) throws IOException {
    List<Phase> phases = end.session().telemetry().phases();
    for (int i = 0; i < phases.size(); i++) {
      long begin = phases.get(i).nanos();
      long until = i + 1 < phases.size() ? phases.get(i + 1).nanos() : Math.max(begin, last);
      slice(end.session().role(), Track.PHASES, phases.get(i).name(), begin, until, Map.of());
    }
  }

  private void waits(EndReading end, long last) throws IOException {
    Waits waits = end.requests().waits();
    for (long wait = waits.first(); wait < waits.end(); wait++) {
      long begin = waits.beganNanos(wait);
      slice(
          end.session().role(),
          Track.WAITS,
          EventText.wait(waits.phrase(wait), end.session().telemetry()),
          begin,
          waits.isOpen(wait) ? Math.max(begin, last) : waits.endedNanos(wait),
          waits.isOpen(wait) ? Map.of("ended", false) : Map.of());
    }
  }

  private void milestone(EndReading end, Event event) throws IOException {
    begin("i", EventText.kind(event.kind()), process(end.session().role()), Track.EVENTS.id());
    time(event.nanos());
    json.name("s").value("t");
    arguments(Map.of("text", EventText.summary(event, end.session().telemetry())));
    end();
  }

  private void counter(EndReading end, long nanos, String name, long value) throws IOException {
    begin("C", name, process(end.session().role()), 0);
    time(nanos);
    arguments(Map.of("value", value));
    end();
  }

  private void messages(Ladder ladder) throws IOException {
    MessageRow.forEach(ladder, clock, this::message);
  }

  private void message(MessageRow row) throws IOException {
    Rung rung = row.rung();
    String name = row.message() == null ? "message" : row.message();
    boolean sent = rung.sentNanos() != Ladder.UNKNOWN;
    boolean received = rung.receivedNanos() != Ladder.UNKNOWN;
    Map<String, Object> details = Map.of("length_bytes", rung.length(), "number", rung.number());
    if (sent) {
      at(rung.from(), "send " + name, rung.sentNanos(), details);
    }
    if (received) {
      at(rung.from().other(), "receive " + name, rung.receivedNanos(), details);
    }
    // The end that sends notes it after the post, at times when the message has arrived already.
    if (sent && received && rung.sentNanos() <= rung.receivedNanos()) {
      arrow("s", rung, rung.from(), rung.sentNanos());
      arrow("f", rung, rung.from().other(), rung.receivedNanos());
    }
  }

  private void at(Role end, String name, long nanos, Map<String, Object> details)
      throws IOException {
    slice(end, Track.MESSAGES, name, nanos, nanos + SHORTEST_NANOS, details);
  }

  private void arrow(String type, Rung rung, Role end, long nanos) throws IOException {
    begin(type, "message", process(end), Track.MESSAGES.id());
    time(nanos);
    json.name("cat").value("message");
    json.name("id").value(flow(rung));
    if (type.equals("f")) {
      json.name("bp").value("e");
    }
    end();
  }

  private String flow(Rung rung) {
    String id = "%s-%d".formatted(EndReading.end(rung.from()), rung.number());
    return place.number == 0 ? id : "%d-%s".formatted(place.number, id);
  }

  /** A request that is open has no end; it is a moment if completions are not seen. */
  private void request(RequestRow row) throws IOException {
    WorkRequests all = row.all();
    long id = row.id();
    if (!all.isPostKnown(id)) {
      return;
    }
    asynchronous(all.isOpen(id) && !all.knowsOpen() ? "n" : "b", row, all.postedNanos(id));
    json.name("args").beginObject();
    for (Column<RequestRow> column : RequestRow.COLUMNS) {
      JsonRows.member(json, column.name(), column.value().apply(row));
    }
    json.endObject();
    end();
    if (!all.isOpen(id)) {
      asynchronous("e", row, all.endedNanos(id));
      end();
    }
  }

  private void asynchronous(String type, RequestRow row, long nanos) throws IOException {
    WorkRequests all = row.all();
    begin(type, track(row), process(row.session().role()), 0);
    time(nanos);
    json.name("cat").value(all.queue().text());
    json.name("id2").beginObject().name("local").value(Long.toHexString(row.id())).endObject();
  }

  /** Requests with the same name share a track. */
  private static String track(RequestRow row) {
    WorkRequests all = row.all();
    String kind = all.kind(row.id()).text();
    return all.ofProgram(row.id()) ? all.queueName(row.id()) + " " + kind : kind;
  }

  // ------------------------------------------------------------------------------------ events

  private void slice(
      Role end, Track track, String name, long begin, long until, Map<String, Object> details)
      throws IOException {
    begin("X", name, process(end), track.id());
    time(begin);
    json.name("dur").jsonValue(Clock.micros(Math.max(0, until - begin)).toPlainString());
    arguments(details);
    end();
  }

  /** Begins an event; the caller adds to it, and calls {@link #end}. */
  private void begin(String type, String name, int process, int thread) throws IOException {
    json.beginObject();
    json.setFormattingStyle(FormattingStyle.COMPACT);
    json.name("ph").value(type);
    json.name("name").value(name);
    json.name("pid").value(process);
    json.name("tid").value(thread);
  }

  private void end() throws IOException {
    json.endObject();
    json.setFormattingStyle(LINES);
  }

  /** Microseconds, exactly. */
  private void time(long nanos) throws IOException {
    json.name("ts").jsonValue(BigDecimal.valueOf(nanos + place.laterNanos, 3).toPlainString());
  }

  private void arguments(Map<String, Object> details) throws IOException {
    if (!details.isEmpty()) {
      json.name("args").beginObject();
      for (Map.Entry<String, Object> detail : details.entrySet()) {
        JsonRows.member(json, detail.getKey(), detail.getValue());
      }
      json.endObject();
    }
  }

  private int process(Role end) {
    return place.number * Role.values().length + end.ordinal() + 1;
  }
}

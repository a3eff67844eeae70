// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.TimeLimit;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.QemuMigrationSettings;
import org.wridscope.control.QemuUri;
import org.wridscope.control.Session;
import org.wridscope.control.SimulatedQemu;
import org.wridscope.control.attach.RecordedPrograms;
import org.wridscope.figures.Figure;
import org.wridscope.figures.Reading;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.recording.Recorder;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.settings.Settings;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/**
 * Terminal, report, JSON and HTML say the same of the end of a session, or that it is not known.
 */
final class SurfacesTest {
  /** Members of the report that are one figure each, in its units. */
  private static final Map<String, Figure> MEMBERS =
      Map.of(
          "ram.transferred", Figure.RAM_TRANSFERRED,
          "ram.total", Figure.RAM_TOTAL,
          "ram.duplicate", Figure.DUPLICATE_PAGES,
          "ram.dirty-sync-count", Figure.ROUNDS,
          "downtime", Figure.DOWNTIME,
          "registrations.peak", Figure.REGISTRATIONS_PEAK,
          "registrations.total", Figure.REGISTRATIONS_TOTAL,
          "completions.failed", Figure.FAILED_COMPLETIONS,
          "completions.dropped", Figure.COMPLETIONS_DROPPED);

  /** What QEMU has with 0 where it is not known. */
  private static final List<String> ALWAYS =
      List.of(
          "ram.transferred",
          "ram.total",
          "ram.duplicate",
          "ram.dirty-sync-count",
          "completions.dropped");

  /** The tiles of the report for a browser, of the source. */
  private static final List<Figure> TILES =
      List.of(
          Figure.DOWNTIME,
          Figure.PROCESSED_RATE,
          Figure.RAM_TRANSFERRED,
          Figure.DUPLICATE_PAGES,
          Figure.ROUNDS,
          Figure.REGISTRATIONS_PEAK);

  private static final Duration LONGEST = Duration.ofSeconds(30);

  @TempDir Path directory;

  private Path file(String kind) throws Exception {
    Path file = directory.resolve(kind);
    switch (kind) {
      case "lab.wrs" ->
          assertThat(CommandRun.real("lab", "--ram=16MiB", "--record=" + file).status()).isZero();
      case "failed.wrs" ->
          CommandRun.real("lab", "queue-pair-fatal", "--seed=1", "--record=" + file);
      case "capture.pcap" ->
          assertThat(CommandRun.real("lab", "--ram=16MiB", "--pcap=" + file).status()).isZero();
      case "qemu.wrs" -> recordQemus(file);
      default -> {
        try (InputStream in =
            SurfacesTest.class.getResourceAsStream("/org/wridscope/recording/qemu/" + kind)) {
          assertThat(in).isNotNull();
          Files.write(file, in.readAllBytes());
        }
      }
    }
    return file;
  }

  /** A migration between two QEMUs, by themselves. */
  private void recordQemus(Path file) throws Exception {
    try (var from = SimulatedQemu.running(directory, "from");
        var to = SimulatedQemu.waiting(directory, "to");
        var manager = new LocalSessions();
        var recorder = Recorder.begin(Output.of("file", file, FileKind.RECORDING))) {
      List<Session> ends =
          manager.startQemuMigration(
              new QemuMigrationSettings(
                  from.address(),
                  to.address(),
                  QemuUri.parse("rdma:10.9.0.2:4444"),
                  Settings.USUAL));
      ends.forEach(recorder::add);
      new TimeLimit()
          .await("the QEMU", () -> from.commands().contains("migrate rdma:10.9.0.2:4444"));
      from.setMigration("{\"status\": \"active\", %s}".formatted(SimulatedQemu.RAM));
      new TimeLimit().await("the QEMU", () -> ends.getFirst().status() == MigrationStatus.ACTIVE);
      SimulatedQemu.complete(from, to);
      for (Session end : ends) {
        assertThat(end.await(LONGEST)).isTrue();
        assertThat(end.status()).isEqualTo(MigrationStatus.COMPLETED);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "lab.wrs",
        "failed.wrs",
        "capture.pcap",
        "qemu-7.2-dyn-idle.source.log",
        "qemu.wrs"
      })
  void everySurface_saysTheSame(String kind) throws Exception {
    Path file = file(kind);
    CommandRun text = CommandRun.real("replay", file.toString());
    JsonArray reports =
        JsonParser.parseString(CommandRun.real("replay", "--json", file.toString()).out())
            .getAsJsonArray();
    Path document = directory.resolve("all.json");
    assertThat(CommandRun.real("export", file.toString(), "--out=" + document).status()).isZero();
    JsonArray ends =
        JsonParser.parseString(Files.readString(document))
            .getAsJsonObject()
            .getAsJsonArray("sessions");
    Path page = directory.resolve("all.html");
    assertThat(CommandRun.real("export", file.toString(), "--out=" + page).status()).isZero();
    String html = Files.readString(page);
    try (Recording recording = Recording.open("FILE", file)) {
      assertThat(reports).hasSameSizeAs(recording.sessions());
      for (int i = 0; i < reports.size(); i++) {
        RecordedSession session = recording.sessions().get(i);
        Reading reading = session.reading();
        report(reports.get(i).getAsJsonObject(), reading);
        JsonObject end =
            ends.asList().stream()
                .map(JsonElement::getAsJsonObject)
                .filter(each -> each.get("end").getAsString().equals(session.role().text()))
                .findFirst()
                .orElseThrow();
        values(end.getAsJsonObject("metrics"), reading);
        if (session.role() == Role.SOURCE) {
          tiles(html, reading);
          assertThat(text.out())
              .contains(
                  Figure.REGISTRATIONS_PEAK.in(reading).isPresent()
                      ? Figure.REGISTRATIONS_PEAK.text(reading) + " at the peak"
                      : "registrations  not known");
        }
      }
    }
  }

  private static void report(JsonObject report, Reading reading) {
    MEMBERS.forEach((member, figure) -> {
      JsonElement value = report;
      for (String name : member.split("\\.")) {
        value = value instanceof JsonObject object ? object.get(name) : null;
      }
      OptionalLong known = figure.in(reading);
      if (known.isEmpty() && ALWAYS.contains(member)) {
        return;
      }
      long divisor = figure.unit() == Metric.Unit.NANOSECONDS ? 1_000_000 : 1;
      assertThat(value == null ? null : value.getAsLong())
          .as("%s of the %s", member, reading.role())
          .isEqualTo(known.isEmpty() ? null : Math.round((double) known.getAsLong() / divisor));
    });
  }

  private static void values(JsonObject metrics, Reading reading) {
    for (Figure figure : Figure.values()) {
      String name =
          figure.metric().map(Metric::name).orElse(figure.name()).toLowerCase(Locale.ROOT);
      List<JsonElement> values =
          metrics.entrySet().stream()
              .filter(entry ->
                  entry
                      .getKey()
                      .matches(
                          name.replace("_bytes_rate", "_rate")
                              + "(_bytes|_pages|_bytes_per_s|_ns)?"))
              .map(Map.Entry::getValue)
              .toList();
      OptionalLong known = figure.in(reading);
      assertThat(values).as(figure.name()).hasSize(known.isPresent() ? 1 : 0);
      if (known.isPresent()) {
        assertThat(values.getFirst().getAsLong()).as(figure.name()).isEqualTo(known.getAsLong());
      }
    }
  }

  private static void tiles(String html, Reading reading) {
    for (Figure figure : TILES) {
      assertThat(html)
          .contains("<span>%s</span><b>%s</b>".formatted(figure.title(), figure.text(reading)));
    }
  }

  /** A program has no figures of a migration; what it posted and polled is the same everywhere. */
  @Test
  void ofAProgram_everySurface_saysTheSame() throws Exception {
    Path file = directory.resolve("program.wrs");
    RecordedPrograms.record(file, 2, 3);
    Path table = directory.resolve("requests.csv");
    assertThat(
            CommandRun.real("export", file.toString(), "--table=requests", "--out=" + table)
                .status())
        .isZero();
    String text = CommandRun.real("replay", file.toString()).out();
    JsonObject program =
        JsonParser.parseString(CommandRun.real("replay", "--json", file.toString()).out())
            .getAsJsonArray()
            .get(0)
            .getAsJsonObject();
    assertThat(text).contains(program.get("program").getAsString());
    List<String[]> rows =
        Files.readAllLines(table).stream().skip(1).map(row -> row.split(",", -1)).toList();
    List<String> header = List.of(Files.readAllLines(table).getFirst().split(","));
    for (JsonElement each : program.getAsJsonArray("queues")) {
      JsonObject queue = each.getAsJsonObject();
      List<String[]> own =
          rows.stream()
              .filter(row ->
                  row[header.indexOf("program_queue")].equals(queue.get("name").getAsString())
                      && row[header.indexOf("queue")].equals(queue.get("queue").getAsString()))
              .toList();
      assertThat(own).hasSize(queue.get("posted").getAsInt()).isNotEmpty();
      assertThat(own.stream().filter(row -> !row[header.indexOf("covered_by")].isEmpty()))
          .hasSize(queue.get("covered").getAsInt());
      JsonObject completions = queue.getAsJsonObject("completions");
      for (String status : completions.keySet()) {
        assertThat(
                own.stream()
                    .filter(row ->
                        row[header.indexOf("status")].equals(status)
                            && row[header.indexOf("covered_by")].isEmpty()))
            .as(status)
            .hasSize(completions.get(status).getAsInt());
        assertThat(text).contains("%d %s".formatted(completions.get(status).getAsInt(), status));
      }
      assertThat(text)
          .contains(
              "%s queue: %d posted, at most %d open at once"
                  .formatted(
                      queue.get("queue").getAsString(),
                      queue.get("posted").getAsInt(),
                      queue.get("most-open").getAsInt()));
      assertThat(queue.get("open").getAsInt()).isZero();
    }
    assertThat(rows).hasSize(25);
    assertThat(program.getAsJsonObject("not-seen").asMap().values())
        .allMatch(missing -> missing.getAsInt() == 0);
  }

  /** W8, W13: a log knows neither limits nor a dirty rate, and says so. */
  @Test
  void ofALog_limitsAndDirtyRate_areNotKnown() throws Exception {
    try (Recording recording = Recording.open("FILE", file("qemu-7.2-dyn-idle.source.log"))) {
      Reading reading = recording.sessions().getFirst().reading();
      assertThat(Figure.BANDWIDTH_LIMIT.text(reading)).isEqualTo(Figure.NOT_KNOWN);
      assertThat(Figure.DOWNTIME_LIMIT.text(reading)).isEqualTo(Figure.NOT_KNOWN);
      assertThat(Figure.DIRTY_RATE.text(reading)).isEqualTo(Figure.NOT_KNOWN);
      assertThat(Figure.DOWNTIME.in(reading)).isPresent();
    }
  }
}

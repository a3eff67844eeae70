// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.analysis.Script;
import org.wridscope.control.FakeSession;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.files.Output;
import org.wridscope.files.WholeFile;
import org.wridscope.protocol.ControlType;
import org.wridscope.recording.RecordedLab;
import org.wridscope.recording.Recording;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.Role;

/** What a viewer of traces needs in order to show a migration, and all of it. */
final class PerfettoTraceTest {
  @TempDir Path directory;

  private List<JsonObject> events(SessionPair ends) throws IOException {
    Path file = Exported.write(directory, Export.of(ExportFormat.PERFETTO, Set.of()), ends);
    JsonObject trace = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    return trace.getAsJsonArray("traceEvents").asList().stream()
        .map(JsonElement::getAsJsonObject)
        .toList();
  }

  private static List<JsonObject> of(List<JsonObject> events, String type) {
    return events.stream().filter(event -> event.get("ph").getAsString().equals(type)).toList();
  }

  private static String id(JsonObject event) {
    return event.get("cat").getAsString() + event.getAsJsonObject("id2").get("local").getAsString();
  }

  @Test
  void requests_lastFromPostToCompletion_andOpenOnesHaveNoEnd() throws IOException {
    FakeSession session = Exported.session(Role.SOURCE, "made", List.of("pc.ram"));
    long wrid = Script.write(0, 1);
    new Script(session.telemetry())
        .postWrite(wrid, true)
        .completion(wrid, 0)
        .postWrite(Script.write(0, 2), true);
    List<Event> written = session.telemetry().log().read(0, Integer.MAX_VALUE);
    List<JsonObject> trace = events(Exported.ends(session));
    List<JsonObject> begun = of(trace, "b");
    List<JsonObject> ended = of(trace, "e");
    assertThat(begun).hasSize(2);
    assertThat(ended).hasSize(1);
    assertThat(id(ended.getFirst())).isEqualTo(id(begun.getFirst()));
    assertThat(begun.getFirst().get("name")).isEqualTo(ended.getFirst().get("name"));
    assertThat(nanos(begun.getFirst())).isEqualTo(written.get(0).nanos());
    assertThat(nanos(ended.getFirst())).isEqualTo(written.get(1).nanos());
    assertThat(begun.getFirst().getAsJsonObject("args").get("wrid").getAsString())
        .isEqualTo("0x" + Long.toHexString(wrid));
  }

  private static long nanos(JsonObject event) {
    return event.get("ts").getAsBigDecimal().movePointRight(3).longValueExact();
  }

  @Test
  void hostileNames_areOnlyText() throws IOException {
    for (String name : Exported.HOSTILE) {
      FakeSession session = Exported.session(Role.DESTINATION, name, Exported.HOSTILE);
      new Script(session.telemetry()).send(ControlType.READY, 0).sent();
      JsonObject process = events(Exported.ends(session)).getFirst();
      assertThat(process.getAsJsonObject("args").get("name").getAsString())
          .isEqualTo("destination " + name.replace('\ud800', '?'));
    }
  }

  /** The log of a program counts on its own clock, and not on that of this machine. */
  @Test
  void aLogOfItsOwn_hasItsOwnClock() throws IOException {
    Path log =
        Files.writeString(
            directory.resolve("own.csv"), "time_s,event,text\n1,wait,something\n2,wait_end,\n");
    try (Recording recording = Recording.open("file", log)) {
      Path file =
          Exported.write(
              Files.createDirectory(directory.resolve("trace")),
              Export.of(ExportFormat.PERFETTO, Set.of()),
              Exported.ends(recording.sessions().toArray(Session[]::new)));
      JsonObject trace = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
      assertThat(trace.getAsJsonObject("otherData").get("clock").getAsString())
          .isEqualTo("the clock of the log");
    }
  }

  /** A migration of both ends: arrows lead from one to the other, and nothing ends too early. */
  @Test
  void migration_isWhole() throws Exception {
    Path file = directory.resolve("lab.wrs");
    RecordedLab.record(file, 0);
    try (Recording recording = Recording.open("file", file)) {
      SessionPair ends = Exported.ends(recording.sessions().toArray(Session[]::new));
      List<JsonObject> trace = events(ends);
      assertThat(of(trace, "M")).extracting(event -> event.get("pid").getAsInt()).contains(1, 2);
      assertThat(of(trace, "X"))
          .isNotEmpty()
          .allMatch(slice -> slice.get("dur").getAsBigDecimal().compareTo(BigDecimal.ZERO) >= 0);
      List<JsonObject> left = of(trace, "s");
      List<JsonObject> arrived = of(trace, "f");
      assertThat(left).isNotEmpty().hasSameSizeAs(arrived);
      assertThat(left)
          .allSatisfy(begin ->
              assertThat(arrived)
                  .filteredOn(end -> end.get("id").equals(begin.get("id")))
                  .singleElement()
                  .satisfies(end -> {
                    assertThat(end.get("pid")).isNotEqualTo(begin.get("pid"));
                    assertThat(nanos(end)).isGreaterThanOrEqualTo(nanos(begin));
                  }));
      assertThat(of(trace, "b")).hasSameSizeAs(Exported.csv(directory, ExportTable.REQUESTS, ends));
    }
  }

  /** With the times of the left one; the other one is moved, and its arrows stay its own. */
  @Test
  void comparedMigrations_areAlignedInOneTrace() throws Exception {
    Path file = directory.resolve("lab.wrs");
    RecordedLab.record(file, 0);
    long later = -1_234_567_891;
    try (Recording recording = Recording.open("file", file)) {
      SessionPair ends = Exported.ends(recording.sessions().toArray(Session[]::new));
      List<JsonObject> alone = events(ends);
      Path both = directory.resolve("both.json");
      try (var out = WholeFile.create(Output.of("--out", both, ExportFormat.PERFETTO.kind()))) {
        new ComparedTrace(ends, ends, later, "Both are the same.").write(out, _ -> true);
      }
      JsonObject trace = JsonParser.parseString(Files.readString(both)).getAsJsonObject();
      JsonObject data = trace.getAsJsonObject("otherData");
      assertThat(data.get("alignment").getAsString()).isEqualTo("Both are the same.");
      assertThat(data.get("right_later_ns").getAsLong()).isEqualTo(later);
      List<JsonObject> written =
          trace.getAsJsonArray("traceEvents").asList().stream()
              .map(JsonElement::getAsJsonObject)
              .toList();
      assertThat(written).hasSize(2 * alone.size());
      for (int i = 0; i < alone.size(); i++) {
        JsonObject left = written.get(i);
        JsonObject right = written.get(alone.size() + i);
        assertThat(left.get("ts")).isEqualTo(alone.get(i).get("ts"));
        assertThat(right.get("pid").getAsInt()).isEqualTo(left.get("pid").getAsInt() + 2);
        if (left.has("ts")) {
          assertThat(nanos(right)).isEqualTo(nanos(left) + later);
        }
        if (left.has("id")) {
          assertThat(right.get("id")).isNotEqualTo(left.get("id"));
        }
      }
      assertThat(of(written, "M"))
          .extracting(name -> name.getAsJsonObject("args").get("name").getAsString())
          .anyMatch(name -> name.startsWith("left: source "))
          .anyMatch(name -> name.startsWith("right: destination "));
    }
  }
}

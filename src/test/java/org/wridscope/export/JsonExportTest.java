// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.analysis.Script;
import org.wridscope.control.FakeSession;
import org.wridscope.memory.ChunkState;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.verbs.DeviceCounter;

/** The document has the sessions, their outcome and its explanation, and the requested tables. */
final class JsonExportTest {
  @TempDir Path directory;

  private static FakeSession session() {
    FakeSession session = Exported.session(Role.SOURCE, "made", Exported.HOSTILE);
    long wrid = Script.write(0, 1);
    new Script(session.telemetry())
        .send(ControlType.READY, 0)
        .sent()
        .postWrite(wrid, true)
        .completion(wrid, 0);
    session.telemetry().setStatus(MigrationStatus.FAILED);
    session.telemetry().metrics().set(Metric.RAM_TOTAL, 1L << 52);
    session.telemetry().blocks().getFirst().setState(1, ChunkState.SENT);
    return session;
  }

  @Test
  void sharedQueue_isOneInTheReport_withWhatWasDropped() throws IOException {
    FakeSession session = session();
    session.telemetry().metrics().set(Metric.COMPLETION_QUEUE_SHARED, 1);
    session.telemetry().metrics().set(Metric.SENDS_POSTED, 3);
    session.telemetry().metrics().set(Metric.RECEIVES_POSTED, 4);
    session.telemetry().metrics().set(Metric.COMPLETIONS_DROPPED, 2);
    JsonObject end =
        Exported.json(directory, Set.of(), Exported.ends(session))
            .getAsJsonArray("sessions")
            .get(0)
            .getAsJsonObject();
    assertThat(end.get("completion_queues").getAsString()).isEqualTo("shared");
    JsonObject completions = end.getAsJsonObject("report").getAsJsonObject("completions");
    assertThat(completions.get("dropped").getAsInt()).isEqualTo(2);
    assertThat(completions.getAsJsonObject("shared").get("posted").getAsInt()).isEqualTo(7);
  }

  @Test
  void deviceCounters_haveAllTheirBits_andTheirMeaning() throws IOException {
    FakeSession session = session();
    new Script(session.telemetry())
        .at(1_500_000_000)
        .counted(new DeviceCounter("mlx5_0", 1, "out_of_buffer"), 3, true)
        .counted(new DeviceCounter("mlx5_0", 0, "of_tomorrow"), -1, false);
    JsonArray counters =
        Exported.json(directory, Set.of(), Exported.ends(session))
            .getAsJsonArray("sessions")
            .get(0)
            .getAsJsonObject()
            .getAsJsonArray("device_counters");
    assertThat(counters).hasSize(2);
    JsonObject unknown = counters.get(0).getAsJsonObject();
    assertThat(unknown.get("name").getAsString()).isEqualTo("of_tomorrow");
    assertThat(unknown.get("counted").getAsString()).isEqualTo("18446744073709551615");
    assertThat(unknown.has("means")).isFalse();
    JsonObject known = counters.get(1).getAsJsonObject();
    assertThat(known.get("device").getAsString()).isEqualTo("mlx5_0");
    assertThat(known.get("port").getAsInt()).isOne();
    assertThat(known.get("at_least").getAsBoolean()).isTrue();
    assertThat(known.get("means").getAsString()).contains("no receive posted");
    assertThat(known.get("first_s").getAsString()).isEqualTo(known.get("last_s").getAsString());
  }

  @Test
  void document_hasIdentityOutcomeAndExplanation() throws IOException {
    FakeSession session = session();
    JsonObject document = Exported.json(directory, Set.of(), Exported.ends(session));
    assertThat(document.get("format").getAsString()).isEqualTo("wridscope-export");
    assertThat(document.get("version").getAsInt()).isEqualTo(1);
    JsonObject end = document.getAsJsonArray("sessions").get(0).getAsJsonObject();
    assertThat(end.get("end").getAsString()).isEqualTo("source");
    assertThat(end.get("status").getAsString()).isEqualTo("failed");
    assertThat(end.get("outcome").getAsString()).isEqualTo("made");
    assertThat(end.getAsJsonObject("metrics").get("ram_total_bytes").getAsLong())
        .isEqualTo(1L << 52);
    assertThat(end.getAsJsonObject("report").getAsJsonObject("ram").get("total").getAsLong())
        .isEqualTo(1L << 52);
    JsonObject block = end.getAsJsonArray("blocks").get(0).getAsJsonObject();
    assertThat(block.getAsJsonObject("states").get("sent").getAsInt()).isEqualTo(1);
    assertThat(block.getAsJsonObject("states").get("not_registered").getAsInt()).isEqualTo(2);
    for (int i = 0; i < Exported.HOSTILE.size(); i++) {
      assertThat(end.getAsJsonArray("blocks").get(i).getAsJsonObject().get("name").getAsString())
          .isEqualTo(Exported.HOSTILE.get(i).replace('\ud800', '?'));
    }
    JsonObject latency = end.getAsJsonArray("latencies").get(0).getAsJsonObject();
    assertThat(latency.get("kind").getAsString()).isEqualTo("WRITE");
    assertThat(latency.get("requests").getAsInt()).isOne();
    assertThat(latency.get("p50_us").getAsDouble()).isBetween(0.98, 1.02);
    assertThat(document.getAsJsonObject("explanation").get("verdict").getAsString())
        .isEqualTo("failed");
    assertThat(document.has("samples")).isTrue();
    assertThat(document.has("messages")).isTrue();
    assertThat(document.has("events")).isFalse();
  }

  @Test
  void tables_haveTheColumnsOfTheCsv_andEveryRow() throws IOException {
    FakeSession session = session();
    JsonObject document =
        Exported.json(directory, EnumSet.allOf(ExportTable.class), Exported.ends(session));
    JsonArray events = document.getAsJsonArray("events");
    List<Event> written = session.telemetry().log().read(0, Integer.MAX_VALUE);
    assertThat(events).hasSameSizeAs(written);
    for (int i = 0; i < written.size(); i++) {
      JsonObject event = events.get(i).getAsJsonObject();
      assertThat(event.get("kind").getAsString()).isEqualTo(written.get(i).kind().name());
      assertThat(event.get("argument").getAsLong()).isEqualTo(written.get(i).argument());
      assertThat(event.get("time_s").getAsBigDecimal().movePointRight(9).longValueExact())
          .isEqualTo(written.get(i).nanos() - session.telemetry().startNanos());
    }
    assertThat(document.getAsJsonArray("requests"))
        .extracting(JsonElement::getAsJsonObject)
        .extracting(row -> row.get("kind").getAsString())
        .containsExactly("SEND", "WRITE");
    assertThat(document.getAsJsonArray("messages")).hasSize(1);
  }
}

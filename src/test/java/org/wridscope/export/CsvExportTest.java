// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import de.siegmar.fastcsv.reader.NamedCsvRecord;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.Slow;
import org.wridscope.analysis.Script;
import org.wridscope.control.FakeSession;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.Role;

/** CSV tables agree with the events; another library reads them back. */
@Slow("whole migrations, in real time")
final class CsvExportTest {
  private static final BigDecimal NANOS = BigDecimal.valueOf(1_000_000_000L);

  @TempDir Path directory;

  private static long nanos(String seconds, long origin) {
    return new BigDecimal(seconds).multiply(NANOS).longValueExact() + origin;
  }

  /** Random events in the order of time. */
  private static void fill(FakeSession session, long seed, int count) {
    var random = new SplittableRandom(seed);
    long now = session.telemetry().startNanos();
    EventKind[] kinds = EventKind.values();
    for (int i = 0; i < count; i++) {
      now += random.nextLong(1, 1L << random.nextInt(1, 40));
      session
          .telemetry()
          .log()
          .add(
              now,
              kinds[random.nextInt(kinds.length)],
              random.nextInt(1 << 16),
              random.nextInt(),
              random.nextLong() >>> random.nextInt(64),
              random.nextLong() >> random.nextInt(64));
    }
  }

  @ParameterizedTest
  @EnumSource(Role.class)
  void events_readBack_areThoseOfTheLog(Role role) throws IOException {
    for (long seed = 1; seed <= 20; seed++) {
      FakeSession session = Exported.session(role, "made", Exported.HOSTILE);
      fill(session, seed, 500);
      long origin = session.telemetry().startNanos();
      var read = new ArrayList<Event>();
      for (NamedCsvRecord row :
          Exported.csv(directory, ExportTable.EVENTS, Exported.ends(session))) {
        String wrid = row.getField("wrid");
        read.add(
            new Event(
                Long.parseLong(row.getField("number")),
                nanos(row.getField("time_s"), origin),
                EventKind.valueOf(row.getField("kind")),
                Integer.parseInt(row.getField("detail")),
                Integer.parseInt(row.getField("length")),
                wrid.isEmpty() ? 0 : Long.parseUnsignedLong(wrid.substring(2), 16),
                Long.parseLong(row.getField("argument"))));
        assertThat(row.getField("end")).isEqualTo(role == Role.SOURCE ? "source" : "destination");
        assertThat(Instant.parse(row.getField("utc"))).isAfter(Instant.EPOCH);
      }
      assertThat(read)
          .as("seed %d", seed)
          .isEqualTo(session.telemetry().log().read(0, Integer.MAX_VALUE));
    }
  }

  @Test
  void names_areUnchangedTexts_andNeverFormulas() throws IOException {
    FakeSession session = Exported.session(Role.DESTINATION, "made", Exported.HOSTILE);
    var script = new Script(session.telemetry());
    for (int block = 0; block < Exported.HOSTILE.size(); block++) {
      script.postWrite(Script.write(block, 2), true);
    }
    List<NamedCsvRecord> rows = Exported.csv(directory, ExportTable.EVENTS, Exported.ends(session));
    for (int block = 0; block < Exported.HOSTILE.size(); block++) {
      NamedCsvRecord row = rows.get(block);
      String name = row.getField("block_name");
      assertThat(Exported.unguarded(name))
          .isEqualTo(Exported.HOSTILE.get(block).replace('\ud800', '?'));
      assertThat(row.getField("block")).isEqualTo(String.valueOf(block));
      assertThat(row.getField("chunk")).isEqualTo("2");
      for (String column : List.of("block_name", "text")) {
        assertThat(row.getField(column)).doesNotMatch("(?s)[=+\\-@\t\r\n＝＋－＠].*");
      }
    }
  }

  @Test
  void requests_areAllThatWerePosted() throws IOException {
    FakeSession session = Exported.session(Role.SOURCE, "made", List.of("pc.ram"));
    var script = new Script(session.telemetry());
    // Several segments of the log. Logs of other tests count until they are collected.
    int count = 60_000;
    System.gc();
    for (int i = 0; i < count; i++) {
      long wrid = Script.write(0, i % 3);
      script.postWrite(wrid, true).completion(wrid, 0);
    }
    List<NamedCsvRecord> rows =
        Exported.csv(directory, ExportTable.REQUESTS, Exported.ends(session));
    assertThat(rows).hasSize(count);
    for (int i = 0; i < count; i++) {
      NamedCsvRecord row = rows.get(i);
      assertThat(row.getField("number")).isEqualTo(String.valueOf(i));
      assertThat(row.getField("latency_us")).isEqualTo("1.000");
      assertThat(row.getField("chunk")).isEqualTo(String.valueOf(i % 3));
      assertThat(row.getField("status")).isEqualTo("SUCCESS");
    }
  }

  @Test
  void requests_haveTheirCompletions() throws IOException {
    FakeSession session = Exported.session(Role.DESTINATION, "made", List.of("pc.ram"));
    long first = Script.write(0, 0);
    long second = Script.write(0, 1);
    new Script(session.telemetry())
        .postReceive(1)
        .postWrite(first, false)
        .postWrite(second, true)
        .send(ControlType.READY, 0)
        .wait("the SEND of READY to complete", WorkRequestId.CONTROL_SEND)
        .completion(second, 0)
        .receiveCompletion(1)
        .dropped("the SEND of READY to complete", WorkRequestId.CONTROL_RECEIVE + 1)
        .postReceive(2)
        .completion(WorkRequestId.CONTROL_SEND, 12);
    List<NamedCsvRecord> rows =
        Exported.csv(directory, ExportTable.REQUESTS, Exported.ends(session));
    assertThat(rows)
        .extracting(
            row -> row.getField("queue"),
            row -> row.getField("kind"),
            row -> row.getField("message"),
            row -> row.getField("signaled"),
            row -> row.getField("covered_by"),
            row -> row.getField("status"),
            row -> row.getField("dropped"))
        .containsExactly(
            tuple("send", "WRITE", "", "false", "1", "SUCCESS", "false"),
            tuple("send", "WRITE", "", "true", "", "SUCCESS", "false"),
            tuple("send", "SEND", "READY", "true", "", "RETRY_EXC_ERR", "false"),
            tuple("receive", "RECEIVE", "", "true", "", "SUCCESS", "true"),
            tuple("receive", "RECEIVE", "", "true", "", "", "false"));
    assertThat(rows.getLast().getField("completed_s")).isEmpty();
    assertThat(rows.getLast().getField("latency_us")).isEmpty();
  }

  @Test
  void samples_haveEveryMetric() throws IOException {
    FakeSession session = Exported.session(Role.SOURCE, "made", List.of("pc.ram"));
    long origin = session.telemetry().startNanos();
    var metrics = new Metrics();
    for (int i = 0; i < 5; i++) {
      for (Metric metric : Metric.values()) {
        metrics.set(metric, i * 1000L + metric.ordinal());
      }
      session.telemetry().history().add(origin + i * 20_000_000L, metrics);
    }
    List<NamedCsvRecord> rows =
        Exported.csv(directory, ExportTable.SAMPLES, Exported.ends(session));
    assertThat(rows).hasSize(5);
    for (int i = 0; i < 5; i++) {
      assertThat(nanos(rows.get(i).getField("time_s"), 0)).isEqualTo(i * 20_000_000L);
      for (Metric metric : Metric.values()) {
        assertThat(rows.get(i).getField(SampleRow.name(metric)))
            .isEqualTo(String.valueOf(i * 1000L + metric.ordinal()));
      }
    }
  }

  @Test
  void messages_ofBothEnds_arePairedAndInOrder() throws IOException {
    FakeSession source = Exported.session(Role.SOURCE, "source", List.of("pc.ram"));
    FakeSession destination = Exported.session(Role.DESTINATION, "destination", List.of("pc.ram"));
    long start = source.telemetry().startNanos();
    new Script(destination.telemetry(), start)
        .at(0)
        .postReceive(0)
        .at(1_000)
        .send(ControlType.READY, 0)
        .at(9_000)
        .receive(0, ControlType.REGISTER_REQUEST, 24);
    new Script(source.telemetry(), start)
        .at(0)
        .postReceive(0)
        .at(3_000)
        .receive(0, ControlType.READY, 0)
        .at(6_000)
        .send(ControlType.REGISTER_REQUEST, 24);
    List<NamedCsvRecord> rows =
        Exported.csv(directory, ExportTable.MESSAGES, Exported.ends(source, destination));
    assertThat(rows)
        .extracting(
            row -> row.getField("from"),
            row -> row.getField("message"),
            row -> row.getField("length_bytes"),
            row -> row.getField("sent_s"),
            row -> row.getField("transit_us"))
        .containsExactly(
            tuple("destination", "READY", "0", "0.000001000", "2.000"),
            tuple("source", "REGISTER REQUEST", "24", "0.000006000", "3.000"));
  }
}

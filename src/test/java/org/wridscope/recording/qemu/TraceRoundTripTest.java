// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.wridscope.Slow;
import org.wridscope.control.Lab;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.Session;
import org.wridscope.control.scenario.Exploration;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Scenarios;
import org.wridscope.control.scenario.Schedule;
import org.wridscope.control.scenario.SmallScenario;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.control.schedule.ScheduleChooser;
import org.wridscope.control.schedule.ScheduledRun;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.recording.Recorder;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/**
 * Whatever is recorded, written as a trace of QEMU and opened again has the same registrations,
 * completions, messages and chunk states: both ends of each shipped scenario, and of explored ones,
 * under schedules. {@code ./check -Dtest=TraceRoundTripTest -Dwridscope.explored=1000} explores a
 * thousand.
 */
@Slow("every shipped scenario is run and read back")
@Timeout(value = 3_600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TraceRoundTripTest {
  private static final int EXPLORED = Integer.getInteger("wridscope.explored", 40);

  /** Explored scenarios, with which each run of a shipped scenario is made. */
  private static final int ALL = 1_000;

  /** Most runs of a shipped scenario, otherwise. */
  private static final int MOST_RUNS = 4;

  /** What counts registrations, and requests that have posts and completions in a trace. */
  private static final Set<Metric> COUNTED =
      EnumSet.of(
          Metric.REGISTRATIONS_TOTAL,
          Metric.DEREGISTRATIONS_TOTAL,
          Metric.REGISTRATIONS_ALIVE,
          Metric.REGISTRATIONS_PEAK,
          Metric.REGISTERED_BYTES,
          Metric.REGISTERED_BYTES_PEAK,
          Metric.WRITES_POSTED,
          Metric.WRITES_COMPLETED,
          Metric.SENDS_POSTED,
          Metric.SENDS_COMPLETED,
          Metric.RECEIVES_COMPLETED,
          Metric.COMPLETIONS_DROPPED,
          Metric.COMPLETIONS_MET,
          Metric.FAILED_COMPLETIONS);

  @TempDir Path directory;

  static Stream<String> shipped() {
    return Scenarios.shipped().stream().map(Scenario::name);
  }

  @ParameterizedTest
  @MethodSource("shipped")
  void shipped_isTheSameAfterwards(String name) throws Exception {
    Scenario scenario = SmallScenario.of(Scenarios.find(name));
    int step = EXPLORED < ALL ? Math.ceilDiv(scenario.runs(), MOST_RUNS) : 1;
    for (int run = 0; run < scenario.runs(); run += step) {
      roundTrip(scenario, run);
    }
  }

  @Test
  void explored_isTheSameAfterwards() throws Exception {
    for (long seed = 1; seed <= EXPLORED; seed++) {
      roundTrip(Exploration.of("explored", seed).with(Schedule.of(seed)), 0);
    }
  }

  private void roundTrip(Scenario scenario, int run) throws Exception {
    Path file = directory.resolve("recording.wrs");
    ScheduledRun.under(
        new ScheduleChooser(scenario.schedule()),
        scenario.seed(),
        () -> {
          record(scenario, run, file);
          return true;
        });
    try (Recording recording = Recording.open("FILE", file)) {
      assertThat(recording.notes()).isEmpty();
      for (RecordedSession recorded : recording.sessions()) {
        roundTrip(recorded, "%s, run %d, %s".formatted(scenario.title(), run, recorded.role()));
      }
    }
  }

  private static void record(Scenario scenario, int run, Path file)
      throws IOException, InterruptedException {
    try (var sessions = new LocalSessions();
        var recorder =
            Recorder.begin(Output.of("--record", file, FileKind.RECORDING).replacing())) {
      Lab lab = sessions.startLab(scenario.lab(), scenario.faults(run));
      recorder.add(lab.source());
      recorder.add(lab.destination());
      Verdict.await(scenario, run, lab, () -> {});
      for (Session session : List.of(lab.source(), lab.destination())) {
        assertThat(session.status().isEnd()).as("%s has ended", session.name()).isTrue();
      }
    }
  }

  private void roundTrip(RecordedSession recorded, String what) throws IOException {
    var lines = new ArrayList<String>();
    QemuTraceText.write(recorded, new QemuTraceText.Form(true, false, false), lines::add);
    Path log = directory.resolve("trace.log");
    Files.write(log, lines);
    try (Recording read = Recording.open("FILE", log)) {
      assertThat(read.notes()).as(what).isEmpty();
      assertSame(recorded, read.sessions().getFirst(), what);
    } catch (AssertionError e) {
      Path kept = Files.createTempFile("trace-", ".log");
      Files.write(kept, lines);
      throw new AssertionError("%s, trace in %s: %s".formatted(what, kept, e.getMessage()), e);
    }
  }

  private static void assertSame(RecordedSession recorded, RecordedSession read, String what)
      throws IOException {
    assertThat(read.role()).as(what).isEqualTo(recorded.role());
    assertThat(read.status()).as(what).isEqualTo(recorded.status());
    assertThat(registrations(read)).as(what).isEqualTo(registrations(recorded));
    assertThat(requests(read)).as(what).isEqualTo(requests(recorded));
    assertThat(received(read)).as(what).isEqualTo(received(recorded));
    assertThat(messages(read)).as(what).isEqualTo(messages(recorded));
    assertThat(keys(read)).as(what).isEqualTo(keys(recorded));
    assertChunks(recorded, read, what);
    for (Metric metric : COUNTED) {
      assertThat(read.telemetry().metrics().get(metric))
          .as("%s, %s", what, metric)
          .isEqualTo(recorded.telemetry().metrics().get(metric));
    }
  }

  private static List<Event> events(RecordedSession session) throws IOException {
    var events = new ArrayList<Event>();
    session.forEachEvent(events::add);
    return events;
  }

  private static String run(Event event) {
    return "block %d chunk %d +%d"
        .formatted(
            WorkRequestId.block(event.wrid()), WorkRequestId.chunk(event.wrid()), event.length());
  }

  private static List<String> registrations(RecordedSession session) throws IOException {
    return events(session).stream()
        .filter(
            event -> event.kind() == EventKind.REGISTERED || event.kind() == EventKind.DEREGISTERED)
        .map(event -> event.kind() + " " + run(event))
        .toList();
  }

  /** Keys of the destination; with pin-all they are in no trace. */
  private static List<String> keys(RecordedSession session) throws IOException {
    return events(session).stream()
        .filter(event -> event.kind() == EventKind.KEY_GIVEN)
        .map(event -> "%s: %x".formatted(run(event), event.argument()))
        .toList();
  }

  /** A request of the send queue. */
  private static final class Request {
    final long wrid;
    final String what;
    final boolean signaled;
    String end = "open";

    Request(long wrid, String what, boolean signaled) {
      this.wrid = wrid;
      this.what = what;
      this.signaled = signaled;
    }

    boolean isOpen() {
      return end.equals("open");
    }
  }

  /**
   * The requests of the send queue, in the order of their posts, and how they ended: a completion
   * is that of the oldest request with its wrid that can complete, and all before have succeeded.
   */
  private static List<String> requests(RecordedSession session) throws IOException {
    var requests = new ArrayList<Request>();
    for (Event event : events(session)) {
      switch (event.kind()) {
        case POST_WRITE ->
            requests.add(
                new Request(
                    event.wrid(),
                    WorkRequestId.describe(event.wrid()) + " of " + event.length() + " bytes",
                    event.detail() == 1));
        case CONTROL_SENT ->
            requests.add(
                new Request(event.wrid(), String.valueOf(ControlType.of(event.detail())), true));
        case COMPLETION_SEND_QUEUE -> complete(requests, event);
        default -> {
          // of no request of the send queue
        }
      }
    }
    return requests.stream().map(request -> request.what + ": " + request.end).toList();
  }

  private static void complete(List<Request> requests, Event completion) {
    boolean ok = completion.detail() == 0;
    for (Request request : requests) {
      if (request.isOpen() && request.wrid == completion.wrid() && (request.signaled || !ok)) {
        request.end = "status " + completion.detail();
        return;
      }
      if (request.isOpen() && (!request.signaled || !ok)) {
        request.end = "status 0";
      }
    }
    throw new AssertionError("a completion without a request: " + completion);
  }

  /** The completions of receives; QEMU does not tell which one failed. */
  private static List<String> received(RecordedSession session) throws IOException {
    return events(session).stream()
        .filter(event ->
            event.kind() == EventKind.COMPLETION_RECEIVE_QUEUE
                || event.kind() == EventKind.COMPLETION_DROPPED
                || event.kind() == EventKind.COMPLETION_MET)
        .map(event ->
            event.kind() != EventKind.COMPLETION_RECEIVE_QUEUE || event.detail() == 0
                ? event.kind() + " " + WorkRequestId.type(event.wrid())
                : "failed with status " + event.detail())
        .toList();
  }

  private static List<String> messages(RecordedSession session) throws IOException {
    return events(session).stream()
        .filter(event ->
            event.kind() == EventKind.CONTROL_SENT || event.kind() == EventKind.CONTROL_RECEIVED)
        .map(event -> event.kind() + " " + ControlType.of(event.detail()))
        .toList();
  }

  private static void assertChunks(RecordedSession recorded, RecordedSession read, String what) {
    List<ChunkTable> expected = recorded.telemetry().blocks();
    List<ChunkTable> found = read.telemetry().blocks();
    assertThat(found.stream().map(ChunkTable::name))
        .as(what)
        .containsExactlyElementsOf(expected.stream().map(ChunkTable::name).toList());
    for (ChunkTable table : expected) {
      ChunkTable same = found.get(table.index());
      assertThat(same.chunkCount()).as("%s, %s", what, table.name()).isEqualTo(table.chunkCount());
      for (int chunk = 0; chunk < table.chunkCount(); chunk++) {
        String where = "%s, %s chunk %d".formatted(what, table.name(), chunk);
        assertThat(same.inTransit(chunk)).as(where).isEqualTo(table.inTransit(chunk));
        assertThat(same.timesSent(chunk)).as(where).isEqualTo(table.timesSent(chunk));
        if (isDirtied(table.state(chunk), recorded)
            || (table.state(chunk) == ChunkState.SENT
                && same.state(chunk) == ChunkState.DIRTY_AGAIN)) {
          // No trace tells which chunks the guest writes to, nor how often it did.
          assertThat(same.state(chunk)).as(where).isNotEqualTo(ChunkState.IN_TRANSIT);
        } else {
          assertThat(same.state(chunk)).as(where).isEqualTo(table.state(chunk));
        }
      }
    }
  }

  /** Whether a chunk may have been written to by the guest after it was sent. */
  private static boolean isDirtied(ChunkState state, RecordedSession session) {
    return state == ChunkState.DIRTY_AGAIN
        && session.role() == Role.SOURCE
        && session.status() != MigrationStatus.COMPLETED;
  }
}

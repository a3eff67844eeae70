// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.recording.Recording;
import org.wridscope.recording.file.RecordingException;
import org.wridscope.recording.replay.ClockAlignment;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;

/** Trace logs of QEMU 7.2 over soft-RoCE, opened as recordings. */
final class QemuLogTest {
  private static final long SEED = 11;

  /**
   * Events that are written again exactly as QEMU wrote them, except for offsets of RAM, which are
   * not kept.
   */
  private static final Set<String> FAITHFUL =
      Set.of(
          "qemu_rdma_post_send_control",
          "qemu_rdma_poll_other",
          "qemu_rdma_poll_recv",
          "qemu_rdma_poll_write",
          "qemu_rdma_exchange_get_response_start",
          "qemu_rdma_exchange_get_response_none",
          "qemu_rdma_exchange_send_waiting",
          "qemu_rdma_exchange_send_received",
          "qemu_rdma_write_one_post",
          "qemu_rdma_write_one_zero",
          "qemu_rdma_register_and_get_keys",
          "qemu_rdma_registration_handle_compress",
          "qemu_rdma_registration_handle_register",
          "qemu_rdma_registration_handle_register_rkey",
          "qemu_rdma_registration_handle_ram_blocks",
          "qemu_rdma_registration_handle_finished",
          "qemu_rdma_cleanup_disconnect",
          "migrate_set_state");

  @TempDir Path directory;

  private Path log(String name) throws IOException {
    Path file = directory.resolve(name);
    try (InputStream in = QemuLogTest.class.getResourceAsStream(name)) {
      assertThat(in).as(name).isNotNull();
      Files.write(file, in.readAllBytes());
    }
    return file;
  }

  private static List<Event> events(RecordedSession session) {
    return session.telemetry().log().read(0, Integer.MAX_VALUE);
  }

  @Test
  void source_agreesWithQueryMigrate() throws Exception {
    try (Recording recording = Recording.open("file", log("qemu-7.2-dyn-idle.source.log"))) {
      assertThat(recording.notes()).isEmpty();
      RecordedSession source = recording.sessions().getFirst();
      assertThat(source.role()).isEqualTo(Role.SOURCE);
      assertThat(source.ofQemu()).isTrue();
      assertThat(source.device()).isEqualTo("rxe0");
      assertThat(source.uri()).isEqualTo("rdma:10.9.0.1");
      assertThat(source.status()).isEqualTo(MigrationStatus.COMPLETED);
      // From its query-migrate: normal, duplicate, dirty-sync-count, total-time 1113.
      var metrics = source.telemetry().metrics();
      assertThat(metrics.get(Metric.NORMAL_PAGES)).isEqualTo(1142);
      assertThat(metrics.get(Metric.DUPLICATE_PAGES)).isEqualTo(19488);
      assertThat(metrics.get(Metric.RAM_TOTAL)).isEqualTo(84484096);
      assertThat(metrics.get(Metric.DIRTY_SYNC_COUNT)).isEqualTo(3);
      assertThat(source.report().totalTime()).isBetween(1100L, 1130L);
      assertThat(source.report().downtime()).isBetween(80L, 100L);
      assertThat(source.telemetry().phases().stream().map(Phase::name))
          .containsExactly("connect", "set-up", "round 1", "round 2", "switch-over", "completed");
      for (ChunkTable table : source.telemetry().blocks()) {
        for (int i = 0; i < table.chunkCount(); i++) {
          assertThat(table.inTransit(i)).isZero();
          assertThat(table.state(i)).isIn(ChunkState.SENT, ChunkState.ZERO);
        }
      }
    }
  }

  @Test
  void bothLogs_becomeOneMigration() throws Exception {
    try (Recording there = Recording.open("file", log("qemu-7.2-dyn-idle.source.log"));
        Recording here = Recording.open("file", log("qemu-7.2-dyn-idle.dest.log"))) {
      RecordedSession source = there.sessions().getFirst();
      RecordedSession destination = here.sessions().getFirst();
      assertThat(destination.role()).isEqualTo(Role.DESTINATION);
      assertThat(destination.telemetry().blocks().stream().map(ChunkTable::name))
          .containsExactlyElementsOf(
              source.telemetry().blocks().stream().map(ChunkTable::name).toList());
      for (int b = 0; b < source.telemetry().blocks().size(); b++) {
        ChunkTable ours = source.telemetry().blocks().get(b);
        ChunkTable theirs = destination.telemetry().blocks().get(b);
        for (int i = 0; i < ours.chunkCount(); i++) {
          assertThat(theirs.remoteKey(i)).isEqualTo(ours.remoteKey(i));
          assertThat(theirs.state(i) == ChunkState.ZERO)
              .isEqualTo(ours.state(i) == ChunkState.ZERO);
        }
      }
      for (ControlType type : ControlType.values()) {
        assertThat(destination.telemetry().messagesReceived().get(type))
            .as("%s", type)
            .isEqualTo(source.telemetry().messagesSent().get(type));
      }
      // Both ran on the same host.
      ClockAlignment alignment = ClockAlignment.of(source, destination);
      assertThat(alignment.byMessages()).as(alignment.sentence()).isFalse();
      assertThat(alignment.shiftNanos()).isZero();
      assertThat(alignment.messages()).isGreaterThan(200);
    }
  }

  @Test
  void clocksThatDisagree_areAlignedByMessages() throws Exception {
    Path moved = log("qemu-7.2-dyn-idle.dest.log");
    // An hour fast: the ten digits after the thread are seconds.
    Files.writeString(
        moved,
        Files.readAllLines(moved).stream()
            .map(QemuLogTest::anHourLater)
            .collect(Collectors.joining("\n")));
    try (Recording there = Recording.open("file", log("qemu-7.2-dyn-idle.source.log"));
        Recording here = Recording.open("file", moved)) {
      RecordedSession source = there.sessions().getFirst();
      ClockAlignment alignment = ClockAlignment.of(source, here.sessions().getFirst());
      assertThat(alignment.byMessages()).isTrue();
      assertThat(alignment.shiftNanos() + 3_600_000_000_000L).isBetween(-5_000_000L, 5_000_000L);
      RecordedSession destination = here.sessions().getFirst().shifted(alignment.shiftNanos());
      assertThat(ClockAlignment.of(source, destination).shiftNanos())
          .isBetween(-5_000_000L, 5_000_000L);
      assertThat(destination.lastNanos()).isGreaterThan(source.firstNanos());
    }
  }

  private static String anHourLater(String line) {
    int at = line.indexOf('@');
    return at < 0
        ? line
        : line.substring(0, at + 1)
            + (Long.parseLong(line.substring(at + 1, at + 11)) + 3600)
            + line.substring(at + 11);
  }

  private static List<String> written(RecordedSession session, QemuTraceText.Form form)
      throws IOException {
    var lines = new ArrayList<String>();
    QemuTraceText.write(session, form, lines::add);
    return lines;
  }

  private static Stream<String> faithful(Stream<String> lines) {
    return lines
        .filter(line -> FAITHFUL.contains(line.split(" ", 2)[0]))
        .map(line -> line.replaceAll("offset:? \\d+$", ""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "qemu-7.2-dyn-idle.source.log",
        "qemu-7.2-dyn-idle.dest.log",
        "qemu-7.2-pinall-idle.dest.log",
        "qemu-7.2-dest-killed.source.log"
      })
  void ourText_equalsThatOfQemu_lineByLine(String name) throws Exception {
    Path log = log(name);
    try (Recording recording = Recording.open("file", log)) {
      List<String> ours =
          written(recording.sessions().getFirst(), new QemuTraceText.Form(false, false, false));
      List<String> theirs =
          Files.readAllLines(log).stream()
              .map(line -> line.replaceFirst("^\\d+@\\d+\\.\\d+:", ""))
              .toList();
      List<String> expected = faithful(theirs.stream()).toList();
      assertThat(expected).hasSizeGreaterThan(200);
      // With pin-all, QEMU registers without tracing it.
      assertThat(faithful(ours.stream().filter(l -> !isWholeBlock(l, name))).toList())
          .isEqualTo(expected);
    }
  }

  private static boolean isWholeBlock(String line, String name) {
    return name.contains("pinall")
        && (line.startsWith("qemu_rdma_register_and_get_keys")
            || line.startsWith("qemu_rdma_registration_handle_register_rkey"));
  }

  @Test
  void timesOfLines_areThoseOfTheLog() throws Exception {
    Path log = log("qemu-7.2-dyn-idle.source.log");
    Set<String> theirs =
        Files.readAllLines(log).stream()
            .map(line -> line.replaceFirst("^\\d+@", ""))
            .collect(Collectors.toSet());
    try (Recording recording = Recording.open("file", log)) {
      List<String> ours =
          written(recording.sessions().getFirst(), new QemuTraceText.Form(true, false, false));
      List<String> posts = ours.stream().filter(l -> l.contains("write_one_post")).toList();
      assertThat(posts).isNotEmpty();
      assertThat(posts.stream().map(line -> line.replaceFirst("^\\d+@", "")))
          .allMatch(theirs::contains);
    }
  }

  @Test
  void failure_hasTheErrorMessageOfQemu() throws Exception {
    try (Recording killed = Recording.open("file", log("qemu-7.2-dest-killed.source.log"));
        Recording mismatch = Recording.open("file", log("qemu-7.2-mismatch-mem.dest.log"))) {
      RecordedSession source = killed.sessions().getFirst();
      assertThat(source.status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(source.outcome()).startsWith("QEMU said: ").contains("qemu-system-x86_64");
      RecordedSession destination = mismatch.sessions().getFirst();
      assertThat(destination.status()).isEqualTo(MigrationStatus.FAILED);
      // Its last line is "load of migration failed", as after any failure.
      assertThat(destination.outcome()).contains("Size mismatch: pc.ram: 0x4000000 != 0x3000000");
    }
  }

  @Test
  void sharedQueue_isRecognizedByAWaitThatMetTheOtherQueue() throws Exception {
    Path split = log("qemu-7.2-dyn-idle.source.log");
    try (Recording recording = Recording.open("file", split)) {
      RecordedSession source = recording.sessions().getFirst();
      assertThat(Objects.requireNonNull(source.report().completions()).shared()).isNull();
    }
    Path shared = directory.resolve("shared.log");
    Files.write(shared, Files.readAllBytes(split));
    Files.writeString(
        shared,
        "qemu_rdma_block_for_wrid_miss A Wanted wrid CONTROL SEND (2000) but got CONTROL RECV"
            + " (4000)\n",
        StandardOpenOption.APPEND);
    try (Recording recording = Recording.open("file", shared)) {
      RecordedSession source = recording.sessions().getFirst();
      var completions = Objects.requireNonNull(source.report().completions());
      assertThat(completions.shared()).isEqualTo(completions.send().plus(completions.receive()));
      assertThat(completions.dropped()).isEqualTo(1);
      source.moveTo(source.firstNanos());
      assertThat(source.telemetry().metrics().sharesCompletionQueue())
          .as("from the beginning")
          .isTrue();
    }
  }

  @Test
  void logWithoutTimes_isShownInItsOrder_withANote() throws Exception {
    try (Recording recording = Recording.open("file", log("qemu-7.2-no-times.source.log"))) {
      assertThat(recording.notes()).anyMatch(note -> note.contains("has no times"));
      RecordedSession session = recording.sessions().getFirst();
      assertThat(events(session))
          .filteredOn(event -> event.kind() == EventKind.POST_WRITE)
          .isNotEmpty();
      assertThat(session.lastNanos()).isLessThanOrEqualTo(500_000);
    }
  }

  @Test
  void linesThatAreNotUnderstood_areCountedInANote() throws Exception {
    Path log = log("qemu-7.2-dyn-idle.source.log");
    var lines = new ArrayList<>(Files.readAllLines(log));
    lines.add(40, "something else entirely");
    lines.add(50, "161@1795246251.000000:qemu_rdma_post_send_control CONTROL: sending NONSENSE..");
    lines.add(60, "161@1795246251.000000:qemu_rdma_frobnicate 1 2 3");
    lines.add(
        70,
        "161@1795246251.000000:qemu_rdma_poll_write completions WRITE RDMA (1) left 1, block"
            + " 99999999999, chunk: 0 0x0 0x0");
    Files.write(log, lines);
    try (Recording recording = Recording.open("file", log)) {
      assertThat(recording.notes())
          .hasSize(2)
          .anySatisfy(note -> assertThat(note).contains(": qemu_rdma_frobnicate (1)."))
          .anySatisfy(note ->
              assertThat(note)
                  .startsWith("3 of ")
                  .endsWith("the first one is: something else entirely"));
    }
  }

  @Test
  void tamperedLog_neverBreaksTheImporter() throws Exception {
    var random = new SplittableRandom(SEED);
    Path log = directory.resolve("bad.log");
    for (String name : List.of("qemu-7.2-dyn-idle.source.log", "qemu-7.2-dyn-idle.dest.log")) {
      List<String> sound = Files.readAllLines(log(name));
      for (int round = 0; round < 25; round++) {
        var lines = new ArrayList<>(sound);
        for (int i = 0; i < 200; i++) {
          int at = random.nextInt(lines.size());
          lines.set(at, tampered(lines.get(at), random));
        }
        Files.write(log, lines, StandardCharsets.UTF_8);
        try (Recording recording = Recording.open("file", log)) {
          for (RecordedSession session : recording.sessions()) {
            session.moveTo((session.firstNanos() + session.lastNanos()) / 2);
            written(session, new QemuTraceText.Form(true, false, true));
          }
        } catch (RecordingException e) {
          assertThat(e).hasMessageContaining("cannot be opened");
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private static String tampered(String line, SplittableRandom random) {
    if (line.isEmpty()) {
      return line;
    }
    int at = random.nextInt(line.length());
    return switch (random.nextInt(4)) {
      case 0 -> line.substring(0, at);
      case 1 -> line.substring(0, at) + line.substring(at).replaceAll("\\d+", "99999999999999999");
      case 2 -> line.substring(0, at) + (char) random.nextInt(32, 127) + line.substring(at);
      default -> line.substring(at) + line;
    };
  }
}

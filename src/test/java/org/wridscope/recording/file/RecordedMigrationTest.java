// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.Slow;
import org.wridscope.TimeLimit;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.Requests;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.Session;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.guest.virtio.QueueSnapshot;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ControlType;
import org.wridscope.recording.Recorder;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.OperatorAct;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;

/** A recorded migration is replayed exactly. */
@Slow("whole migrations, in real time")
final class RecordedMigrationTest {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long SEED = 7;

  @TempDir Path directory;

  private Path file() {
    return directory.resolve("lab.wrs");
  }

  /** Everything observable of a session at one moment. */
  private record Seen(
      MigrationStatus status,
      String waitingFor,
      List<Long> metrics,
      List<Long> messages,
      List<Event> events,
      List<String> phases,
      List<String> chunks,
      int samples,
      boolean guestRunning,
      Optional<VirtioSnapshot> virtio) {

    static Seen of(Session session) {
      SessionTelemetry telemetry = session.telemetry();
      var messages = new ArrayList<Long>();
      for (ControlType type : ControlType.values()) {
        messages.add(telemetry.messagesSent().get(type));
        messages.add(telemetry.messagesReceived().get(type));
      }
      return new Seen(
          telemetry.status(),
          String.valueOf(telemetry.waitingFor()),
          Arrays.stream(Metric.values()).map(telemetry.metrics()::get).toList(),
          messages,
          telemetry.log().read(0, Integer.MAX_VALUE),
          telemetry.phases().stream().map(Object::toString).toList(),
          chunks(telemetry),
          telemetry.history().size(),
          session.guestRunning(),
          session.virtio());
    }

    private static List<String> chunks(SessionTelemetry telemetry) {
      var chunks = new ArrayList<String>();
      for (ChunkTable table : telemetry.blocks()) {
        chunks.add(table.name() + " " + table.length() + " at " + table.remoteAddress());
        for (int i = 0; i < table.chunkCount(); i++) {
          chunks.add(
              "%s %d %d %x %x"
                  .formatted(
                      table.state(i),
                      table.inTransit(i),
                      table.timesSent(i),
                      table.localKey(i),
                      table.remoteKey(i)));
        }
      }
      return chunks;
    }
  }

  private static LabSettings settings() {
    return settings(100 << 20);
  }

  private static LabSettings settings(long bandwidth) {
    return new LabSettings(
        new MigrationSettings(new GuestSettings.Synthetic(48 << 20, 20 << 20, 0, 0.3, 1))
            .with(MigrationSetting.BANDWIDTH, bandwidth)
            .with(MigrationSetting.TIMEOUT, PATIENCE));
  }

  @SuppressWarnings("try") // closed early, to read its results
  private List<Seen> record(boolean late) throws Exception {
    Files.deleteIfExists(file());
    try (var manager = new LocalSessions();
        var recorder = Recorder.begin(Output.of("--record", file(), FileKind.RECORDING))) {
      Lab lab = manager.startLab(settings());
      if (late) {
        awaitBoth(lab);
      }
      recorder.add(lab.source());
      recorder.add(lab.destination());
      awaitBoth(lab);
      recorder.close();
      assertThat(recorder.failure()).isNull();
      assertThat(recorder.isDone()).isTrue();
      assertThat(recorder.leftOut()).isZero();
      assertThat(recorder.bytes()).isEqualTo(Files.size(file()));
      return List.of(Seen.of(lab.source()), Seen.of(lab.destination()));
    }
  }

  private static void awaitBoth(Lab lab) throws InterruptedException {
    assertThat(lab.source().await(PATIENCE)).isTrue();
    assertThat(lab.destination().await(PATIENCE)).isTrue();
  }

  @Test
  void bothEnds_areReplayedAtTheirEnd() throws Exception {
    for (boolean late : new boolean[] {false, true}) {
      List<Seen> live = record(late);
      try (Recording recording = Recording.open("file", file())) {
        assertThat(recording.notes()).isEmpty();
        for (int i = 0; i < 2; i++) {
          RecordedSession session = recording.sessions().get(i);
          Seen replayed = Seen.of(session);
          assertThat(replayed)
              .usingRecursiveComparison()
              .ignoringFields("samples", "virtio")
              .isEqualTo(live.get(i));
          // The source's guest is paused by then; the destination's has run on since the recording.
          assertThat(replayed.virtio()).isPresent();
          if (session.role() == Role.SOURCE) {
            assertThat(replayed.virtio()).isEqualTo(live.get(i).virtio());
          }
          assertThat(replayed.samples()).isPositive();
          assertThat(session.outcome()).isNotNull();
          assertThat(session.report().verified()).isTrue();
          assertThat(session.report().digests().source()).isNotEmpty();
        }
      }
    }
  }

  @Test
  void moment_isTheSame_fromAnyPreviousPosition() throws Exception {
    record(false);
    var random = new SplittableRandom(SEED);
    try (Recording there = Recording.open("file", file())) {
      for (int end = 0; end < 2; end++) {
        RecordedSession moved = there.sessions().get(end);
        RecordedSession other = moved.shifted(0);
        long length = moved.lastNanos() - moved.firstNanos();
        long steady = moved.firstNanos();
        moved.moveTo(steady);
        for (int i = 0; i < 60; i++) {
          steady += length / 60;
          moved.moveTo(steady);
          // By way of a random moment.
          other.moveTo(moved.firstNanos() + random.nextLong(length));
          other.moveTo(steady);
          assertThat(Seen.of(moved)).isEqualTo(Seen.of(other));
          for (Event event : moved.telemetry().log().read(0, Integer.MAX_VALUE)) {
            assertThat(event.nanos()).isLessThanOrEqualTo(steady);
          }
        }
      }
    }
  }

  @Test
  void eventsAreReplayedToTheNanosecond() throws Exception {
    List<Seen> live = record(false);
    List<Event> writes =
        live.getFirst().events().stream().filter(e -> e.kind() == EventKind.POST_WRITE).toList();
    Event some = writes.get(writes.size() / 2);
    long statuses =
        live.getFirst().events().stream().filter(e -> e.kind() == EventKind.STATUS).count();
    assertThat(statuses).isGreaterThan(2);
    try (Recording recording = Recording.open("file", file())) {
      RecordedSession session = recording.sessions().getFirst();
      session.moveTo(some.nanos() - 1);
      assertThat(session.telemetry().log().size()).isEqualTo(some.number());
      session.moveTo(some.nanos());
      assertThat(session.telemetry().log().size()).isGreaterThan(some.number());
      assertThat(session.outcome()).isNull();
      assertThat(session.report().status()).isEqualTo(session.status().qemuName());
      for (Event event : live.getFirst().events()) {
        if (event.kind() == EventKind.STATUS) {
          session.moveTo(event.nanos());
          assertThat(session.status().ordinal()).isEqualTo(event.detail());
        }
      }
    }
  }

  @Test
  @SuppressWarnings("try") // closed early, so that the file is complete
  void whatTheOperatorDid_isReplayedToTheNanosecond() throws Exception {
    try (var manager = new LocalSessions();
        var recorder = Recorder.begin(Output.of("--record", file(), FileKind.RECORDING))) {
      Lab lab = manager.startLab(settings(1 << 20));
      Session source = lab.source();
      recorder.add(source);
      new TimeLimit().await("the migration", () -> source.status() == MigrationStatus.ACTIVE);
      assertThat(source.stopGuest()).isTrue();
      assertThat(source.continueGuest()).isTrue();
      source.setBandwidthLimit(0);
      awaitBoth(lab);
      recorder.close();
    }
    try (Recording recording = Recording.open("file", file())) {
      RecordedSession session = recording.sessions().getFirst();
      List<Event> acts =
          session.telemetry().log().read(0, Integer.MAX_VALUE).stream()
              .filter(event -> event.kind() == EventKind.OPERATED)
              .toList();
      assertThat(acts)
          .extracting(event -> EventText.summary(event, session.telemetry()))
          .containsExactly(
              "the operator paused the guest",
              "the operator let the guest run",
              "the operator removed the bandwidth limit");
      for (Event act : acts) {
        session.moveTo(act.nanos());
        assertThat(session.guestRunning()).isEqualTo(act.detail() != OperatorAct.PAUSED.ordinal());
      }
    }
  }

  /** Between two samples as well, which are 20 ms apart. */
  @Test
  void countersOfAMoment_areThoseOfItsEvents() throws Exception {
    record(false);
    var random = new SplittableRandom(SEED);
    try (Recording recording = Recording.open("file", file())) {
      for (RecordedSession session : recording.sessions()) {
        List<Event> events = session.telemetry().log().read(0, Integer.MAX_VALUE);
        for (int i = 0; i < 60; i++) {
          session.moveTo(events.get(random.nextInt(events.size())).nanos());
          List<Event> until = session.telemetry().log().read(0, Integer.MAX_VALUE);
          var expected = new EnumMap<Metric, Long>(Metric.class);
          expected.put(Metric.WRITES_POSTED, count(until, EventKind.POST_WRITE));
          expected.put(Metric.SENDS_POSTED, count(until, EventKind.CONTROL_SENT));
          expected.put(Metric.RECEIVES_POSTED, count(until, EventKind.POST_RECEIVE));
          expected.put(Metric.RECEIVES_COMPLETED, count(until, EventKind.COMPLETION_RECEIVE_QUEUE));
          expected.put(Metric.REGISTRATIONS_TOTAL, count(until, EventKind.REGISTERED));
          expected.put(
              Metric.REGISTRATIONS_ALIVE,
              count(until, EventKind.REGISTERED) - count(until, EventKind.DEREGISTERED));
          expected.put(
              Metric.DUPLICATE_PAGES,
              until.stream()
                  .filter(event -> event.kind() == EventKind.ZERO)
                  .mapToLong(event -> event.argument() >> RamBlock.PAGE_SHIFT)
                  .sum());
          Requests requests = new Requests(session.telemetry()).readAll();
          expected.put(
              Metric.WRITES_COMPLETED,
              requests.sends().end()
                  - requests.sends().openCount()
                  - session.telemetry().metrics().get(Metric.SENDS_COMPLETED));
          expected.forEach((metric, value) ->
              assertThat(session.telemetry().metrics().get(metric))
                  .as("%s of the %s", metric, session.role())
                  .isEqualTo(value));
          for (ControlType type : ControlType.values()) {
            assertThat(session.telemetry().messagesSent().get(type))
                .isEqualTo(
                    until.stream()
                        .filter(event -> event.kind() == EventKind.CONTROL_SENT)
                        .filter(event -> event.detail() == type.value())
                        .count());
          }
        }
      }
    }
  }

  private static long count(List<Event> events, EventKind kind) {
    return events.stream().filter(event -> event.kind() == kind).count();
  }

  /** The state of the devices is replayed in both directions. */
  @Test
  void virtioDevices_areReplayed() throws Exception {
    record(false);
    try (Recording recording = Recording.open("file", file())) {
      RecordedSession source = recording.sessions().getFirst();
      RecordedSession destination = recording.sessions().getLast();
      long first = source.firstNanos();
      long step = (source.lastNanos() - first) / 40;
      var completed = new ArrayList<Long>();
      for (int i = 0; i <= 40; i++) {
        source.moveTo(first + i * step);
        completed.add(completed(source));
      }
      assertThat(completed).isSorted();
      assertThat(completed.getLast()).isGreaterThan(completed.getFirst());
      for (int i = 40; i >= 0; i--) {
        source.moveTo(first + i * step);
        assertThat(completed(source)).isEqualTo(completed.get(i));
      }
      destination.moveTo(destination.firstNanos() - 1);
      assertThat(destination.virtio()).isEmpty();
      destination.moveTo(destination.lastNanos());
      source.moveTo(source.lastNanos());
      VirtioSnapshot loaded = destination.virtio().orElseThrow();
      assertThat(loaded.begun()).isEqualTo(source.virtio().orElseThrow().queues());
    }
  }

  private static long completed(RecordedSession session) {
    return session.virtio().map(VirtioSnapshot::queues).orElse(List.of()).stream()
        .mapToLong(QueueSnapshot::completed)
        .sum();
  }

  /** A recording from a version without such blocks. */
  @Test
  void fileWithoutVirtioDevices_opens() throws Exception {
    record(false);
    byte[] whole = Files.readAllBytes(file());
    var bytes = ByteBuffer.wrap(whole);
    var older = new ByteArrayOutputStream();
    older.write(whole, 0, RecordingFormat.HEAD_BYTES);
    int left = 0;
    for (int at = RecordingFormat.HEAD_BYTES; at < whole.length; ) {
      int length = RecordingFormat.BLOCK_HEAD_BYTES + bytes.getInt(at + 4);
      if (whole[at] == BlockType.VIRTIO.value()) {
        left++;
      } else {
        older.write(whole, at, length);
      }
      at += length;
    }
    assertThat(left).isPositive();
    Path file = directory.resolve("older.wrs");
    Files.write(file, older.toByteArray());
    try (Recording recording = Recording.open("file", file)) {
      assertThat(recording.notes()).isEmpty();
      for (RecordedSession session : recording.sessions()) {
        assertThat(session.virtio()).isEmpty();
        assertThat(session.report().verified()).isTrue();
      }
    }
  }

  @Test
  void incompleteFile_isReadAsFarAsItGoes_withANote() throws Exception {
    List<Seen> live = record(false);
    byte[] whole = Files.readAllBytes(file());
    var random = new SplittableRandom(SEED);
    Path torn = directory.resolve("torn.wrs");
    for (int i = 0; i < 40; i++) {
      int length = random.nextInt(RecordingFormat.HEAD_BYTES, whole.length - 1);
      Files.write(torn, Arrays.copyOf(whole, length));
      try (Recording recording = Recording.open("file", torn)) {
        assertThat(recording.notes()).anyMatch(note -> note.contains("is incomplete"));
        for (RecordedSession session : recording.sessions()) {
          int end = session.role().ordinal();
          List<Event> events = session.telemetry().log().read(0, Integer.MAX_VALUE);
          assertThat(events).isEqualTo(live.get(end).events().subList(0, events.size()));
          assertThat(session.isCutOff()).isEqualTo(!session.status().isEnd());
          session.moveTo(session.firstNanos() - 1);
          assertThat(session.isCutOff()).isFalse();
        }
      } catch (RecordingException e) {
        assertThat(e).hasMessageContaining("holds no session");
      }
    }
  }

  @Test
  void damagedFile_isNeverTrusted() throws Exception {
    record(false);
    byte[] whole = Files.readAllBytes(file());
    var random = new SplittableRandom(SEED);
    Path bad = directory.resolve("bad.wrs");
    for (int i = 0; i < 150; i++) {
      byte[] damaged = whole.clone();
      int at = damage(damaged, random);
      Files.write(bad, damaged);
      try (Recording recording = Recording.open("file", bad)) {
        for (RecordedSession session : recording.sessions()) {
          long length = session.lastNanos() - session.firstNanos();
          session.moveTo(session.firstNanos() + random.nextLong(1 + Math.max(0, length)));
          Seen.of(session);
        }
      } catch (IOException e) {
        assertThat(e).as("byte %d", at).isInstanceOf(RecordingException.class);
        assertThat(e.getMessage()).contains("cannot be opened");
      }
    }
  }

  /** Changes one byte in a block and corrects the checksum. */
  private static int damage(byte[] file, SplittableRandom random) {
    var bytes = ByteBuffer.wrap(file);
    var blocks = new ArrayList<Integer>();
    for (int at = RecordingFormat.HEAD_BYTES; at < file.length; ) {
      blocks.add(at);
      at += RecordingFormat.BLOCK_HEAD_BYTES + bytes.getInt(at + 4);
    }
    int begin = blocks.get(random.nextInt(blocks.size()));
    int length = bytes.getInt(begin + 4);
    int at = begin + RecordingFormat.BLOCK_HEAD_BYTES + random.nextInt(Math.max(1, length));
    if (random.nextInt(8) == 0) {
      at = begin + random.nextInt(2);
    }
    file[at] = (byte) random.nextInt();
    int checksum =
        RecordingFormat.checksum(
            bytes.duplicate().position(begin),
            bytes.slice(begin + RecordingFormat.BLOCK_HEAD_BYTES, length));
    bytes.putInt(begin + 8, checksum);
    return at;
  }

  @Test
  void fileThatIsNoRecording_isRefusedWithASentence() throws Exception {
    Path other = directory.resolve("other");
    Files.writeString(other, "hello\n");
    assertThatExceptionOfType(RecordingException.class)
        .isThrownBy(() -> Recording.open("file", other))
        .withMessageContaining("neither a recording nor a capture of packets");
    Files.write(other, RecordingFormat.head().array());
    assertThatExceptionOfType(RecordingException.class)
        .isThrownBy(() -> Recording.open("file", other))
        .withMessageContaining("holds no session");
    byte[] newer = RecordingFormat.head().array();
    newer[newer.length - 1]++;
    Files.write(other, newer);
    assertThatExceptionOfType(RecordingException.class)
        .isThrownBy(() -> Recording.open("file", other))
        .withMessageContaining("version");
  }
}

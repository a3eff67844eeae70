// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.control.FakeSession;
import org.wridscope.guest.virtio.QueueSnapshot;
import org.wridscope.guest.virtio.RequestFailure;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.memory.ChunkRelease;
import org.wridscope.memory.ChunkSnapshot;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.recording.Recording;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Wait;

/** Blocks decode to what was encoded, and invalid blocks are refused. */
final class RecordingCodecTest {
  private static final long SEED = 20_261_121;
  private static final int ROUNDS = 300;
  private static final long MIB = 1L << 20;

  private final Dictionary dictionary = new Dictionary();

  private static Event event(SplittableRandom random, long number, long nanos) {
    EventKind[] kinds = EventKind.values();
    EventKind kind = kinds[random.nextInt(kinds.length)];
    int detail =
        switch (kind) {
          // These are ordinals, which have names in the dictionary.
          case STATUS, CONNECTION, ASYNC -> random.nextInt(4);
          default -> random.nextInt(1 << random.nextInt(17)) & 0xffff;
        };
    boolean write = random.nextBoolean();
    long wrid =
        WorkRequestId.of(
            write ? WorkRequestId.RDMA_WRITE : random.nextInt(1 << 16),
            random.nextInt(WorkRequestId.MAX_BLOCK + 1),
            random.nextLong(WorkRequestId.MAX_CHUNK + 1));
    int length = random.nextBoolean() ? 1 << 20 : random.nextInt();
    return new Event(
        number, nanos, kind, detail, length, wrid, random.nextLong() >> random.nextInt(64));
  }

  private static List<Event> events(SplittableRandom random) {
    var events = new ArrayList<Event>();
    long nanos = random.nextLong() >> 3;
    for (int i = 0; i < random.nextInt(1, 400); i++) {
      nanos += random.nextLong(1L << random.nextInt(1, 40));
      events.add(event(random, i, nanos));
    }
    return events;
  }

  private static ByteBuffer encoded(List<Event> events, long leftOut) {
    var encoder = new EventEncoder();
    for (Event e : events) {
      encoder.event(e.nanos(), e.kind(), e.detail(), e.length(), e.wrid(), e.argument());
    }
    var sink = new ByteSink(10);
    encoder.finish(sink, leftOut);
    return sink.view();
  }

  private List<Event> decoded(ByteBuffer payload) throws RecordingException {
    var events = new ArrayList<Event>();
    new EventDecoder(dictionary)
        .decode(
            payload,
            Long.MIN_VALUE,
            (nanos, kind, detail, length, wrid, argument) ->
                events.add(new Event(events.size(), nanos, kind, detail, length, wrid, argument)));
    return events;
  }

  @Test
  void events_decodeToWhatWasEncoded() throws Exception {
    var random = new SplittableRandom(SEED);
    for (int i = 0; i < ROUNDS; i++) {
      List<Event> events = events(random);
      ByteBuffer payload = encoded(events, i);
      assertThat(decoded(payload)).isEqualTo(events);
      EventDecoder.Head head = EventDecoder.head(new ByteSource(payload));
      assertThat(head.count()).isEqualTo(events.size());
      assertThat(head.leftOut()).isEqualTo(i);
      assertThat(head.firstNanos()).isEqualTo(events.getFirst().nanos());
      assertThat(head.lastNanos()).isEqualTo(events.getLast().nanos());
    }
  }

  @Test
  void waitsAndPhases_areWhatTheyWere_andThoseOfAnotherWridscopeAreUnknown() throws Exception {
    var encoder = new NamesEncoder();
    var waits =
        List.of(
            new Wait(Wait.Kind.SEND, ControlType.READY.value()),
            new Wait(Wait.Kind.HANDLER, -1),
            new Wait(Wait.Kind.MACHINE_LOAD, "QEMU 7"),
            new Wait(Wait.Kind.OF_PROGRAM, "the destination's READY"));
    waits.forEach(encoder::wait);
    var round = new Phase(Phase.Kind.ROUND, Long.MAX_VALUE, 5);
    encoder.phase(round);
    var sink = new ByteSink(10);
    encoder.finish(sink);
    var names = new Names(dictionary);
    names.decode(sink.view());
    assertThat(names.waits()).isEqualTo(waits);
    assertThat(names.wait(waits.size())).isEqualTo(new Wait(Wait.Kind.UNKNOWN));
    assertThat(names.phases()).containsExactly(round);

    for (long wrong : new long[] {0, -1}) {
      encoder.phase(new Phase(Phase.Kind.ROUND, wrong, 5));
      sink.clear();
      encoder.finish(sink);
      assertThatExceptionOfType(RecordingException.class)
          .isThrownBy(() -> new Names(dictionary).decode(sink.view()));
    }

    encoder.wait(waits.getFirst());
    encoder.phase(round);
    sink.clear();
    encoder.finish(sink);
    var empty = new ByteSink(10);
    for (int lists = 0; lists < 9; lists++) {
      empty.number(0);
    }
    var others = new Names(new Dictionary(new ByteSource(empty.view())));
    others.decode(sink.view());
    assertThat(others.waits()).extracting(Wait::kind).containsOnly(Wait.Kind.UNKNOWN);
    assertThat(others.phases()).extracting(Phase::kind).containsOnly(Phase.Kind.UNKNOWN);
  }

  @Test
  void partOfTheDowntimeThatIsNotKnown_isLeftOut() throws Exception {
    var session = FakeSession.withSampleReport("s", "rdma:h:1", Role.SOURCE);
    session.end(MigrationStatus.COMPLETED, "It is done.");
    var sink = new ByteSink(10);
    new SessionEnd(true, session.result(), session.report(), 7).encode(sink);
    ByteBuffer view = sink.view();
    byte[] bytes = new byte[view.remaining()];
    view.get(bytes);
    SessionEnd known = SessionEnd.decode(new ByteSource(ByteBuffer.wrap(bytes)));
    assertThat(known.report()).isEqualTo(session.report());
    assertThat(known.outcome()).isEqualTo(session.result());

    // As many bytes.
    byte[] newer =
        new String(bytes, StandardCharsets.ISO_8859_1)
            .replace("\"last pages\":37.0", "\"a\":1,\"b b\":2.125")
            .getBytes(StandardCharsets.ISO_8859_1);
    assertThat(newer).hasSameSizeAs(bytes).isNotEqualTo(bytes);
    SessionEnd other = SessionEnd.decode(new ByteSource(ByteBuffer.wrap(newer)));
    assertThat(Objects.requireNonNull(other.report()).downtimePhases()).isEmpty();
    assertThat(other.leftOut()).isEqualTo(7);
  }

  @Test
  void fileOfAnotherVersion_isRefused_andSaysWhichItIs(@TempDir Path directory) throws Exception {
    for (int version : new int[] {1, RecordingFormat.VERSION + 1, -1}) {
      Path file = directory.resolve(version + ".wrs");
      byte[] head = new byte[RecordingFormat.HEAD_BYTES];
      RecordingFormat.head().get(head);
      ByteBuffer.wrap(head).putInt(head.length - Integer.BYTES, version);
      Files.write(file, head);
      assertThatExceptionOfType(RecordingException.class)
          .isThrownBy(() -> Recording.open("FILE", file).close())
          .withMessageEndingWith(
              "It is version %s of a recording, and this Wridscope reads version 2; open it with the Wridscope that recorded it."
                  .formatted(Integer.toUnsignedString(version)));
    }
  }

  @Test
  void predictableEvents_takeFewBytes() {
    var encoder = new EventEncoder();
    int count = 9_000;
    for (int i = 0; i < count / 3; i++) {
      long wrid = WorkRequestId.of(WorkRequestId.RDMA_WRITE, 0, i);
      long nanos = 90_000L * i;
      encoder.event(nanos, EventKind.POST_WRITE, 1, 1 << 20, wrid, 0x7f0000000000L + i * MIB);
      encoder.event(nanos + 30_011, EventKind.COMPLETION_SEND_QUEUE, 0, 1 << 20, wrid, 0);
      encoder.event(nanos + 60_007, EventKind.POST_RECEIVE, 0, 4096, 4000 + i % 8, 0);
    }
    var sink = new ByteSink(10);
    encoder.finish(sink, 0);
    assertThat(sink.size()).isLessThan(6 * count);
  }

  @Test
  void anyBytes_areRefusedOrRead_butNeverBreakTheReader() {
    var random = new SplittableRandom(SEED);
    for (int i = 0; i < 40 * ROUNDS; i++) {
      byte[] bytes;
      if (random.nextBoolean()) {
        bytes = new byte[random.nextInt(80)];
        random.nextBytes(bytes);
      } else {
        ByteBuffer sound = encoded(events(random), 0);
        bytes = new byte[sound.remaining()];
        sound.get(bytes);
        for (int n = 0; n < 3; n++) {
          bytes[random.nextInt(Math.min(64, bytes.length))] = (byte) random.nextInt();
        }
      }
      try {
        for (Event event : decoded(ByteBuffer.wrap(bytes))) {
          assertThat(event.detail()).isBetween(0, 0xffff);
        }
        new SampleDecoder(dictionary).decode(ByteBuffer.wrap(bytes), _ -> true);
        new Names(dictionary).decode(ByteBuffer.wrap(bytes));
        new ChunkDecoder(dictionary)
            .decode(
                ByteBuffer.wrap(bytes),
                List.of(new BlockShape("pc.ram", 5 * MIB, 0)),
                (block, from, to, state, release, inTransit, timesSent, localKey, remoteKey) -> {
                  assertThat(block).isZero();
                  assertThat(from).isBetween(0, 5);
                  assertThat(to).isBetween(from, 5);
                });
        VirtioDecoder.decode(ByteBuffer.wrap(bytes), (nanos, snapshot) -> true);
        SessionHead.decode(new ByteSource(ByteBuffer.wrap(bytes)));
        SessionEnd.decode(new ByteSource(ByteBuffer.wrap(bytes)));
      } catch (RecordingException e) {
        assertThat(e).hasMessageEndingWith(".");
      }
    }
  }

  @Test
  void blockThatEndsEarly_isRefused() {
    ByteBuffer sound = encoded(events(new SplittableRandom(SEED)), 0);
    for (int length = 0; length < sound.remaining(); length++) {
      ByteBuffer torn = sound.slice(sound.position(), length);
      assertThatExceptionOfType(RecordingException.class).isThrownBy(() -> decoded(torn));
    }
  }

  @Test
  void samples_decodeToWhatWasEncoded() throws Exception {
    var random = new SplittableRandom(SEED);
    for (int i = 0; i < ROUNDS; i++) {
      var encoder = new SampleEncoder();
      var expected = new ArrayList<Sample>();
      long nanos = random.nextLong() >> 3;
      long[] values = new long[Sample.COLUMNS];
      for (int n = 0; n < random.nextInt(1, 60); n++) {
        nanos += random.nextInt(1 << 20);
        for (int change = 0; change < random.nextInt(5); change++) {
          values[random.nextInt(Sample.COLUMNS)] = random.nextLong() >> random.nextInt(64);
        }
        var sample = new Sample();
        sample.nanos = nanos;
        System.arraycopy(values, 0, sample.values, 0, values.length);
        encoder.add(sample);
        expected.add(sample);
      }
      var sink = new ByteSink(10);
      encoder.finish(sink);
      int[] at = {0};
      new SampleDecoder(dictionary)
          .decode(
              sink.view(),
              read -> {
                assertThat(read.nanos).isEqualTo(expected.get(at[0]).nanos);
                assertThat(read.values).isEqualTo(expected.get(at[0]).values);
                at[0]++;
                return true;
              });
      assertThat(at[0]).isEqualTo(expected.size());
    }
  }

  private static VirtioSnapshot virtio(SplittableRandom random) {
    List<QueueSnapshot> queues = new ArrayList<>();
    for (int i = 0; i < random.nextInt(4); i++) {
      queues.add(queue(random, i));
    }
    return new VirtioSnapshot(
        random.nextBoolean(),
        queues,
        random.nextInt(3) == 0 ? queues : List.of(),
        random.nextLong() >>> random.nextInt(64),
        random.nextInt(9),
        failure(random),
        failure(random));
  }

  private static Optional<RequestFailure> failure(SplittableRandom random) {
    RequestFailure.Kind[] kinds = RequestFailure.Kind.values();
    return random.nextInt(3) == 0
        ? Optional.of(
            new RequestFailure(
                kinds[random.nextInt(kinds.length)],
                "virtio-blk requestq",
                random.nextLong() >>> random.nextInt(64)))
        : Optional.empty();
  }

  private static QueueSnapshot queue(SplittableRandom random, int number) {
    int size = 1 << random.nextInt(16);
    List<QueueSnapshot.InFlight> inFlight = new ArrayList<>();
    for (int i = 0; i < random.nextInt(Math.min(size, 5) + 1); i++) {
      inFlight.add(
          new QueueSnapshot.InFlight(
              random.nextInt(1 << 16), random.nextLong() >>> random.nextInt(64)));
    }
    return new QueueSnapshot(
        "queue " + number,
        size,
        random.nextInt(1 << 16),
        random.nextInt(1 << 16),
        random.nextInt(1 << 16),
        random.nextInt(1 << 16),
        random.nextInt(1 << 16),
        inFlight,
        random.nextLong() >>> random.nextInt(64),
        random.nextLong() >>> random.nextInt(64));
  }

  @Test
  void virtioDevices_decodeToWhatWasEncoded_inIndependentBlocks() throws Exception {
    var random = new SplittableRandom(SEED);
    var encoder = new VirtioEncoder();
    long nanos = random.nextLong() >> 3;
    VirtioSnapshot last = virtio(random);
    encoder.add(nanos, last);
    encoder.finish(new ByteSink(10));
    for (int i = 0; i < ROUNDS; i++) {
      var times = new ArrayList<Long>();
      var snapshots = new ArrayList<VirtioSnapshot>();
      for (int n = 0; n < random.nextInt(1, 20); n++) {
        nanos += random.nextInt(1 << 20);
        VirtioSnapshot next = random.nextInt(3) == 0 ? last : virtio(random);
        encoder.add(nanos, next);
        if (!next.equals(last)) {
          times.add(nanos);
          snapshots.add(next);
          last = next;
        }
      }
      assertThat(encoder.count()).isEqualTo(times.size());
      var sink = new ByteSink(10);
      encoder.finish(sink);
      var readTimes = new ArrayList<Long>();
      var read = new ArrayList<VirtioSnapshot>();
      VirtioDecoder.decode(
          sink.view(),
          (time, snapshot) -> {
            readTimes.add(time);
            return read.add(snapshot);
          });
      assertThat(read).isEqualTo(snapshots);
      assertThat(readTimes).isEqualTo(times);
      for (int length = 0; length < sink.size(); length += 7) {
        ByteBuffer torn = sink.view().slice(0, length);
        assertThatExceptionOfType(RecordingException.class)
            .isThrownBy(() -> VirtioDecoder.decode(torn, (time, snapshot) -> true));
      }
      byte[] damaged = sink.view().array().clone();
      for (int n = 0; n < 20; n++) {
        damaged[random.nextInt(sink.size())] = (byte) random.nextInt();
        try {
          VirtioDecoder.decode(
              ByteBuffer.wrap(damaged, 0, sink.size()),
              (time, snapshot) -> {
                for (QueueSnapshot queue : snapshot.queues()) {
                  assertThat(queue.availIndex()).isBetween(0, 0xffff);
                  assertThat(queue.inFlight().size()).isLessThanOrEqualTo(queue.size());
                }
                return true;
              });
        } catch (RecordingException e) {
          assertThat(e).hasMessageEndingWith(".");
        }
      }
    }
  }

  @Test
  void chunks_decodeToTheTable_byChangesAndByKeyFrames() throws Exception {
    var random = new SplittableRandom(SEED);
    for (int round = 0; round < 20; round++) {
      List<ChunkTable> tables =
          List.of(
              new ChunkTable(0, "pc.ram", random.nextLong(1, 9000) * MIB, 0),
              new ChunkTable(1, "vga.vram", 16 * MIB, 0));
      List<BlockShape> shapes =
          tables.stream().map(t -> new BlockShape(t.name(), t.length(), 0)).toList();
      var encoder = new ChunkEncoder(tables);
      List<ChunkSnapshot> byChanges = snapshots(tables);
      for (int step = 0; step < 12; step++) {
        change(tables, random);
        var sink = new ByteSink(10);
        boolean key = random.nextInt(4) == 0;
        List<ChunkSnapshot> into = key ? snapshots(tables) : byChanges;
        if (encoder.encode(sink, 0, step, key)) {
          new ChunkDecoder(dictionary).decode(sink.view(), shapes, into(into));
        }
        assertSame(tables, into);
        byChanges = into;
      }
    }
  }

  private static ChunkSink into(List<ChunkSnapshot> snapshots) {
    return (block, from, to, state, release, inTransit, timesSent, localKey, remoteKey) ->
        snapshots
            .get(block)
            .set(from, to, state, release, inTransit, timesSent, localKey, remoteKey);
  }

  private static List<ChunkSnapshot> snapshots(List<ChunkTable> tables) {
    return tables.stream().map(t -> new ChunkSnapshot(t.chunkCount())).toList();
  }

  private static void change(List<ChunkTable> tables, SplittableRandom random) {
    for (ChunkTable table : tables) {
      for (int i = 0; i < random.nextInt(40); i++) {
        int first = random.nextInt(table.chunkCount());
        int key = random.nextInt();
        for (int c = first; c < Math.min(table.chunkCount(), first + random.nextInt(64)); c++) {
          switch (random.nextInt(5)) {
            case 0 -> table.posted(c);
            case 1 -> table.setLocalKey(c, key);
            case 2 -> table.setRemoteKey(c, key);
            case 3 -> table.setReleases(c, c + 1, ChunkRelease.of(random.nextInt(4)));
            default -> table.setState(c, ChunkState.of(random.nextInt(6)));
          }
        }
      }
    }
  }

  private static void assertSame(List<ChunkTable> tables, List<ChunkSnapshot> snapshots) {
    for (int block = 0; block < tables.size(); block++) {
      ChunkSnapshot snapshot = snapshots.get(block);
      assertThat(snapshot.nextChange(tables.get(block), 0)).isEqualTo(snapshot.chunkCount());
    }
  }
}

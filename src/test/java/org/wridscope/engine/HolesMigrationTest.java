// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.wridscope.Slow;
import org.wridscope.guest.CapturedGuest;
import org.wridscope.guest.Guest;
import org.wridscope.guest.ImageGuest;
import org.wridscope.guest.LittleMemory;
import org.wridscope.memory.Holes;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.DigestList;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;

/** Guests that have touched little of their RAM, which costs no memory at either end. */
@Slow("whole migrations of large guests, in real time")
class HolesMigrationTest {
  private static final int PAGE = RamBlock.PAGE_SIZE;
  private static final long MIB = 1 << 20;
  private static final long LENGTH = 80 * MIB + PAGE;

  @TempDir private Path onDisk;

  @TempDir(factory = SharedMemoryFolder.class)
  private Path inMemory;

  /** What RAM is in. */
  enum Kind {
    ANONYMOUS,
    SHARED_MEMORY,
    DISK
  }

  static Stream<Arguments> kinds() {
    return Stream.of(
        Arguments.of(Kind.ANONYMOUS, Kind.DISK),
        Arguments.of(Kind.SHARED_MEMORY, Kind.SHARED_MEMORY),
        Arguments.of(Kind.DISK, Kind.ANONYMOUS));
  }

  private NativeMemory map(Kind kind, String name) throws IOException {
    if (kind == Kind.ANONYMOUS) {
      return NativeMemory.allocateSparse(LENGTH);
    }
    Path file = path(kind, name);
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.SPARSE)) {
      return NativeMemory.mapShared(channel, file, LENGTH);
    }
  }

  private Path path(Kind kind, String name) {
    return (kind == Kind.DISK ? onDisk : inMemory).resolve(name);
  }

  private static long existing(BlockGuest guest) {
    Holes holes = guest.ramBlocks().getFirst().holes();
    long pages = 0;
    for (long at = holes.nextData(0, LENGTH); at < LENGTH; pages++) {
      at += PAGE;
      at = at < LENGTH ? holes.nextData(at, LENGTH) : at;
    }
    return pages;
  }

  /** Gives the last page and two mebibytes before it back, as a balloon does. */
  private void giveEndBack(Kind kind, BlockGuest guest, NativeMemory memory) {
    long from = 78 * MIB;
    guest.giveBack(
        0,
        from,
        LENGTH - from,
        () -> {
          if (kind == Kind.ANONYMOUS) {
            memory.discard(from, LENGTH - from);
            return;
          }
          try (FileChannel file =
              FileChannel.open(path(kind, "source"), StandardOpenOption.WRITE)) {
            file.truncate(from);
            file.write(ByteBuffer.allocate(1), LENGTH);
            file.truncate(LENGTH);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /** What a session tells, in pages; on a disk with some blocks for the list of blocks. */
  private static void assertInUse(
      Kind kind, MigrationSession session, BlockGuest guest, long before) {
    long more = kind == Kind.DISK ? 16 : 0;
    Metrics metrics = session.telemetry().metrics();
    assertThat(metrics.inUse(Metric.RAM_IN_USE_BEFORE).orElseThrow() / PAGE)
        .isBetween(before, before + more);
    assertThat(metrics.inUse(Metric.RAM_IN_USE_AFTER).orElseThrow() / PAGE)
        .isBetween(existing(guest), existing(guest) + more);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void pagesThatAppearAndVanish_areSent_andAllOthersStayHoles(Kind from, Kind to) throws Exception {
    try (var rig = new Rig();
        var memory = map(from, "source");
        var guest = BlockGuest.in(memory);
        var copy = BlockGuest.in(map(to, "destination"))) {
      guest.write(0, 3 * MIB + 5, (byte) 1);
      guest.write(0, 7 * MIB, (byte) 0);
      guest.write(0, 79 * MIB, (byte) 2);
      guest.write(0, LENGTH - 1, (byte) 3);
      // Firmware of the machine at the destination.
      for (long at = 40 * MIB; at < 41 * MIB + 3 * PAGE; at += PAGE) {
        copy.write(0, at, (byte) 4);
      }
      copy.write(0, 60 * MIB + 7 * PAGE, (byte) 5);
      copy.write(0, 3 * MIB + 100, (byte) 6);
      guest.onSync(sync -> {
        switch (sync) {
          case 1, 2, 3, 5 -> guest.write(0, (10 + sync) * MIB + 9, (byte) sync);
          default -> {}
        }
        if (sync == 2) {
          giveEndBack(from, guest, memory);
        }
      });
      guest.onPause(() -> guest.write(0, 20 * MIB, (byte) 7));
      guest.resume();
      var source = rig.source(guest, Rig.parameters(false, true, Duration.ofNanos(1)));
      var destination = rig.destination(copy, Rig.parameters(false, true));

      rig.run(source, destination);

      Rig.assertCompleted(source, destination);
      assertThat(source.verified()).isTrue();
      assertThat(source.telemetry().metrics().get(Metric.DIRTY_SYNC_COUNT)).isEqualTo(5);
      // Chunks 3, 7, 11 to 13, 15 and 20, but not 79 and the last, which were sent and given back.
      assertThat(existing(guest)).isLessThanOrEqualTo(7 * 256);
      assertThat(existing(copy)).isLessThanOrEqualTo(10 * 256 + 1 + 2 * 256 + 6 + 256);
      assertInUse(from, source, guest, 4);
      assertInUse(to, destination, copy, 256 + 3 + 2);
      assertThat(copy.hasEqualRam(guest)).isTrue();
    }
  }

  /** Offsets of 43 bits, more than 2^30 pages, and addresses that only 64 bits hold. */
  @Test
  void aBlockOfMoreThanFourTerabytes_isMigrated() throws Exception {
    long length = (4L << 40) + 3 * MIB + PAGE;
    long[] written = {0, 5 * MIB, (2L << 40) - 1, 2L << 40, (4L << 40) - 1, 4L << 40, length - 1};
    long later = (4L << 40) + 2 * MIB + 77;
    try (var rig = new Rig();
        var guest = BlockGuest.in(NativeMemory.allocateSparse(length));
        var copy = BlockGuest.in(NativeMemory.allocateSparse(length))) {
      Holes holes = guest.ramBlocks().getFirst().holes();
      Assumptions.assumeTrue(
          holes.existing(length).orElse(-1) == 0, "Linux before 6.7 looks at each page");
      for (int i = 0; i < written.length; i++) {
        guest.write(0, written[i], (byte) (i + 1));
      }
      copy.write(0, (3L << 40) + 5, (byte) 99);
      guest.onSync(sync -> guest.write(0, later, (byte) 8));
      guest.resume();
      var source = rig.source(guest, Rig.parameters(false, true));
      var destination = rig.destination(copy, Rig.parameters(false, true));

      rig.run(source, destination);

      Rig.assertCompleted(source, destination);
      assertThat(source.verified()).isTrue();
      for (int i = 0; i < written.length; i++) {
        assertThat(copy.read(written[i])).as("byte at %x", written[i]).isEqualTo((byte) (i + 1));
      }
      assertThat(copy.read(later)).isEqualTo((byte) 8);
      assertThat(copy.read((3L << 40) + 5)).isZero();
      assertThat(source.telemetry().metrics().get(Metric.RAM_TOTAL)).isEqualTo(length);
      assertThat(destination.telemetry().metrics().get(Metric.RECEIVES_COMPLETED))
          .isBetween(1024L, 1200L);
      assertThat(source.telemetry().metrics().get(Metric.RAM_REMAINING)).isZero();
      assertThat(source.telemetry().metrics().inUse(Metric.RAM_IN_USE_AFTER).orElseThrow())
          .isLessThanOrEqualTo(10 * MIB);
    }
  }

  /** A terabyte in as many blocks as can be compared. */
  @Test
  void aTerabyteInManyBlocks_isMigrated() throws Exception {
    int blocks = DigestList.MAX_ENTRIES;
    long each = (1L << 40) / blocks & -PAGE;
    int[] touched = {0, 1, 4095, 4096, blocks - 1};
    try (var rig = new Rig();
        var guest = BlockGuest.in(NativeMemory.allocateSparse(blocks * each), blocks, each);
        var copy = BlockGuest.in(NativeMemory.allocateSparse(blocks * each), blocks, each)) {
      for (int block : touched) {
        guest.write(block, block * 4099L % each, (byte) 1);
      }
      copy.write(blocks - 2, 5, (byte) 2);
      guest.onSync(sync -> guest.write(blocks - 3, sync * MIB, (byte) 3));
      guest.resume();
      var source = rig.source(guest, Rig.parameters(false, true));
      var destination = rig.destination(copy, Rig.parameters(false, true));

      rig.run(source, destination);

      Rig.assertCompleted(source, destination);
      assertThat(source.verified()).isTrue();
      for (int block : touched) {
        byte value = copy.memory(block).get(ValueLayout.JAVA_BYTE, block * 4099L % each);
        assertThat(value).as("block %d", block).isOne();
      }
      assertThat(copy.memory(blocks - 3).get(ValueLayout.JAVA_BYTE, MIB)).isEqualTo((byte) 3);
      assertThat(copy.memory(blocks - 2).get(ValueLayout.JAVA_BYTE, 5)).isZero();
      assertThat(destination.telemetry().metrics().get(Metric.RECEIVES_COMPLETED)).isLessThan(1000);
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void ramIsEqual_whenAGuestTouchesNewPages_whileTheyAreSent(Kind from, Kind to) throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.in(map(from, "source"));
        var copy = BlockGuest.in(map(to, "destination"))) {
      var writers = new ArrayList<Thread>();
      for (int i = 0; i < 4; i++) {
        var random = new SplittableRandom(i);
        writers.add(Thread.ofPlatform().unstarted(() -> touch(guest, random)));
      }
      // Some write during the first round, others during the next ones, each of which has a page.
      guest.onSync(sync -> {
        if (sync < 4) {
          assertThat(guest.isRunning()).isTrue();
          guest.write(0, sync * MIB, (byte) 1);
          writers.get(sync).start();
        }
      });
      guest.onPause(() -> join(writers));
      guest.resume();
      var source = rig.source(guest, Rig.parameters(false, true, Duration.ofNanos(1)));
      var destination = rig.destination(copy, Rig.parameters(false, true));

      writers.getFirst().start();
      rig.run(source, destination);

      Rig.assertCompleted(source, destination);
      assertThat(copy.hasEqualRam(guest)).isTrue();
    }
  }

  @Test
  void aQemu_isSentTheHolesOfALargeGuest_inFewMessages() throws Exception {
    long length = 40L << 30;
    long[] touched = {0, (8L << 30) - 1, 33L << 30, length - 1};
    try (var rig = new Rig();
        var guest = BlockGuest.in(NativeMemory.allocateSparse(length));
        var copy = BlockGuest.in(NativeMemory.allocateSparse(length))) {
      for (long at : touched) {
        guest.write(0, at, (byte) 1);
      }
      copy.write(0, 20L << 30, (byte) 2);
      guest.resume();
      var source = rig.source(guest, Rig.parameters(false, false));
      var destination = rig.destination(copy, Rig.parameters(false, false));

      rig.run(source, destination);

      Rig.assertCompleted(source, destination);
      for (long at : touched) {
        assertThat(copy.memory(0).get(ValueLayout.JAVA_BYTE, at)).as("at %d", at).isOne();
      }
      assertThat(copy.memory(0).get(ValueLayout.JAVA_BYTE, 20L << 30)).isZero();
      var metrics = destination.telemetry().metrics();
      assertThat(metrics.get(Metric.RECEIVES_COMPLETED)).isBetween(10L, 300L);
      assertThat(copy.digests()).isEqualTo(guest.digests());
    }
  }

  /** Where a guest goes that needs more room than there is, whatever little it has touched. */
  enum Place {
    CAPTURE("there is memory for here"),
    OUT("there is room for");

    private final String reason;

    Place(String reason) {
      this.reason = reason;
    }
  }

  private Guest arriving(Place place, long length) throws IOException {
    Path file = path(Kind.SHARED_MEMORY, "copy");
    return place == Place.CAPTURE ? CapturedGuest.create(file) : ImageGuest.incoming(file, length);
  }

  /** Of a chunk that has a page, all is registered. */
  @ParameterizedTest
  @CsvSource({"CAPTURE, 4, true", "CAPTURE, 200, false", "OUT, 4, true", "OUT, 200, false"})
  void aGuestThatHasTouchedTooMuch_staysAtItsSource(Place place, int touched, boolean fits)
      throws Exception {
    long length = 32L << 30;
    Path image = path(Kind.SHARED_MEMORY, "image");
    try (FileChannel file =
        FileChannel.open(
            image,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.WRITE,
            StandardOpenOption.SPARSE)) {
      file.write(ByteBuffer.allocate(1), length - 1);
      for (int i = 0; i < touched; i++) {
        file.write(ByteBuffer.wrap(new byte[] {1}), 70L * i * MIB + 5);
      }
    }
    try (var _ = LittleMemory.begin(400 * MIB, 64 * MIB);
        var rig = new Rig();
        var guest = ImageGuest.open(image);
        var copy = arriving(place, length)) {
      var source = rig.source(guest, Rig.parameters(false, true));
      var destination = rig.destination(copy, Rig.parameters(false, true));

      rig.run(source, destination);

      if (fits) {
        Rig.assertCompleted(source, destination);
        assertThat(source.verified()).isTrue();
        return;
      }
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(destination.outcome()).contains(place.reason, " are left");
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(guest.isRunning()).isTrue();
    }
    try (var files = Files.list(inMemory)) {
      assertThat(files.filter(file -> !file.equals(image)).count()).isEqualTo(fits ? 1 : 0);
    }
  }

  private static void touch(BlockGuest guest, SplittableRandom random) {
    for (int i = 0; i < 2000; i++) {
      guest.write(0, random.nextLong(LENGTH), (byte) random.nextInt(3));
    }
  }

  private static void join(List<Thread> threads) {
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.wridscope.Slow;
import org.wridscope.memory.RamBlock;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;

/** Whole migrations that succeed. */
@Slow("whole migrations of large guests, in real time")
class MigrationTest {
  static final long PAGE = RamBlock.PAGE_SIZE;
  static final long MIB = 1 << 20;

  /** Lengths that are no multiples of a chunk. */
  enum Layout {
    ONE_PAGE(PAGE),
    ONE_CHUNK(MIB),
    CHUNK_AND_PAGE(MIB + PAGE),
    MIXED(8 * MIB + PAGE, PAGE, MIB, 3 * MIB - PAGE),
    MORE_THAN_A_RUN(65 * MIB - PAGE, 2 * MIB),
    MANY(manyLengths());

    private final long[] lengths;

    Layout(long... lengths) {
      this.lengths = lengths;
    }

    private static long[] manyLengths() {
      long[] lengths = new long[300];
      Arrays.setAll(lengths, i -> PAGE * (1 + i % 7));
      lengths[150] = MIB + 3 * PAGE;
      return lengths;
    }
  }

  /** Over TCP two of them, because the network does not see runs. */
  static Stream<Arguments> longerThanARun() {
    List<Arguments> all =
        List.of(
            Arguments.of(false, 0, true, true),
            Arguments.of(true, 0.5, false, false),
            Arguments.of(false, 0.5, true, false),
            Arguments.of(false, 0, false, true),
            Arguments.of(false, 0.5, false, false),
            Arguments.of(true, 0, true, true));
    return all.stream().limit(OverTcp.isOn() ? 2 : all.size());
  }

  /** A run of chunks that are registered at once ends within a block, with every kind of it. */
  @ParameterizedTest
  @MethodSource("longerThanARun")
  void ramAndStateAreEqual_whenABlockIsLongerThanARun(
      boolean pinAll, double zeroShare, boolean ours, boolean theirs) throws Exception {
    migrate(Layout.MORE_THAN_A_RUN, pinAll, zeroShare, ours, theirs);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "MORE_THAN_A_RUN")
  void ramAndStateAreEqual_withEveryModeAndPeer(Layout layout) throws Exception {
    for (boolean pinAll : new boolean[] {false, true}) {
      for (double zeroShare : zeroShares()) {
        for (boolean ours : new boolean[] {true, false}) {
          for (boolean theirs : new boolean[] {true, false}) {
            migrate(layout, pinAll, zeroShare, ours, theirs);
          }
        }
      }
    }
  }

  /** Over TCP half of the pages, because the network only sees whether there are any of a kind. */
  private static double[] zeroShares() {
    return OverTcp.isOn() ? new double[] {0.5} : new double[] {0, 0.5, 1};
  }

  private static void migrate(
      Layout layout, boolean pinAll, double zeroShare, boolean ours, boolean theirs)
      throws Exception {
    String how =
        "pin-all %s, zero share %s, extensions %s at the source, %s at the destination"
            .formatted(pinAll, zeroShare, ours, theirs);
    try (var rig = new Rig();
        var guest = BlockGuest.of(layout.lengths).boot(1, zeroShare);
        var copy = BlockGuest.of(layout.lengths)) {
      var random = new SplittableRandom(2);
      guest.onSync(sync -> dirtyEverySecondPage(guest, sync, random));
      var source = rig.source(guest, Rig.parameters(pinAll, ours, Duration.ofNanos(1)));
      var destination = rig.destination(copy, Rig.parameters(false, theirs));

      rig.run(source, destination);

      assertMoved(how, guest, source, copy, destination);
      assertThat(source.verified()).as(how).isEqualTo(ours && theirs);
      assertThat(destination.verified()).as(how).isEqualTo(ours && theirs);
      assertThat(source.unconfirmed().isEmpty()).as(how).isEqualTo(ours && theirs);
      assertThat(source.pinAll()).as(how).isEqualTo(pinAll);
      assertThat(destination.pinAll()).as(how).isEqualTo(pinAll);
      assertThat(source.telemetry().metrics().get(Metric.DIRTY_SYNC_COUNT)).as(how).isEqualTo(5);
    }
  }

  /** Writes to scattered pages in three rounds and before the guest is paused. */
  private static void dirtyEverySecondPage(BlockGuest guest, int sync, SplittableRandom random) {
    if (sync > 3 && sync != 5) {
      return;
    }
    for (int block = 0; block < Math.min(4, guest.ramBlocks().size()); block++) {
      long pages = Math.min(600, guest.ramBlocks().get(block).pages());
      for (long page = pages > 1 ? sync % 2 : 0; page < pages; page += 2) {
        // Some pages become zero, and others are no longer zero.
        guest.write(block, page * PAGE + random.nextInt(4096), (byte) random.nextInt(3));
      }
    }
  }

  static void assertMoved(
      String how,
      BlockGuest guest,
      SourceSession source,
      BlockGuest copy,
      DestinationSession destination) {
    assertThat(source.telemetry().status())
        .as("%s: %s", how, source.outcome())
        .isEqualTo(MigrationStatus.COMPLETED);
    assertThat(destination.telemetry().status())
        .as("%s: %s", how, destination.outcome())
        .isEqualTo(MigrationStatus.COMPLETED);
    assertThat(copy.hasEqualRam(guest)).as("%s: equal", how).isTrue();
    assertThat(copy.guardsAreIntact()).as("%s: nothing written beside", how).isTrue();
    assertThat(copy.isRunning()).as("%s: runs there", how).isTrue();
    assertThat(guest.isRunning()).as("%s: runs here", how).isFalse();
  }
}

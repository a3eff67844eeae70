// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.guest.virtio.VirtioBus;
import org.wridscope.memory.RamBlock;

final class WorkloadTest {
  private static final String SHAPES =
      """
      # pages, working set, writers
        1,   1, 1
        1,   1, 3
        40,  7, 2
        64, 16, 1
        64, 17, 2
       300, 299, 3
       512, 512, 2
      1000, 333, 5
      """;

  private static SyntheticGuestConfig config(long pages, long workingSet, int writers, long seed) {
    return new SyntheticGuestConfig(
        pages * RamBlock.PAGE_SIZE,
        1 << 20,
        workingSet * RamBlock.PAGE_SIZE,
        0.3,
        seed,
        writers,
        false);
  }

  /** Number of steps in which the writer visits all of its runs once. */
  private static long cycle(Workload workload, int writer) {
    long runs = Math.ceilDiv(workload.pages(), Workload.RUN);
    return Math.round(workload.share(writer) * runs) * Workload.RUN;
  }

  @ParameterizedTest
  @CsvSource(textBlock = SHAPES)
  void onceThrough_theWritersHaveWrittenEachPageOnce(long pages, long workingSet, int writers) {
    Workload workload = new Workload(config(pages, workingSet, writers, 4));
    BitSet written = new BitSet();
    double shares = 0;
    for (int writer = 0; writer < writers; writer++) {
      shares += workload.share(writer);
      long cycle = cycle(workload, writer);
      for (long step = 0; step < cycle; step++) {
        long page = workload.pageOf(writer, step);
        assertThat(workload.pageOf(writer, step + 7 * cycle)).isEqualTo(page);
        if (page >= 0) {
          assertThat(written.get((int) page)).as("page %d, step %d", page, step).isFalse();
          written.set((int) page);
        }
      }
    }
    assertThat(shares).isBetween(0.999, 1.001);
    // In guests of 1 MiB or more the last pages belong to virtio devices.
    long free = pages < 256 ? pages : pages - VirtioBus.LENGTH / RamBlock.PAGE_SIZE;
    long expected = Math.min(workingSet, free);
    assertThat((long) written.cardinality()).isEqualTo(expected);
    assertThat((long) written.nextSetBit(0)).isEqualTo(workload.firstPage());
    assertThat((long) written.length()).isEqualTo(workload.firstPage() + expected);
    assertThat((long) written.length()).isLessThanOrEqualTo(free);
  }

  @ParameterizedTest
  @CsvSource(textBlock = SHAPES)
  void replay_afterAnySteps_givesWhatTheWritersWrote(long pages, long workingSet, int writers) {
    for (long seed = 1; seed <= 4; seed++) {
      RandomGenerator random = RandomGeneratorFactory.getDefault().create(seed);
      SyntheticGuestConfig config = config(pages, workingSet, writers, seed);
      Workload workload = new Workload(config);
      BootContent content = new BootContent(seed, 0, pages, config.zeroShare());
      long[] steps = new long[writers];
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment ram = arena.allocate(config.ramBytes(), RamBlock.PAGE_SIZE);
        for (int region = 0; region < content.regions(); region++) {
          content.fill(ram, region);
        }
        for (int round = 0; round < 3; round++) {
          run(workload, random, steps, ram);
          assertReplayed(workload, content, steps, ram, "seed %d, round %d".formatted(seed, round));
        }
      }
    }
  }

  private static void run(
      Workload workload, RandomGenerator random, long[] steps, MemorySegment ram) {
    for (int writer = 0; writer < steps.length; writer++) {
      long cycle = cycle(workload, writer);
      for (long i = cycle == 0 ? 0 : random.nextLong(2 * cycle); i > 0; i--) {
        long page = workload.pageOf(writer, steps[writer]);
        if (page >= 0) {
          workload.write(ram, page, steps[writer]);
        }
        steps[writer]++;
      }
    }
  }

  private static void assertReplayed(
      Workload workload, BootContent content, long[] steps, MemorySegment ram, String when) {
    List<Long> done = LongStream.of(steps).boxed().toList();
    long[] expected = new long[BootContent.WORDS];
    for (long page = 0; page < ram.byteSize() / RamBlock.PAGE_SIZE; page++) {
      content.page(page, expected);
      workload.replay(page, done, expected);
      MemorySegment is = ram.asSlice(page * RamBlock.PAGE_SIZE, RamBlock.PAGE_SIZE);
      assertThat(is.mismatch(MemorySegment.ofArray(expected)))
          .as("%s, page %d, steps %s", when, page, done)
          .isEqualTo(-1);
    }
  }
}

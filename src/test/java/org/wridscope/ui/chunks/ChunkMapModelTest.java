// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.memory.ChunkRelease;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;

final class ChunkMapModelTest {
  private static final ChunkMapModel.Listener NOBODY = (block, from, to) -> {};

  private static ChunkTable table(int index, int chunks) {
    return new ChunkTable(index, "block" + index, (long) chunks << 20, 0);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void update_afterRandomChanges_hasAllStatesAndTellsEveryChange(long seed) {
    var random = new SplittableRandom(seed);
    List<ChunkTable> blocks = List.of(table(0, 70_000), table(1, 1), table(2, 333));
    var model = new ChunkMapModel(blocks);
    for (int round = 0; round < 30; round++) {
      var changed = List.of(new BitSet(), new BitSet(), new BitSet());
      int changes = random.nextInt(3) == 0 ? random.nextInt(60_000) : random.nextInt(40);
      for (int i = 0; i < changes; i++) {
        int block = random.nextInt(3);
        int chunk = random.nextInt(blocks.get(block).chunkCount());
        ChunkState state = ChunkState.of(random.nextInt(6));
        if (blocks.get(block).state(chunk) != state) {
          blocks.get(block).setState(chunk, state);
        }
        if (random.nextInt(20) == 0) {
          blocks.get(block).setReleases(chunk, chunk + 1, ChunkRelease.of(random.nextInt(4)));
        }
      }
      for (int block = 0; block < 3; block++) {
        for (int chunk = 0; chunk < blocks.get(block).chunkCount(); chunk++) {
          int now = blocks.get(block).shown(chunk).ordinal();
          changed.get(block).set(chunk, now != model.states(block)[chunk]);
        }
      }
      int[] last = new int[3];
      boolean any =
          model.update((block, from, to) -> {
            assertThat(from).isGreaterThanOrEqualTo(last[block]).isLessThan(to);
            last[block] = to;
            changed.get(block).clear(from, to);
          });
      String what = "seed %d, round %d".formatted(seed, round);
      assertThat(changed).as(what).allMatch(BitSet::isEmpty);
      assertThat(any).as(what).isEqualTo(last[0] + last[1] + last[2] > 0);
      for (int block = 0; block < 3; block++) {
        for (int chunk = 0; chunk < blocks.get(block).chunkCount(); chunk++) {
          assertThat((int) model.states(block)[chunk])
              .as(what)
              .isEqualTo(blocks.get(block).shown(chunk).ordinal());
        }
      }
      assertThat(model.update(NOBODY)).as(what).isFalse();
    }
  }

  @Test
  void update_ofAChange_letsThatChunkGlowAndNoOther() {
    ChunkTable table = table(0, 100);
    var model = new ChunkMapModel(List.of(table));
    assertThat(model.glowing()).isZero();
    table.setState(40, ChunkState.ZERO);
    table.setState(45, ChunkState.ZERO);
    model.update(NOBODY);
    assertThat(model.glowing()).isEqualTo(2);
    for (int i = 0; i < 100; i++) {
      assertThat((int) model.glow(0)[i]).isEqualTo(i == 40 || i == 45 ? ChunkMapModel.GLOW : 0);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1_000_000, 16_000_000, 16_666_667, 90_000_000, 400_000_000, 5_000_000_000L})
  void fade_inFramesOfAnyLength_takesAsLongAsItShouldAndTellsEveryStep(long frame) {
    ChunkTable table = table(0, 5000);
    var model = new ChunkMapModel(List.of(table(1, 7), table));
    for (int i = 100; i < 4000; i += 3) {
      table.setState(i, ChunkState.SENT);
    }
    long now = 1_000_000_000_000L;
    model.update(NOBODY);
    model.fade(now, NOBODY);
    byte[] drawn = model.glow(1).clone();
    long end = now + ChunkMapModel.FADE_NANOS + 2 * frame;
    long half = now + ChunkMapModel.FADE_NANOS / 2;
    while (now < end) {
      now += frame;
      model.fade(
          now,
          (block, from, to) -> {
            assertThat(block).isEqualTo(1);
            System.arraycopy(model.glow(1), from, drawn, from, to - from);
          });
      assertThat(drawn).as("frame %d: told of all that faded", frame).isEqualTo(model.glow(1));
      if (now < half) {
        assertThat(model.glowing()).as("frame %d, before half the time", frame).isPositive();
      }
    }
    assertThat(model.glowing()).as("frame %d, in the end", frame).isZero();
    assertThat(model.fade(now + frame, NOBODY)).isFalse();
  }

  @Test
  void models_withoutBlocksOrChunks_doNothing() {
    var model = new ChunkMapModel(List.of());
    assertThat(model.update(NOBODY)).isFalse();
    assertThat(model.fade(1, NOBODY)).isFalse();
    assertThat(model.fade(2, NOBODY)).isFalse();
  }
}

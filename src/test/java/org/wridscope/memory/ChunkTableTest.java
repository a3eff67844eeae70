// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ChunkTableTest {
  private static final long MIB = 1 << 20;

  private static ChunkTable table(long length) {
    return new ChunkTable(3, "pc.ram", length, 0x7f0000001000L);
  }

  @ParameterizedTest
  @CsvSource({
    "4096, 1, 4096",
    "1044480, 1, 1044480",
    "1048576, 1, 1048576",
    "1052672, 2, 4096",
    "3145728, 3, 1048576",
    "3221225472, 3072, 1048576",
    "1099511627776, 1048576, 1048576"
  })
  void theChunksOfABlock_areAMebibyteEachButTheLast(long length, int chunks, long last) {
    ChunkTable table = table(length);
    assertThat(table.chunkCount()).isEqualTo(chunks);
    assertThat(table.lengthOf(chunks - 1)).isEqualTo(last);
    assertThat(ChunkTable.chunkOf(length - 1)).isEqualTo(chunks - 1);
    assertThat(ChunkTable.offsetOf(chunks - 1) + last).isEqualTo(length);
    if (chunks > 1) {
      assertThat(table.lengthOf(0)).isEqualTo(ChunkTable.CHUNK_SIZE);
    }
    assertThat(table.count(ChunkState.NOT_REGISTERED)).isEqualTo(chunks);
  }

  @Test
  void aNewTable_knowsItsBlockAndNoKeys() {
    ChunkTable table = table(5 * MIB);
    assertThat(table.index()).isEqualTo(3);
    assertThat(table.name()).isEqualTo("pc.ram");
    assertThat(table.length()).isEqualTo(5 * MIB);
    assertThat(table.localAddress()).isEqualTo(0x7f0000001000L);
    assertThat(table.remoteAddress()).isZero();
    assertThat(table.localKey(4)).isZero();
    assertThat(table.remoteKey(4)).isZero();
    assertThat(table.timesSent(4)).isZero();
    assertThat(table.inTransit(4)).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void behavesAsItsModel(long seed) {
    RandomGenerator random = RandomGeneratorFactory.getDefault().create(seed);
    int chunks = 1 + random.nextInt(300);
    ChunkTable table = table(chunks * MIB);
    ChunkState[] states = new ChunkState[chunks];
    Arrays.fill(states, ChunkState.NOT_REGISTERED);
    ChunkRelease[] releases = new ChunkRelease[chunks];
    Arrays.fill(releases, ChunkRelease.NONE);
    int[] inTransit = new int[chunks];
    int[] sent = new int[chunks];
    int[] localKeys = new int[chunks];
    int[] remoteKeys = new int[chunks];
    for (int i = 0; i < 2000; i++) {
      int chunk = random.nextInt(chunks);
      switch (random.nextInt(9)) {
        case 0 -> {
          states[chunk] = ChunkState.of(random.nextInt(ChunkState.values().length));
          table.setState(chunk, states[chunk]);
        }
        case 1 -> {
          table.posted(chunk);
          inTransit[chunk]++;
          sent[chunk]++;
          states[chunk] = ChunkState.IN_TRANSIT;
        }
        case 2 -> {
          if (inTransit[chunk] > 0) {
            boolean arrived = random.nextBoolean();
            table.completed(chunk, arrived);
            if (--inTransit[chunk] == 0) {
              states[chunk] = arrived ? ChunkState.SENT : ChunkState.DIRTY_AGAIN;
            }
          }
        }
        case 3 -> {
          localKeys[chunk] = random.nextInt();
          table.setLocalKey(chunk, localKeys[chunk]);
        }
        case 4 -> {
          remoteKeys[chunk] = random.nextInt();
          table.setRemoteKey(chunk, remoteKeys[chunk]);
        }
        case 5 -> {
          int end = chunk + random.nextInt(chunks - chunk) + 1;
          Arrays.fill(localKeys, chunk, end, i);
          table.setLocalKeys(chunk, end, i);
        }
        case 6 -> {
          int end = chunk + random.nextInt(chunks - chunk) + 1;
          ChunkRelease release = ChunkRelease.of(random.nextInt(4));
          Arrays.fill(releases, chunk, end, release);
          table.setReleases(chunk, end, release);
        }
        case 7 -> {
          for (int at = 0; at < chunk; at++) {
            releases[at] =
                releases[at] == ChunkRelease.GIVEN_BACK ? releases[at] : ChunkRelease.NONE;
          }
          table.keepRegistered(0, chunk);
        }
        default -> {
          int end = chunk + random.nextInt(chunks - chunk) + 1;
          for (int at = chunk; at < end; at++) {
            states[at] = sent[at] > 1 ? ChunkState.DIRTY_AGAIN : ChunkState.ZERO;
          }
          table.setStates(
              chunk,
              end,
              (state, posted, times) -> times > 1 ? ChunkState.DIRTY_AGAIN : ChunkState.ZERO);
        }
      }
      String when = "seed %d, round %d".formatted(seed, i);
      assertThat(table.state(chunk)).as(when).isEqualTo(states[chunk]);
      assertThat(table.release(chunk)).as(when).isEqualTo(releases[chunk]);
      assertThat(table.inTransit(chunk)).as(when).isEqualTo(inTransit[chunk]);
      assertThat(table.timesSent(chunk)).as(when).isEqualTo(sent[chunk]);
      assertThat(table.localKey(chunk)).as(when).isEqualTo(localKeys[chunk]);
      assertThat(table.remoteKey(chunk)).as(when).isEqualTo(remoteKeys[chunk]);
      for (ChunkState state : ChunkState.values()) {
        assertThat(table.count(state))
            .as("%s, %s", when, state)
            .isEqualTo(Arrays.stream(states).filter(state::equals).count());
      }
    }
    for (ShownState shown : ShownState.values()) {
      assertThat(table.count(shown))
          .as("seed %d, %s", seed, shown)
          .isEqualTo(
              IntStream.range(0, chunks)
                  .filter(i -> ShownState.of(states[i], releases[i]) == shown)
                  .count());
    }
    byte[] copy = new byte[chunks + 1];
    table.copyShown(0, copy, 1, chunks);
    for (int i = 0; i < chunks; i++) {
      ShownState shown = ShownState.of(states[i], releases[i]);
      assertThat(ShownState.of(copy[i + 1])).as("seed %d", seed).isEqualTo(shown);
      assertThat(table.shown(i)).isEqualTo(shown);
    }
  }

  @Test
  void completed_withoutAWriteInTransit_isRefused() {
    ChunkTable table = table(2 * MIB);
    table.posted(1);
    table.completed(1, true);
    assertThatThrownBy(() -> table.completed(1, true))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("pc.ram chunk 1");
    assertThat(table.inTransit(1)).isZero();
  }

  @Test
  void timesSent_moreOftenThanItCounts_staysAtItsLimit() {
    ChunkTable table = table(MIB);
    for (int i = 0; i < 70_000; i++) {
      table.posted(0);
      table.completed(0, true);
    }
    assertThat(table.timesSent(0)).isEqualTo(65535);
  }

  @Test
  void setRemoteAddress_isKept() {
    ChunkTable table = table(MIB);
    table.setRemoteAddress(0xffff_8000_0000_1000L);
    assertThat(table.remoteAddress()).isEqualTo(0xffff_8000_0000_1000L);
  }

  /** RAM that is only claimed, or whose chunks are all equal, takes almost no memory. */
  @Test
  void chunksThatAreAlike_takeNoMemoryEach() {
    int chunks = 1 << 23;
    ChunkTable table = table(chunks * MIB);
    var snapshot = new ChunkSnapshot(chunks);
    assertThat(table.columns().pages()).isEqualTo(1);
    table.setLocalKeys(5, chunks - 5, 77);
    table.setStates(100, chunks, (state, inTransit, timesSent) -> ChunkState.REGISTERED);
    assertThat(table.columns().pages()).isLessThan(10);
    assertThat(table.count(ChunkState.REGISTERED)).isEqualTo(chunks - 100);
    snapshot.set(7, chunks - 3, ChunkState.SENT, ChunkRelease.NONE, 0, 1, 2, 3);
    table.restore(snapshot);
    assertThat(table.columns().pages()).isLessThan(10);
    assertThat(table.count(ChunkState.SENT)).isEqualTo(chunks - 10);
    assertThat(table.localKey(chunks / 2)).isEqualTo(2);
    // A write to a shared page changes one chunk of one table.
    table.setLocalKey(chunks / 2, 9);
    assertThat(table.localKey(chunks / 2 + ChunkColumns.PAGE)).isEqualTo(2);
    assertThat(snapshot.localKey(chunks / 2)).isEqualTo(2);
    assertThat(snapshot.nextChange(table, 0)).isEqualTo(chunks / 2);
    assertThat(snapshot.nextChange(table, chunks / 2 + 1)).isEqualTo(chunks);
    ChunkTable shown = table(chunks * MIB);
    shown.restore(table);
    table.setLocalKey(chunks / 2, 11);
    assertThat(shown.localKey(chunks / 2)).isEqualTo(9);
  }
}

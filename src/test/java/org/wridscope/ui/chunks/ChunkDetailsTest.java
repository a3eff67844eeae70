// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.wridscope.memory.ChunkRelease;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;

final class ChunkDetailsTest {
  private static final long MIB = 1L << 20;

  @Test
  void of_theLastChunkOfAnOddBlock_hasItsOwnLengthAndAddresses() {
    var table = new ChunkTable(3, "pc.ram", 5 * MIB + 4096, 0x7000_0000L);
    table.setRemoteAddress(0x9000_0000L);
    table.setLocalKey(5, 17);
    table.setRemoteKey(5, 18);
    table.posted(5);
    table.completed(5, true);
    table.posted(5);
    table.setReleases(5, 6, ChunkRelease.PUT_OFF);
    var details = ChunkDetails.of(table, 5);
    assertThat(details)
        .isEqualTo(
            new ChunkDetails(
                3,
                "pc.ram",
                5,
                5 * MIB,
                4096,
                0x7000_0000L + 5 * MIB,
                0x9000_0000L + 5 * MIB,
                17,
                18,
                5L << 30 | 3L << 16 | 1,
                ChunkState.IN_TRANSIT,
                ChunkRelease.PUT_OFF,
                2,
                1));
    assertThat(ReadOut.describe(details)).contains("registration postponed");
  }

  @Test
  void of_aBlockWithoutMemoryOrPeer_hasNoAddresses() {
    var details = ChunkDetails.of(new ChunkTable(0, "pc.ram", 4 * MIB, 0), 2);
    assertThat(details.localAddress()).isZero();
    assertThat(details.remoteAddress()).isZero();
    assertThat(ReadOut.describe(details))
        .contains("not registered, never sent", "2.00 MiB", "0x80000001 = 2147483649")
        .doesNotContain("local", "remote");
  }

  @Test
  void describe_ofSeveralChunks_countsTheirStatesWithWhatMattersMostFirst() {
    var table = new ChunkTable(0, "pc.ram", 10 * MIB, 0);
    table.setState(2, ChunkState.ZERO);
    table.posted(3);
    table.posted(4);
    table.setReleases(3, 6, ChunkRelease.GIVEN_BACK);
    assertThat(ReadOut.describe(table, 1, 5))
        .startsWith("2 in transit\n1 released\n1 zero\n1 not registered\noffset 1.00 MiB");
    assertThat(ReadOut.title(table, 1, 5)).isEqualTo("pc.ram  chunks 1 to 5");
    assertThat(ReadOut.title(table, 1, 1)).isEqualTo("pc.ram  chunk 1");
  }
}

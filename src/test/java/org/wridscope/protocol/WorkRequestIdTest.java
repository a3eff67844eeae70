// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WorkRequestIdTest {
  private static final long SEED = 0x57524944;

  @Test
  void partsComeBackAsTheyWentIn() {
    RandomGenerator random = new SplittableRandom(SEED);
    for (int i = 0; i < 20_000; i++) {
      int type = random.nextInt(1 << 16);
      int block = random.nextInt(WorkRequestId.MAX_BLOCK + 1);
      long chunk = random.nextLong(WorkRequestId.MAX_CHUNK + 1);

      long wrid = WorkRequestId.of(type, block, chunk);

      assertThat(WorkRequestId.type(wrid)).as("seed %x, wrid %x", SEED, wrid).isEqualTo(type);
      assertThat(WorkRequestId.block(wrid)).as("seed %x, wrid %x", SEED, wrid).isEqualTo(block);
      assertThat(WorkRequestId.chunk(wrid)).as("seed %x, wrid %x", SEED, wrid).isEqualTo(chunk);
    }
  }

  /** Layout of QEMU's wrids: 16 bits of type, 14 of block, 34 of chunk. */
  @ParameterizedTest
  @CsvSource({
    "1, 0, 0, 0000000000000001",
    "2000, 0, 0, 00000000000007d0",
    "4001, 0, 0, 0000000000000fa1",
    "65535, 0, 0, 000000000000ffff",
    "0, 1, 0, 0000000000010000",
    "0, 16383, 0, 000000003fff0000",
    "0, 0, 1, 0000000040000000",
    "0, 0, 17179869183, ffffffffc0000000",
    "1, 3, 17, 0000000440030001",
  })
  void of_parts_putsThemIntoTheirBits(int type, int block, long chunk, String hex) {
    assertThat(WorkRequestId.of(type, block, chunk)).isEqualTo(Long.parseUnsignedLong(hex, 16));
  }

  @ParameterizedTest
  @CsvSource({
    "-1, 0, 0",
    "65536, 0, 0",
    "1, -1, 0",
    "1, 16384, 0",
    "1, 0, -1",
    "1, 0, 17179869184",
  })
  void of_partThatDoesNotFit_throws(int type, int block, long chunk) {
    assertThatIllegalArgumentException().isThrownBy(() -> WorkRequestId.of(type, block, chunk));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0, NONE",
    "1, 3, 17, WRITE RDMA block 3 chunk 17",
    "1, 16383, 17179869183, WRITE RDMA block 16383 chunk 17179869183",
    "2000, 0, 0, CONTROL SEND",
    "4000, 0, 0, CONTROL RECV 0",
    "4001, 0, 0, CONTROL RECV 1",
    "77, 0, 0, type 77",
    "2001, 0, 0, type 2001",
  })
  void describe_anyType_namesItAsQemuDoes(int type, int block, long chunk, String text) {
    assertThat(WorkRequestId.describe(WorkRequestId.of(type, block, chunk))).isEqualTo(text);
  }
}

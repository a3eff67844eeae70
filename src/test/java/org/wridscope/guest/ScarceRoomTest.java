// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class ScarceRoomTest {
  private static final long MIB = 1 << 20;

  private long available = 4096 * MIB;
  private final AtomicInteger questions = new AtomicInteger();
  private final ScarceRoom memory =
      new ScarceRoom(
          () -> {
            questions.incrementAndGet();
            return available;
          },
          "only %s are left");

  @Test
  void atMostWhatIsToSpare_isTaken_whateverThePieces() {
    var random = new SplittableRandom(7);
    long before = available;
    assertThatExceptionOfType(GuestException.class)
        .isThrownBy(() -> {
          while (true) {
            long piece = MIB * random.nextLong(1, 65);
            memory.take(piece);
            available -= piece;
          }
        })
        .withMessageContaining(" are left");
    assertThat(available).isBetween(ScarceRoom.SPARE, ScarceRoom.SPARE + 64 * MIB);
    assertThat(questions.get()).isLessThan((int) (2 * (before - available) / MIB / 32));
  }

  @Test
  void whatOthersTake_isNoticed() throws GuestException {
    memory.take(ScarceRoom.STEP);
    available = ScarceRoom.SPARE;
    assertThatExceptionOfType(GuestException.class)
        .isThrownBy(() -> {
          memory.take(ScarceRoom.STEP);
          memory.take(1);
        });
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.Slow;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.RamBlock;

@Slow("guests that write, in real time")
final class BalloonTest {
  private static final long MIB = 1 << 20;
  private static final int PAGES = (int) (MIB / RamBlock.PAGE_SIZE);

  private record Range(int block, long offset, long length) {}

  private static SyntheticGuestConfig config(long balloon) {
    return SyntheticGuestConfig.of(16 * MIB, 4 * MIB, 4 * MIB, 0.3, 5).withBalloon(balloon);
  }

  private static long balloonSteps(SyntheticGuest guest) {
    return SyntheticState.of(guest.saveDeviceState(), 16 * MIB).balloonSteps();
  }

  /** Runs the guest for at least so many steps of its balloon, and leaves it paused. */
  private static void runUntil(SyntheticGuest guest, long steps) {
    long start = System.nanoTime();
    guest.pause();
    while (balloonSteps(guest) < steps) {
      assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(30));
      guest.resume();
      LockSupport.parkNanos(5_000_000);
      guest.pause();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 7})
  void replay_afterAnyNumberOfSteps_givesWhatTheStepsDid(long units) {
    var balloon = new Balloon(units, 42);
    assertThat(balloon.pages()).isEqualTo(units * PAGES);
    try (var arena = Arena.ofConfined()) {
      MemorySegment ram = arena.allocate((units + 1) * MIB);
      ram.fill((byte) 0x77);
      for (long steps = 0; steps <= 4 * units + 1; steps++) {
        for (long page = 0; page < (units + 1) * PAGES; page += 85) {
          long[] words = new long[RamBlock.PAGE_SIZE / Long.BYTES];
          Arrays.fill(words, 0x7777_7777_7777_7777L);
          balloon.replay(page, steps, words);
          assertThat(
                  ram.asSlice(page * RamBlock.PAGE_SIZE, RamBlock.PAGE_SIZE)
                      .toArray(ValueLayout.JAVA_LONG))
              .as("page %d after %d steps", page, steps)
              .isEqualTo(words);
        }
        balloon.write(ram, steps);
      }
    }
  }

  @Test
  void guest_givesBackItsBalloonAgainAndAgain_andSaysSo() throws GuestException {
    Queue<Range> hints = new ConcurrentLinkedQueue<>();
    try (SyntheticGuest guest = SyntheticGuest.boot(config(3 * MIB))) {
      guest.pause();
      long before = balloonSteps(guest);
      guest.setMemoryHints(
          new MemoryHints() {
            @Override
            public void notNeeded(int block, long offset, long length) {
              hints.add(new Range(block, offset, length));
            }

            @Override
            public int release(int block, long offset, long length, Duration limit) {
              throw new AssertionError("a balloon does not free RAM");
            }
          });
      runUntil(guest, before + 12);

      long after = balloonSteps(guest);
      List<Range> expected =
          LongStream.range(before, after)
              .filter(step -> step % 6 < 3)
              .mapToObj(step -> new Range(0, step % 3 * MIB, MIB))
              .toList();
      assertThat(hints).containsExactlyElementsOf(expected);
      assertThat(guest.checkConsistency()).isEmpty();
    }
  }

  @Test
  void dirtyLog_hasWhatTheBalloonWrote() throws GuestException {
    try (SyntheticGuest guest = SyntheticGuest.boot(config(2 * MIB))) {
      guest.pause();
      guest.dirtyLog().start();
      byte[] before = guest.ramBlocks().getFirst().memory().toArray(ValueLayout.JAVA_BYTE);
      runUntil(guest, balloonSteps(guest) + 5);
      var bitmap = new DirtyBitmap(16 * PAGES);
      guest.dirtyLog().fetchAndClear(0, bitmap);
      guest.dirtyLog().stop();
      MemorySegment now = guest.ramBlocks().getFirst().memory();
      for (int page = 0; page < 16 * PAGES; page++) {
        long from = (long) page * RamBlock.PAGE_SIZE;
        boolean same =
            MemorySegment.mismatch(
                    MemorySegment.ofArray(before),
                    from,
                    from + RamBlock.PAGE_SIZE,
                    now,
                    from,
                    from + RamBlock.PAGE_SIZE)
                < 0;
        assertThat(same || bitmap.nextSet(page) == page).as("page %d", page).isTrue();
      }
      assertThat(bitmap.nextClear(0)).isGreaterThanOrEqualTo(2 * PAGES);
    }
  }

  @Test
  void balloon_goesOnWhereTheGuestGoes() throws GuestException {
    SyntheticGuestConfig config = config(4 * MIB);
    try (SyntheticGuest here = SyntheticGuest.boot(config);
        SyntheticGuest there = SyntheticGuest.incoming(config.withBalloon(0))) {
      runUntil(here, 6);
      for (int i = 0; i < here.ramBlocks().size(); i++) {
        there.ramBlocks().get(i).memory().copyFrom(here.ramBlocks().get(i).memory());
      }
      for (int i = 0; i < here.devices().size(); i++) {
        there.devices().get(i).load(here.devices().get(i).save());
      }
      assertThat(balloonSteps(there)).isEqualTo(balloonSteps(here));
      assertThat(there.checkConsistency()).isEmpty();
      there.beginDigest();
      runUntil(there, balloonSteps(here) + 9);
      assertThat(there.checkConsistency()).isEmpty();
    }
  }

  @Test
  void state_withoutABalloon_isWhatItWasBeforeThereWereAny() throws GuestException {
    try (SyntheticGuest without = SyntheticGuest.boot(config(0));
        SyntheticGuest with = SyntheticGuest.boot(config(MIB))) {
      without.pause();
      with.pause();
      assertThat(ByteBuffer.wrap(without.saveDeviceState()).getInt()).isEqualTo(1);
      assertThat(ByteBuffer.wrap(with.saveDeviceState()).getInt()).isEqualTo(2);
      assertThat(with.saveDeviceState()).hasSize(without.saveDeviceState().length + 16);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "16, 0, balloon of 0 bytes",
    "16, -1048576, balloon of -1048576 bytes",
    "16, 1048577, balloon of 1048577 bytes",
    "16, 16777216, balloon of 16777216 bytes",
    "8, -1, 18446744073709551615 steps of the balloon",
    "8, 4611686018427387905, 4611686018427387905 steps of the balloon"
  })
  void hostileState_isRefused(int fromEnd, long value, String says) throws GuestException {
    try (SyntheticGuest guest = SyntheticGuest.boot(config(MIB))) {
      guest.pause();
      byte[] state = guest.saveDeviceState();
      ByteBuffer.wrap(state).putLong(state.length - fromEnd, value);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> SyntheticState.of(state, 16 * MIB))
          .withMessageContaining(says);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {-MIB, 4096, 7 * MIB, Long.MIN_VALUE})
  void balloonThatReachesIntoTheWorkingSet_isRefused(long bytes) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> config(bytes))
        .withMessageContaining("balloon of " + bytes + " bytes");
  }
}

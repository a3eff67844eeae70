// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
final class EventRingTest {
  private static final int CAPACITY = 8;

  private final EventRing ring = new EventRing(CAPACITY);
  private final List<Long> read = new ArrayList<>();

  private void write(long from, long to) {
    for (long wrid = from; wrid < to; wrid++) {
      ring.write(0, EventKind.POST_WRITE, 0, 0, wrid, 0);
    }
  }

  private int drain(int limit) {
    return ring.drain((nanos, kind, detail, length, wrid, argument) -> read.add(wrid), limit);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 12})
  void capacityThatIsNoPowerOfTwo_isRefused(int capacity) {
    assertThatThrownBy(() -> new EventRing(capacity))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not a power of two");
  }

  @Test
  void everyField_isReadAsItWasWritten() {
    ring.write(-3, EventKind.COMPLETION_DROPPED, 0xffff, -1, -2, Long.MIN_VALUE);
    int drained =
        ring.drain(
            (nanos, kind, detail, length, wrid, argument) -> {
              assertThat(nanos).isEqualTo(-3);
              assertThat(kind).isEqualTo(EventKind.COMPLETION_DROPPED);
              assertThat(detail).isEqualTo(0xffff);
              assertThat(length).isEqualTo(-1);
              assertThat(wrid).isEqualTo(-2);
              assertThat(argument).isEqualTo(Long.MIN_VALUE);
            },
            CAPACITY);
    assertThat(drained).isOne();
  }

  @Test
  void detailBeyondSixteenBits_doesNotChangeTheKind() {
    ring.write(0, EventKind.POST_WRITE, 0x1_2345, 7, 0, 0);
    ring.drain(
        (nanos, kind, detail, length, wrid, argument) -> {
          assertThat(kind).isEqualTo(EventKind.POST_WRITE);
          assertThat(detail).isEqualTo(0x2345);
          assertThat(length).isEqualTo(7);
        },
        1);
  }

  @Test
  void emptyRing_hasNothingToRead() {
    assertThat(drain(CAPACITY)).isZero();
    write(0, 3);
    drain(CAPACITY);
    assertThat(drain(CAPACITY)).isZero();
  }

  @Test
  void fullRing_keepsTheOldestRecords_andCountsThoseItSkips() {
    write(0, CAPACITY);
    assertThat(ring.leftOut()).isZero();
    write(CAPACITY, CAPACITY + 5);
    assertThat(ring.leftOut()).isEqualTo(5);
    assertThat(drain(100)).isEqualTo(CAPACITY);
    assertThat(read).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
  }

  @Test
  void fullRing_takesAsManyRecordsAsWereRead() {
    write(0, CAPACITY + 1);
    assertThat(drain(3)).isEqualTo(3);
    write(100, 105);
    assertThat(ring.leftOut()).isEqualTo(1 + 2);
    drain(100);
    assertThat(read).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 100L, 101L, 102L);
  }

  @Test
  void limit_leavesTheRestForTheNextTime() {
    write(0, 5);
    assertThat(drain(2)).isEqualTo(2);
    assertThat(drain(2)).isEqualTo(2);
    assertThat(drain(2)).isOne();
    assertThat(read).containsExactly(0L, 1L, 2L, 3L, 4L);
  }

  /** Wraps around many times with random steps, compared with a plain queue. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void anyOrderOfWritesAndReads_isLikeAQueueThatSkipsWhatDoesNotFit(long seed) {
    var random = new SplittableRandom(seed);
    var expected = new ArrayList<Long>();
    long written = 0;
    long skipped = 0;
    int held = 0;
    for (int step = 0; step < 10_000; step++) {
      int count = random.nextInt(CAPACITY + 3);
      if (random.nextBoolean()) {
        write(written, written + count);
        for (long wrid = written; wrid < written + count; wrid++) {
          if (held < CAPACITY) {
            held++;
            expected.add(wrid);
          } else {
            skipped++;
          }
        }
        written += count;
      } else {
        int drained = drain(count);
        assertThat(drained).as("seed %d, step %d", seed, step).isEqualTo(Math.min(held, count));
        held -= drained;
      }
    }
    drain(CAPACITY);
    assertThat(read).as("seed %d", seed).isEqualTo(expected);
    assertThat(ring.leftOut()).as("seed %d", seed).isEqualTo(skipped);
  }

  /**
   * A writer that never waits and a reader in another thread: records are in order, not torn, and
   * all are counted.
   */
  @Test
  void writerAndReaderAtOnce_loseOnlyWhatIsCounted() throws InterruptedException {
    long records = 2_000_000;
    var written = new CountDownLatch(1);
    Thread.ofPlatform()
        .start(() -> {
          for (long i = 0; i < records; i++) {
            ring.write(0, EventKind.POST_WRITE, (int) i & 0xffff, (int) i, i, ~i);
          }
          written.countDown();
        });
    var reader =
        new EventRing.Reader() {
          long count;
          long last = -1;

          @Override
          public void event(
              long nanos, EventKind kind, int detail, int length, long wrid, long argument) {
            if (wrid <= last
                || argument != ~wrid
                || length != (int) wrid
                || detail != ((int) wrid & 0xffff)) {
              throw new AssertionError("record %d after %d is torn".formatted(wrid, last));
            }
            last = wrid;
            count++;
          }
        };
    while (written.getCount() > 0) {
      ring.drain(reader, CAPACITY);
    }
    written.await();
    while (ring.drain(reader, CAPACITY) > 0) {
      // the rest
    }
    assertThat(reader.count + ring.leftOut()).isEqualTo(records);
    assertThat(reader.count).isPositive();
  }
}

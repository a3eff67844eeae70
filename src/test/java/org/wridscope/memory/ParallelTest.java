// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ParallelTest {

  @ParameterizedTest
  @CsvSource({"1, 0", "1, 1", "1, 100", "2, 1", "2, 1000", "5, 3", "4, 5000"})
  void forEach_anyCountAndThreads_visitsEachNumberOnce(int threads, int count) {
    AtomicIntegerArray visits = new AtomicIntegerArray(Math.max(1, count));
    Parallel.forEach(threads, count, i -> visits.incrementAndGet((int) i));
    for (int i = 0; i < count; i++) {
      assertThat(visits.get(i)).as("number %d", i).isEqualTo(1);
    }
  }

  @Test
  void forEach_twoThreads_workAtTheSameTime() {
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    CountDownLatch both = new CountDownLatch(2);
    Parallel.forEach(
        2,
        2,
        i -> {
          threads.add(Thread.currentThread());
          both.countDown();
          assertThat(await(both)).isTrue();
        });
    assertThat(threads).hasSize(2).contains(Thread.currentThread());
    threads.remove(Thread.currentThread());
    assertThat(threads).noneMatch(Thread::isAlive);
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      return false;
    }
  }

  @Test
  void forEach_aTaskThatThrows_endsTheWorkEarlyAndThrows() {
    AtomicLong last = new AtomicLong();
    assertThatThrownBy(() ->
            Parallel.forEach(
                2,
                Long.MAX_VALUE,
                i -> {
                  last.accumulateAndGet(i, Math::max);
                  if (i == 100) {
                    throw new IllegalStateException("no more");
                  }
                }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no more");
    assertThat(last.get()).isGreaterThanOrEqualTo(100);
  }

  @Test
  void forEach_anErrorInAnyThread_isThrownToTheCaller() {
    assertThatThrownBy(() ->
            Parallel.forEach(
                3,
                10,
                i -> {
                  throw new InternalError("a fault");
                }))
        .isInstanceOf(InternalError.class);
  }

  @Test
  void forEach_interrupted_finishesAndKeepsTheInterrupt() {
    AtomicLong sum = new AtomicLong();
    Thread.currentThread().interrupt();
    Parallel.forEach(2, 1000, sum::addAndGet);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(sum.get()).isEqualTo(499500);
  }

  @Test
  void forEach_interruptibleTask_leavesTheRestOut() {
    AtomicLong done = new AtomicLong();
    Thread caller = Thread.currentThread();
    assertThatThrownBy(() ->
            Parallel.forEach(
                2,
                Long.MAX_VALUE,
                Parallel.interruptible(_ -> {
                  if (done.incrementAndGet() == 10) {
                    caller.interrupt();
                  }
                })))
        .isInstanceOf(UncheckedIOException.class)
        .hasCauseInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class InterruptionTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  @Test
  void interrupt_waitsForTheCommandToEnd() throws InterruptedException {
    AtomicInteger stops = new AtomicInteger();
    AtomicBoolean ended = new AtomicBoolean();
    Interruption interruption = new Interruption(LONG);
    CountDownLatch stopped = new CountDownLatch(1);
    interruption.onRequest(() -> {
      stops.incrementAndGet();
      stopped.countDown();
    });
    AtomicBoolean endedBeforeTheProcess = new AtomicBoolean();
    Thread signal =
        Thread.ofPlatform()
            .start(() -> {
              interruption.interrupt();
              endedBeforeTheProcess.set(ended.get());
            });
    assertThat(stopped.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    ended.set(true);
    interruption.close();
    signal.join();
    assertThat(endedBeforeTheProcess).isTrue();
    assertThat(stops).hasValue(1);
  }

  @Test
  void interrupt_commandThatDoesNotEnd_isNotWaitedForForever() {
    try (Interruption interruption = new Interruption(Duration.ZERO)) {
      interruption.interrupt();
      assertThat(interruption.requested()).isTrue();
    }
  }

  @Test
  void interrupt_whileAGuestCouldBeLost_isWaitedForWithoutALimit() throws InterruptedException {
    AtomicInteger looks = new AtomicInteger();
    try (Interruption interruption = new Interruption(Duration.ZERO)) {
      interruption.holdWhile(() -> looks.incrementAndGet() < 5);
      Thread signal = Thread.ofPlatform().start(interruption::interrupt);
      signal.interrupt();
      signal.join();
    }
    assertThat(looks).hasValue(5);
  }

  @Test
  void onRequest_afterIt_stopsAtOnce() {
    AtomicInteger stops = new AtomicInteger();
    try (Interruption interruption = new Interruption(Duration.ZERO)) {
      interruption.interrupt();
      interruption.onRequest(stops::incrementAndGet);
    }
    assertThat(stops).hasValue(1);
  }
}

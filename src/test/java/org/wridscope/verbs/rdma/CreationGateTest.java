// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CreationGateTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  /** As when a creation fails, and the queue pair is destroyed. */
  @Test
  void reader_doesNotWaitForACreationThatWaitsForTheReader() throws Exception {
    var gate = new CreationGate();
    var begun = new CountDownLatch(1);
    var acknowledged = new CountDownLatch(1);
    var created =
        CompletableFuture.supplyAsync(() -> {
          try {
            return gate.pass(() -> {
              begun.countDown();
              return waitFor(acknowledged);
            });
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    begun.await();
    assertThat(gate.awaitNone(Duration.ofMillis(10))).isFalse();
    acknowledged.countDown();
    assertThat(gate.awaitNone(LONG)).isTrue();
    assertThat(created).succeedsWithin(LONG).isEqualTo(true);
  }

  private static boolean waitFor(CountDownLatch latch) {
    try {
      return latch.await(LONG.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void creationThatFails_letsTheReaderGoOn() {
    var gate = new CreationGate();
    assertThatIllegalStateException()
        .isThrownBy(() ->
            gate.pass(() -> {
              throw new IllegalStateException("refused");
            }));
    assertThat(gate.awaitNone(Duration.ZERO)).isTrue();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.wridscope.TimeLimit;

@Tag("qemu")
final class CounterWatchTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long LOOPS = 100;

  private static final CounterGuest GUEST = new CounterGuest(32 << 20, 1 << 20, 1 << 20, true);

  @BeforeEach
  void qemuIsInstalled() {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin", QemuLab.PROGRAM)),
        QemuLab.PROGRAM + " is not installed");
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static QemuLab start() throws Exception {
    var pair = new QemuLab(Path.of("/usr/bin", QemuLab.PROGRAM), GUEST, false);
    try {
      pair.start();
      return pair;
    } catch (IOException | InterruptedException e) {
      pair.close();
      throw e;
    }
  }

  @Test
  void guestThatMigrates_isSeenToLeaveAndToArrive() throws Exception {
    try (QemuLab pair = start();
        CounterWatch watch = pair.watch()) {
      // The speed before the migration is one of many loops.
      new TimeLimit(PATIENCE).await("loops", () -> watch.loops() >= LOOPS);
      watch.departs();
      long begin = System.nanoTime();
      pair.migrate(new QemuMigration("tcp:127.0.0.1:" + freePort(), List.of()));
      CounterWatch.Seen seen = watch.arrived();
      assertThat(seen.total())
          .isBetween(seen.downtime(), Duration.ofNanos(System.nanoTime() - begin));
      assertThat(seen.downtime()).isPositive();
      assertThat(seen.speed()).isPositive();
      assertThat(seen.pace()).isPositive();
    }
  }

  /** Its RAM at the destination is zero, and nobody writes to it. */
  @Test
  void guestThatStays_isNotSeenElsewhere() throws Exception {
    try (QemuLab pair = start();
        CounterWatch watch = pair.watch()) {
      watch.departs();
      assertThatIOException()
          .isThrownBy(watch::arrived)
          .withMessage("The guest does not continue at the destination.");
    }
  }
}

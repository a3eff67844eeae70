// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javafx.application.Platform;
import javafx.stage.Stage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.framework.junit5.Start;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.Slow;

/** The watchdog reports waits, and nothing else. */
@Slow("it waits until a watchdog finds that the JavaFX thread stands still")
@ExtendWith(OnFxRobot.class)
@Timeout(60)
final class FxWatchdogTest {
  @TempDir Path directory;

  private final FxWatchdog watchdog = new FxWatchdog();

  @Start
  void start(Stage stage) {
    stage.show();
  }

  private void awaitStack() throws Exception {
    WaitForAsyncUtils.waitFor(40, TimeUnit.SECONDS, () -> watchdog.stack().isPresent());
  }

  @Test
  void waitingForAnotherThread_isSeen_withItsStack() throws Exception {
    var go = new CountDownLatch(1);
    watchdog.start();
    Platform.runLater(() -> {
      try {
        go.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    });
    awaitStack();
    go.countDown();
    assertThat(watchdog.stop().orElseThrow()).contains("CountDownLatch.await", "FxWatchdogTest");
  }

  @Test
  void waitingForAFile_isSeen() throws Exception {
    Path fifo = directory.resolve("fifo");
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
    watchdog.start();
    Platform.runLater(() -> {
      try {
        Files.readAllBytes(fifo);
      } catch (java.io.IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    });
    awaitStack();
    Files.write(fifo, new byte[1]);
    assertThat(watchdog.stop().orElseThrow()).contains("readAllBytes");
  }

  @Test
  void working_isNotWaiting() throws Exception {
    var done = new CountDownLatch(1);
    watchdog.start();
    Platform.runLater(() -> {
      var threads = ManagementFactory.getThreadMXBean();
      long end = threads.getCurrentThreadCpuTime() + TimeUnit.MILLISECONDS.toNanos(250);
      while (threads.getCurrentThreadCpuTime() < end) {
        Thread.onSpinWait();
      }
      done.countDown();
    });
    done.await();
    assertThat(watchdog.stop()).isEmpty();
  }
}

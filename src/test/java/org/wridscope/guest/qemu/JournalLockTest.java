// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.ChildJvm;

final class JournalLockTest {
  private static final Duration SHORT = Duration.ofMillis(50);

  @TempDir private Path directory;

  /** A process that has the lock until it ends. */
  static final class Holder {
    private Holder() {}

    /** Argument: the file. */
    public static void main(String[] arguments) throws IOException {
      new JournalLock(Path.of(arguments[0]), JournalLock.PATIENCE)
          .during(() -> {
            System.out.println("held");
            int _ = System.in.read();
          });
    }
  }

  private void during(JournalLock.Action action) throws IOException {
    new JournalLock(directory.resolve("lock"), SHORT).during(action);
  }

  @Test
  void aProcessThatHasItForTooLong_isNamed() throws Exception {
    List<String> command = ChildJvm.command(Holder.class);
    command.add(directory.resolve("lock").toString());
    Process holder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      assertThat(holder.inputReader().readLine()).isEqualTo("held");
      assertThatIOException()
          .isThrownBy(() -> during(() -> {}))
          .withMessage(
              "Another Wridscope (process %d) has held the journals of QEMUs in %s for 50 ms; wait until it goes on, or end it.",
              holder.pid(), directory);
    } finally {
      holder.destroyForcibly().waitFor();
    }
    var done = new boolean[1];
    during(() -> done[0] = true);
    assertThat(done[0]).as("the kernel has taken it from a process that has ended").isTrue();
  }

  @Test
  void aThreadThatHasItForTooLong_isNotAwaited() throws Exception {
    var held = new CountDownLatch(1);
    var end = new CountDownLatch(1);
    Thread holder =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try {
                during(() -> {
                  held.countDown();
                  awaitOpen(end);
                });
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    held.await();
    assertThatIOException()
        .isThrownBy(() -> during(() -> {}))
        .withMessageStartingWith("Another thread of this program has held the journals");
    end.countDown();
    holder.join();
    during(() -> {});
  }

  private static void awaitOpen(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

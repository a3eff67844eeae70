// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.wridscope.Main;

/**
 * A disk that takes its time over the second fsync, which is the one at the end of a capture: until
 * it is told to go on, or fails. As a program, it is Wridscope with such a disk.
 */
public final class SlowDisk implements AutoCloseable {
  private final PartFile.Sync before = PartFile.sync;
  private final AtomicInteger asked = new AtomicInteger();
  private final CountDownLatch busy = new CountDownLatch(1);
  private final CountDownLatch goesOn = new CountDownLatch(1);

  private SlowDisk() {}

  /** What happens instead of an fsync. */
  @FunctionalInterface
  private interface Delay {
    void pass() throws IOException, InterruptedException;
  }

  private void install(Delay delay) {
    PartFile.sync =
        file -> {
          if (asked.incrementAndGet() == 2) {
            try {
              delay.pass();
            } catch (InterruptedException e) {
              throw new InterruptedIOException("the slow disk was interrupted");
            }
          }
          before.force(file);
        };
  }

  /** One that waits for {@link #goOn}. */
  public static SlowDisk waiting() {
    var disk = new SlowDisk();
    disk.install(() -> {
      disk.busy.countDown();
      disk.goesOn.await();
    });
    return disk;
  }

  /** One that fails. */
  public static SlowDisk failing() {
    var disk = new SlowDisk();
    disk.install(() -> {
      throw new IOException("Input/output error");
    });
    return disk;
  }

  /** One that makes a file when it is busy, and waits until that is deleted. */
  public static void untilDeleted(Path file) {
    new SlowDisk()
        .install(() -> {
          Files.createFile(file);
          while (Files.exists(file)) {
            Thread.sleep(10);
          }
        });
  }

  /** Waits until it is busy. */
  public void awaitBusy() throws InterruptedException {
    busy.await();
  }

  public void goOn() {
    goesOn.countDown();
  }

  @Override
  public void close() {
    goOn();
    PartFile.sync = before;
  }

  /** Runs the program whose arguments come behind the file of {@link #untilDeleted}. */
  public static void main(String[] arguments) {
    untilDeleted(Path.of(arguments[0]));
    Main.main(Arrays.copyOfRange(arguments, 1, arguments.length));
  }
}

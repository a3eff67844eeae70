// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.wridscope.Main;
import org.wridscope.TimeLimit;

/**
 * A disk whose second fsync, the one at the end of a capture, blocks until {@link #goOn}, or fails.
 * As a program, it is Wridscope with such a disk.
 */
public final class CaptureDisk implements AutoCloseable {
  private static final String NO_ROOM = "No space left on device";

  private final PartFile.Sync before = PartFile.sync;
  private final PartFile.Write writeBefore = PartFile.write;
  private final AtomicInteger asked = new AtomicInteger();
  private final CountDownLatch busy = new CountDownLatch(1);
  private final CountDownLatch goesOn = new CountDownLatch(1);

  private CaptureDisk() {}

  /** Runs before the second fsync. */
  @FunctionalInterface
  private interface Delay {
    void pass(FileChannel file) throws IOException, InterruptedException;
  }

  private void install(Delay delay) {
    PartFile.sync =
        file -> {
          if (asked.incrementAndGet() == 2) {
            try {
              delay.pass(file);
            } catch (InterruptedException e) {
              throw new InterruptedIOException("the slow disk was interrupted");
            }
          }
          before.force(file);
        };
  }

  /** A disk that waits for {@link #goOn}. */
  public static CaptureDisk waiting() {
    var disk = new CaptureDisk();
    disk.install(_ -> {
      disk.busy.countDown();
      disk.goesOn.await();
    });
    return disk;
  }

  /** A disk that fails when the device states are written. */
  public static CaptureDisk brokenAtTheStates() {
    var disk = new CaptureDisk();
    PartFile.write =
        (_, _, _) -> {
          throw new IOException("Input/output error");
        };
    return disk;
  }

  /** A disk whose second fsync fails. */
  public static CaptureDisk failing() {
    var disk = new CaptureDisk();
    disk.install(_ -> {
      throw new IOException("Input/output error");
    });
    return disk;
  }

  /**
   * A disk that is full when the device states are written, except for single bytes, until {@link
   * #goOn}; and whose next fsync drops the last bytes and reports that there is no space.
   *
   * @param busyAfter number of refused writes after which it counts as busy
   */
  public static CaptureDisk full(int busyAfter) {
    var disk = new CaptureDisk();
    var refused = new AtomicInteger();
    PartFile.write =
        (file, bytes, at) -> {
          if (disk.goesOn.getCount() == 0) {
            return disk.writeBefore.write(file, bytes, at);
          }
          int often = refused.incrementAndGet();
          if (often == busyAfter) {
            disk.busy.countDown();
          }
          if (often % 2 == 0) {
            int one = disk.writeBefore.write(file, bytes.slice(bytes.position(), 1), at);
            bytes.position(bytes.position() + one);
            return one;
          }
          throw new IOException(NO_ROOM);
        };
    disk.install(file -> {
      file.truncate(file.size() - 1000);
      throw new IOException(NO_ROOM);
    });
    return disk;
  }

  /** Installs a disk that creates a file when it is busy, and waits until that is deleted. */
  public static void untilDeleted(Path file) {
    new CaptureDisk()
        .install(_ -> {
          Files.createFile(file);
          var limit = new TimeLimit(Duration.ofMinutes(10));
          while (Files.exists(file)) {
            limit.glance("the deletion of " + file);
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
    PartFile.write = writeBefore;
  }

  /** Arguments: the file of {@link #untilDeleted}, then those of the program. */
  public static void main(String[] arguments) {
    untilDeleted(Path.of(arguments[0]));
    Main.main(Arrays.copyOfRange(arguments, 1, arguments.length));
  }
}

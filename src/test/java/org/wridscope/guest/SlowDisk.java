// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.FileChannel;
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
  private static final String NO_ROOM = "No space left on device";

  private final PartFile.Sync before = PartFile.sync;
  private final PartFile.Write writeBefore = PartFile.write;
  private final AtomicInteger asked = new AtomicInteger();
  private final CountDownLatch busy = new CountDownLatch(1);
  private final CountDownLatch goesOn = new CountDownLatch(1);

  private SlowDisk() {}

  /** What happens instead of an fsync. */
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

  /** One that waits for {@link #goOn}. */
  public static SlowDisk waiting() {
    var disk = new SlowDisk();
    disk.install(_ -> {
      disk.busy.countDown();
      disk.goesOn.await();
    });
    return disk;
  }

  /** One that is broken when the states of devices come. */
  public static SlowDisk brokenAtTheStates() {
    var disk = new SlowDisk();
    PartFile.write =
        (_, _, _) -> {
          throw new IOException("Input/output error");
        };
    return disk;
  }

  /** One that is broken. */
  public static SlowDisk failing() {
    var disk = new SlowDisk();
    disk.install(_ -> {
      throw new IOException("Input/output error");
    });
    return disk;
  }

  /**
   * One that is full when the states of devices come, but for a byte now and then, until it is told
   * to go on; and that finds no room for what it took at the first fsync behind them.
   *
   * @param busyAfter how often it says so until it counts as busy
   */
  public static SlowDisk full(int busyAfter) {
    var disk = new SlowDisk();
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

  /** One that makes a file when it is busy, and waits until that is deleted. */
  public static void untilDeleted(Path file) {
    new SlowDisk()
        .install(_ -> {
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
    PartFile.write = writeBefore;
  }

  /** Runs the program whose arguments come behind the file of {@link #untilDeleted}. */
  public static void main(String[] arguments) {
    untilDeleted(Path.of(arguments[0]));
    Main.main(Arrays.copyOfRange(arguments, 1, arguments.length));
  }
}

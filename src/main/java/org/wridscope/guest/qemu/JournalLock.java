// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.wridscope.text.Format;

/**
 * Has one thread, of one process, at a time change the names in a directory of journals. A process
 * that has the lock writes its id into the file, so that another one can name it; the kernel
 * releases the lock of a process that ends.
 *
 * @param file is created if it does not exist
 * @param patience after which a wait for it fails
 */
record JournalLock(Path file, Duration patience) {
  /** Others have it for the time of some writes to the storage device. */
  static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final ReentrantLock THREADS = new ReentrantLock();

  private static final Duration GLANCE = Duration.ofMillis(20);

  /** Of a process id. */
  private static final int MOST_DIGITS = 10;

  /** What is done meanwhile. */
  @FunctionalInterface
  interface Action {
    void run() throws IOException;
  }

  /**
   * Runs an action while no other thread or process has the lock.
   *
   * @throws IOException if another has it for longer than the patience; one sentence
   */
  void during(Action action) throws IOException {
    try {
      long end = System.nanoTime() + patience.toNanos();
      if (!THREADS.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        throw busy("Another thread of this program");
      }
      try (FileChannel channel = open();
          var _ = lock(channel, end)) {
        sign(channel);
        action.run();
      } finally {
        THREADS.unlock();
      }
    } catch (InterruptedException e) {
      throw Deadline.interrupted(e);
    }
  }

  private FileChannel open() throws IOException {
    return FileChannel.open(
        file,
        Set.of(
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
  }

  private FileLock lock(FileChannel channel, long end) throws IOException, InterruptedException {
    while (true) {
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return lock;
      }
      if (System.nanoTime() > end) {
        throw busy(holder(channel));
      }
      Thread.sleep(GLANCE);
    }
  }

  private static void sign(FileChannel channel) throws IOException {
    String pid = Long.toString(ProcessHandle.current().pid());
    channel.truncate(0);
    int _ = channel.write(StandardCharsets.US_ASCII.encode(pid), 0);
  }

  /** Who has signed, for a sentence. */
  private static String holder(FileChannel channel) throws IOException {
    ByteBuffer signed = ByteBuffer.allocate(MOST_DIGITS + 1);
    int _ = channel.read(signed, 0);
    String pid = StandardCharsets.US_ASCII.decode(signed.flip()).toString();
    return pid.matches("[0-9]{1,%d}".formatted(MOST_DIGITS))
        ? "Another Wridscope (process %s)".formatted(pid)
        : "Another Wridscope";
  }

  private IOException busy(String who) {
    return new IOException(
        "%s has held the journals of QEMUs in %s for %s; wait until it goes on, or end it."
            .formatted(
                who, file.toAbsolutePath().getParent(), Format.duration(patience.toNanos())));
  }
}

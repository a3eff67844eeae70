// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** A file descriptor of this process, which is not inherited by its children. */
public final class Descriptor implements AutoCloseable {
  static final int AT_FDCWD = -100;
  private static final int O_RDONLY = 0;
  private static final int O_CLOEXEC = 0x80000;
  private static final int CLOSED = -1;

  private final AtomicInteger number;

  private Descriptor(long number) {
    this.number = new AtomicInteger(Math.toIntExact(number));
  }

  /** Takes over a descriptor that this process has opened. */
  static Descriptor of(long number) {
    return new Descriptor(number);
  }

  /** Opens a file of the kernel for reading. */
  static Descriptor openForReading(String path) throws SystemCallException {
    return open(path, O_RDONLY);
  }

  /**
   * Opens a file.
   *
   * @param flags as of open(2)
   */
  static Descriptor open(String path, int flags) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      return of(
          SystemCall.OPENAT.call(AT_FDCWD, arena.allocateFrom(path).address(), flags | O_CLOEXEC));
    }
  }

  /**
   * Duplicates a descriptor of another process; both are open on the same file then.
   *
   * @param number in that process
   * @throws IOException if this process may not take it, or there is none; one sentence
   */
  public static Descriptor take(long pid, int number) throws IOException {
    try (Descriptor process = of(SystemCall.PIDFD_OPEN.call(pid, 0))) {
      return of(SystemCall.PIDFD_GETFD.call(process.number(), number, 0));
    } catch (SystemCallException e) {
      throw new IOException(
          e.errno() == SystemCallException.EBADF
              ? "process %d has no descriptor %d.".formatted(pid, number)
              : Permission.explain(pid, e),
          e);
    }
  }

  /**
   * @throws IllegalStateException if it is closed: another file may have the number by now
   */
  int number() {
    int open = number.get();
    if (open == CLOSED) {
      throw new IllegalStateException("the descriptor is closed");
    }
    return open;
  }

  /** Where this process can open its file once more. */
  Path path() {
    return Path.of("/proc/self/fd/" + number());
  }

  /** Calls ioctl(2), again after an interruption by a signal. */
  long control(long request, long argument) throws SystemCallException {
    while (true) {
      try {
        return SystemCall.IOCTL.call(number(), request, argument);
      } catch (SystemCallException e) {
        if (e.errno() != SystemCallException.EINTR) {
          throw e;
        }
      }
    }
  }

  @Override
  public void close() {
    int open = number.getAndSet(CLOSED);
    if (open != CLOSED) {
      try {
        SystemCall.CLOSE.call(open);
      } catch (SystemCallException e) {
        // Linux has released the descriptor even so.
      }
    }
  }
}

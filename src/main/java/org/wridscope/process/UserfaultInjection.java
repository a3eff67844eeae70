// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.wridscope.files.Folder;
import org.wridscope.process.RemoteSyscall.NotStoppedException;

/**
 * Has another process open a userfaultfd of its memory, which only the process itself can do.
 *
 * <p>To be called in a process that nobody kills, and whose child the other one is not. The program
 * must allow {@code userfaultfd} in its seccomp filter, if it has one, unless this process is of
 * root; QEMU does, which uses it for post-copy.
 */
public final class UserfaultInjection {
  private static final long O_CLOEXEC = 0x80000;
  private static final long O_NONBLOCK = 0x800;

  /**
   * No faults of the kernel are to be handled: then no privilege is needed (userfaultfd(2)). Writes
   * of the kernel are found nevertheless, since nobody handles asynchronous faults.
   */
  private static final long USER_MODE_ONLY = 1;

  static final long FLAGS = O_CLOEXEC | O_NONBLOCK | USER_MODE_ONLY;

  private static final String USERFAULTFD = "anon_inode:[userfaultfd]";

  /** Threads that are tried when one cannot be stopped. */
  private static final int TRIED = 3;

  private UserfaultInjection() {}

  /**
   * Makes the first {@link #open} faster, by trying it on a process for which it is refused: a
   * virtual machine needs some tenths of a second for its first call of C. Changes nothing.
   */
  public static void prepare() {
    long self = ProcessHandle.current().pid();
    try {
      var _ = inThread(self, threads(self).getFirst(), SystemCall.CLOSE, -1);
    } catch (IOException e) {
      // No process may trace itself.
    }
  }

  /**
   * Opens a userfaultfd in the process, for {@link Descriptor#take}; it is of no effect until it is
   * used.
   *
   * @return its number in the process, in which it stays open until {@link #close}
   * @throws IOException if that is not possible, one sentence; the process goes on as before
   */
  public static int open(long pid) throws IOException {
    try {
      return Math.toIntExact(inAnyThread(pid, SystemCall.USERFAULTFD, FLAGS));
    } catch (SystemCallException e) {
      throw new IOException(
          "process %d may not open a userfaultfd (%s); a seccomp filter of it or of its container"
                  .formatted(pid, e.getMessage())
              + " forbids that, or its kernel has none.",
          e);
    }
  }

  /**
   * Closes a userfaultfd in the process.
   *
   * @param descriptor as {@link #open} returned it
   * @throws IOException if it is not one, or could not be closed; one sentence
   */
  public static void close(long pid, int descriptor) throws IOException {
    Path link = Path.of("/proc/%d/fd/%d".formatted(pid, descriptor));
    if (!Files.isSymbolicLink(link)
        || !Files.readSymbolicLink(link).toString().equals(USERFAULTFD)) {
      throw new IOException(
          "descriptor %d of process %d is not a userfaultfd.".formatted(descriptor, pid));
    }
    var _ = inAnyThread(pid, SystemCall.CLOSE, descriptor);
  }

  private static long inAnyThread(long pid, SystemCall call, long argument) throws IOException {
    List<Long> threads = threads(pid);
    for (int i = 0; ; i++) {
      long thread = threads.get(i);
      try {
        return inThread(pid, thread, call, argument);
      } catch (NotStoppedException e) {
        if (i + 1 == Math.min(TRIED, threads.size())) {
          throw e;
        }
      }
    }
  }

  /** Has one thread of the process make the call. */
  static long inThread(long pid, long thread, SystemCall call, long argument) throws IOException {
    Callable<Long> work = () -> RemoteSyscall.call(pid, thread, call, argument);
    FutureTask<Long> task = new FutureTask<>(work);
    Thread tracer = Thread.ofPlatform().daemon(false).name("tracer of " + pid).start(task);
    awaitEnd(tracer);
    try {
      return task.get();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case SystemCallException failed -> throw failed;
        case NotStoppedException failed -> throw failed;
        case IOException failed -> throw new IOException(failed.getMessage(), failed);
        case null, default -> throw new IllegalStateException(e.getCause());
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("a task that has ended is not waited for", e);
    }
  }

  /** Not interruptible: the process must not be left half way. The tracer has deadlines. */
  private static void awaitEnd(Thread tracer) {
    boolean interrupted = Thread.interrupted();
    while (true) {
      try {
        tracer.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** The threads of the process; first those that a stop disturbs least. */
  private static List<Long> threads(long pid) throws IOException {
    try {
      List<Long> threads =
          Folder.entries(Path.of("/proc/" + pid + "/task")).stream()
              .map(entry -> entry.getFileName().toString())
              .filter(name -> name.matches("\\d{1,18}"))
              .map(Long::valueOf)
              .sorted(
                  Comparator.comparingInt((Long thread) -> disturbance(pid, thread))
                      .thenComparing(Comparator.naturalOrder()))
              .toList();
      if (!threads.isEmpty()) {
        return threads;
      }
    } catch (IOException e) {
      // It has ended.
    }
    throw new IOException("there is no process %d.".formatted(pid));
  }

  /**
   * How much a stop disturbs a thread: not at all when it waits in a call that the kernel starts
   * again, or computes. A thread that waits for a disk does not stop before that.
   */
  private static int disturbance(long pid, long thread) {
    Path directory = Path.of("/proc/%d/task/%d".formatted(pid, thread));
    String state = ProcessStatus.value(directory.resolve("status"), "State").orElse("X");
    return switch (state.charAt(0)) {
      case 'S', 'T' -> Registers.HERE.isInterrupted(call(directory)) ? 2 : 0;
      case 'R' -> 1;
      case 'D' -> 3;
      default -> 4;
    };
  }

  private static String call(Path thread) {
    try {
      String text = Files.readString(thread.resolve("syscall"), StandardCharsets.US_ASCII);
      return text.split("\\s", 2)[0];
    } catch (IOException e) {
      return "";
    }
  }
}

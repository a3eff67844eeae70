// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.wridscope.files.Folder;

/**
 * A named pipe from another process of this machine to this one. The other one can open it at any
 * time, and does not wait for this one then; whether it waits while the pipe is full, see {@link
 * #release}. When this process ends, however it does, what the other one writes fails with EPIPE.
 */
public final class NamedPipe implements AutoCloseable {
  private static final int FIFO_OF_OWNER = 0x1000 | 0600;
  private static final int O_ACCMODE = 3;
  private static final int O_WRONLY = 1;
  private static final int O_RDWR = 2;
  private static final int O_NONBLOCK = 0x800;
  private static final int F_GETFL = 3;
  private static final int F_SETFL = 4;
  private static final int F_SETPIPE_SZ = 1031;
  private static final int F_GETPIPE_SZ = 1032;

  /** What a user may have without privileges ({@code fs.pipe-max-size}). */
  private static final int WANTED_CAPACITY = 1 << 20;

  private final Path path;
  private final int capacity;

  /** Keeps the pipe open until somebody else writes. */
  private final Descriptor keeper;

  private final FileChannel reader;

  private NamedPipe(Path path, int capacity, Descriptor keeper, FileChannel reader) {
    this.path = path;
    this.capacity = capacity;
    this.keeper = keeper;
    this.reader = reader;
  }

  /**
   * Creates a pipe that only this user can open.
   *
   * @param path absolute, of a file that does not exist
   * @throws IOException when it cannot be created; one sentence
   */
  public static NamedPipe create(Path path) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      long _ =
          SystemCall.MKNODAT.call(
              Descriptor.AT_FDCWD, arena.allocateFrom(path.toString()).address(), FIFO_OF_OWNER, 0);
    }
    Descriptor keeper = Descriptor.open(path.toString(), O_RDWR | O_NONBLOCK);
    try {
      int capacity = enlarge(keeper);
      return new NamedPipe(path, capacity, keeper, FileChannel.open(path, StandardOpenOption.READ));
    } catch (IOException | RuntimeException e) {
      keeper.close();
      throw e;
    }
  }

  private static int enlarge(Descriptor pipe) throws SystemCallException {
    try {
      return (int) SystemCall.FCNTL.call(pipe.number(), F_SETPIPE_SZ, WANTED_CAPACITY);
    } catch (SystemCallException e) {
      // This user has many pipes already.
      return (int) SystemCall.FCNTL.call(pipe.number(), F_GETPIPE_SZ);
    }
  }

  public Path path() {
    return path;
  }

  /** How many bytes it holds at most. */
  public int capacity() {
    return capacity;
  }

  /**
   * To be called once another process has opened the pipe: from now on {@link #read} tells when it
   * has closed it. If this process may access that one as a debugger may, the other one does not
   * wait any more when the pipe is full: what it writes then is lost instead.
   *
   * @param pid of the other process
   * @return whether it does not wait
   */
  public boolean release(long pid) {
    boolean waits = true;
    Path descriptors = Path.of("/proc", Long.toString(pid), "fd");
    try {
      for (Path each : Folder.entries(descriptors)) {
        if (isThis(each) && neverWait(pid, Integer.parseInt("" + each.getFileName()))) {
          waits = false;
        }
      }
    } catch (IOException e) {
      // It is not permitted, or the process has ended.
    }
    keeper.close();
    return !waits;
  }

  private boolean isThis(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).equals(path);
    } catch (IOException e) {
      // It was closed meanwhile.
      return false;
    }
  }

  /** Its flags belong to the open file, which both processes share; false if it is not written. */
  private static boolean neverWait(long pid, int number) throws IOException {
    try (Descriptor taken = Descriptor.take(pid, number)) {
      long flags = SystemCall.FCNTL.call(taken.number(), F_GETFL);
      if ((flags & O_ACCMODE) != O_WRONLY) {
        return false;
      }
      long _ = SystemCall.FCNTL.call(taken.number(), F_SETFL, flags | O_NONBLOCK);
      return true;
    }
  }

  /**
   * Waits for bytes.
   *
   * @return how many were read, -1 once the other process has closed the pipe
   * @throws java.nio.channels.ClosedChannelException when this was closed
   */
  public int read(ByteBuffer into) throws IOException {
    return reader.read(into);
  }

  /** Closes it at this end; its file remains. */
  @Override
  public void close() throws IOException {
    keeper.close();
    reader.close();
  }
}

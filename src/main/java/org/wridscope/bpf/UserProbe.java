// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bpf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.wridscope.process.SystemCall;
import org.wridscope.process.SystemCallException;

/**
 * A probe on a function in a file, in all processes that have it in their memory; see
 * perf_event_open(2). It ends with this process, however that ends.
 */
public final class UserProbe implements AutoCloseable {
  private static final Path DEVICE = Path.of("/sys/bus/event_source/devices/uprobe");

  // struct perf_event_attr
  private static final int ATTRIBUTES = 112;
  private static final int SIZE = 4;
  private static final int CONFIG = 8;
  private static final int PATH = 56;
  private static final int OFFSET = 64;

  private static final long ALL_PROCESSES = -1;
  private static final long FIRST_PROCESSOR = 0;
  private static final long NO_GROUP = -1;
  private static final long CLOSE_ON_EXEC = 8;
  private static final long ENABLE = 0x2400;
  private static final long SET_BPF = 0x4004_2408;

  private final int descriptor;

  private UserProbe(int descriptor) {
    this.descriptor = descriptor;
  }

  /**
   * Places a probe.
   *
   * @param offset of the function's first byte in the file
   * @param atReturn whether the program runs when the function returns, rather than at its entry
   * @throws IOException if the kernel does not allow it; one sentence that says what to do
   */
  public static UserProbe place(BpfProgram program, Path file, long offset, boolean atReturn)
      throws IOException {
    int type = type();
    int descriptor;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment structure = arena.allocate(ATTRIBUTES, Long.BYTES);
      structure.set(JAVA_INT, 0, type);
      structure.set(JAVA_INT, SIZE, ATTRIBUTES);
      structure.set(JAVA_LONG, CONFIG, atReturn ? 1 : 0);
      structure.set(JAVA_LONG, PATH, arena.allocateFrom(file.toString()).address());
      structure.set(JAVA_LONG, OFFSET, offset);
      descriptor =
          (int)
              SystemCall.PERF_EVENT_OPEN.call(
                  structure.address(), ALL_PROCESSES, FIRST_PROCESSOR, NO_GROUP, CLOSE_ON_EXEC);
    }
    try {
      SystemCall.IOCTL.call(descriptor, SET_BPF, program.descriptor());
      SystemCall.IOCTL.call(descriptor, ENABLE, 0);
      return new UserProbe(descriptor);
    } catch (SystemCallException e) {
      Bpf.close(descriptor);
      throw e;
    }
  }

  /** The kernel's number of this kind of event. */
  private static int type() throws IOException {
    try {
      return Integer.parseInt(
          Files.readString(DEVICE.resolve("type"), StandardCharsets.US_ASCII).strip());
    } catch (IOException | NumberFormatException e) {
      throw new IOException(
          "This kernel places no probes on programs; it needs CONFIG_UPROBE_EVENTS.", e);
    }
  }

  @Override
  public void close() {
    Bpf.close(descriptor);
  }
}

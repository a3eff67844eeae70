// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bpf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A program that the kernel has checked and compiled, for probes on functions. */
public final class BpfProgram implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BpfProgram.class);

  private static final int KPROBE = 2;
  private static final int SLEEPABLE = 1 << 4;

  /** What the kernel says of a program that it refuses, at most. */
  private static final int MESSAGES = 1 << 20;

  /** The kernel lets only programs that declare this read the memory of processes. */
  private static final String LICENSE = "GPL";

  private final int descriptor;

  private BpfProgram(int descriptor) {
    this.descriptor = descriptor;
  }

  /**
   * Loads a program. Its context is a {@code struct pt_regs}.
   *
   * @param waits whether it may wait, for example for a page to be read; kernels before 6.0 place
   *     no such programs
   * @throws IOException if the kernel refuses it
   */
  public static BpfProgram load(Instructions instructions, boolean waits) throws IOException {
    long[] words = instructions.words();
    int flags = waits ? SLEEPABLE : 0;
    try {
      return new BpfProgram(load(words, flags, MemorySegment.NULL));
    } catch (IOException e) {
      explain(words, flags);
      throw e;
    }
  }

  private static int load(long[] words, int flags, MemorySegment messages) throws IOException {
    return Bpf.PROG_LOAD.call((structure, arena) -> {
      structure.set(JAVA_INT, 0, KPROBE);
      structure.set(JAVA_INT, 4, words.length);
      structure.set(JAVA_LONG, 8, arena.allocateFrom(JAVA_LONG, words).address());
      structure.set(JAVA_LONG, 16, arena.allocateFrom(LICENSE).address());
      structure.set(JAVA_INT, 44, flags);
      if (messages.byteSize() > 0) {
        structure.set(JAVA_INT, 24, 1);
        structure.set(JAVA_INT, 28, (int) messages.byteSize());
        structure.set(JAVA_LONG, 32, messages.address());
      }
    });
  }

  /** Writes to the log why the kernel refuses a program. */
  private static void explain(long[] words, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment messages = arena.allocate(MESSAGES);
      try {
        Bpf.close(load(words, flags, messages));
      } catch (IOException e) {
        LOG.info("the kernel refuses a program ({}): {}", e.getMessage(), messages.getString(0));
      }
    }
  }

  int descriptor() {
    return descriptor;
  }

  @Override
  public void close() {
    Bpf.close(descriptor);
  }
}

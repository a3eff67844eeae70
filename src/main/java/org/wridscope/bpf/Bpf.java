// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bpf;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.wridscope.process.SystemCall;

/** bpf(2), whose argument is a {@code union bpf_attr}. */
enum Bpf {
  MAP_CREATE(0),
  MAP_LOOKUP_ELEM(1),
  MAP_UPDATE_ELEM(2),
  MAP_DELETE_ELEM(3),
  MAP_GET_NEXT_KEY(4),
  PROG_LOAD(5);

  /** Of the structure of every command; what is not written to is 0. */
  private static final int ATTRIBUTES = 128;

  /** Writes a command's part of the structure. */
  interface Attributes {
    /**
     * Writes it.
     *
     * @param arena for what the structure points to
     */
    void write(MemorySegment structure, Arena arena);
  }

  private final int command;

  Bpf(int command) {
    this.command = command;
  }

  /** Executes the command and returns its result. */
  int call(Attributes attributes) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment structure = arena.allocate(ATTRIBUTES, Long.BYTES);
      attributes.write(structure, arena);
      return (int) SystemCall.BPF.call(command, structure.address(), ATTRIBUTES);
    }
  }

  /** Closes a descriptor of a map, a program or a probe. */
  static void close(int descriptor) {
    try {
      SystemCall.CLOSE.call(descriptor);
    } catch (IOException e) {
      throw new IllegalStateException("descriptor " + descriptor, e);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import org.jspecify.annotations.Nullable;

/** What to attach to. */
public sealed interface AttachTarget {
  /** The device whose functions are probed and whose calls are seen; null for all devices. */
  default @Nullable String device() {
    return null;
  }

  /** Whether a process is meant. */
  boolean includes(ProcessHandle process);

  /**
   * One process and its children, whatever devices they use.
   *
   * @param name of the program, for example of one that is still to be started; null for the name
   *     that the process has
   */
  record OfProcess(long pid, @Nullable String name) implements AttachTarget {
    /** A process has fewer ancestors; the number of one may be used again while they are read. */
    private static final int MOST_ANCESTORS = 64;

    @Override
    public boolean includes(ProcessHandle process) {
      ProcessHandle at = process;
      for (int i = 0; at != null && i < MOST_ANCESTORS; i++) {
        if (at.pid() == pid) {
          return true;
        }
        at = at.parent().orElse(null);
      }
      return false;
    }
  }

  /**
   * Every process of a program, those that run and those that begin later.
   *
   * @param program the name of the process, of which the kernel keeps 15 bytes
   */
  record OfName(String program) implements AttachTarget {
    private static final int KEPT = 15;

    @Override
    public boolean includes(ProcessHandle process) {
      String kept = program.substring(0, Math.min(program.length(), KEPT));
      return AttachedProgram.command(process.pid(), "").equals(kept);
    }
  }

  /** Every process that uses a device. */
  record OfDevice(String name) implements AttachTarget {
    @Override
    public String device() {
      return name;
    }

    @Override
    public boolean includes(ProcessHandle process) {
      return true;
    }
  }
}

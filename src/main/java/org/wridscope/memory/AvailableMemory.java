// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** How much memory can be allocated before the kernel has to kill a process. */
public final class AvailableMemory {
  private static final Path MEMINFO = Path.of("/proc/meminfo");
  private static final Path CGROUP = Path.of("/sys/fs/cgroup");

  private AvailableMemory() {}

  /** Bytes available; {@link Long#MAX_VALUE} if the system does not tell. */
  public static long bytes() {
    return bytes(MEMINFO, CGROUP);
  }

  /**
   * The smaller of the machine's available memory ({@code MemAvailable} plus free swap,
   * proc_meminfo(5)) and what the control group may still allocate (cgroup v2, {@code memory.max}).
   */
  static long bytes(Path meminfo, Path cgroup) {
    OptionalLong available = number(meminfo, "MemAvailable:");
    OptionalLong swap = number(meminfo, "SwapFree:");
    long machine =
        available.isPresent() ? (available.getAsLong() + swap.orElse(0)) * 1024 : Long.MAX_VALUE;
    OptionalLong limit = number(cgroup.resolve("memory.max"), "");
    OptionalLong used = number(cgroup.resolve("memory.stat"), "anon ");
    long group =
        limit.isPresent() ? Math.max(0, limit.getAsLong() - used.orElse(0)) : Long.MAX_VALUE;
    return Math.min(machine, group);
  }

  /** The number after a label at the start of a line. */
  private static OptionalLong number(Path file, String label) {
    try {
      for (String line : Files.readAllLines(file)) {
        if (line.startsWith(label)) {
          String digits = line.substring(label.length()).strip().split(" ", 2)[0];
          return digits.matches("\\d{1,18}")
              ? OptionalLong.of(Long.parseLong(digits))
              : OptionalLong.empty();
        }
      }
    } catch (IOException e) {
      // Not every system has these files.
    }
    return OptionalLong.empty();
  }
}

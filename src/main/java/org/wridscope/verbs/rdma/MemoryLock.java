// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** How much memory this process may lock; registered memory is locked. */
final class MemoryLock {
  private static final Path LIMITS = Path.of("/proc/self/limits");
  private static final String ROW = "Max locked memory";

  private MemoryLock() {}

  /** Advice when the kernel refused a registration with ENOMEM. */
  static String advice() {
    OptionalLong limit = limit();
    return limit.isPresent()
        ? "locked memory is limited to %d KiB (ulimit -l): raise it (LimitMEMLOCK, limits.conf)"
            .formatted(limit.getAsLong() >> 10)
        : "locked memory is not limited, so the machine or the device has run out of memory";
  }

  private static OptionalLong limit() {
    try {
      return limit(Files.readAllLines(LIMITS));
    } catch (IOException e) {
      return OptionalLong.empty();
    }
  }

  /**
   * The soft limit in bytes; see proc(5).
   *
   * @return empty when there is none
   */
  static OptionalLong limit(List<String> lines) {
    return lines.stream()
        .filter(line -> line.startsWith(ROW))
        .map(line -> line.substring(ROW.length()).strip().split("\\s+")[0])
        .filter(soft -> !soft.equals("unlimited"))
        .mapToLong(Long::parseLong)
        .findFirst();
  }
}

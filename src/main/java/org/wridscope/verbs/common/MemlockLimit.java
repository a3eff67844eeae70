// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.common;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The limit of memory that this process may lock, and so register with an RDMA device ({@code
 * RLIMIT_MEMLOCK}, getrlimit(2)).
 */
public final class MemlockLimit {
  private static final String LIMITS = "proc/self/limits";

  /** Name, soft limit, hard limit and unit in columns (proc_pid_limits(5)). */
  private static final Pattern LINE =
      Pattern.compile("Max locked memory\\s+(unlimited|[0-9]{1,18})\\s.*");

  private MemlockLimit() {}

  /** The soft limit in bytes; empty if there is none or it is unknown. */
  public static OptionalLong read() {
    return read(Path.of("/"));
  }

  /**
   * The same on another machine.
   *
   * @param root its root directory
   */
  public static OptionalLong read(Path root) {
    try {
      return parse(Files.readAllLines(root.resolve(LIMITS)));
    } catch (IOException e) {
      return OptionalLong.empty();
    }
  }

  static OptionalLong parse(List<String> lines) {
    for (String line : lines) {
      Matcher matcher = LINE.matcher(line);
      if (matcher.matches() && !matcher.group(1).equals("unlimited")) {
        return OptionalLong.of(Long.parseLong(matcher.group(1)));
      }
    }
    return OptionalLong.empty();
  }
}

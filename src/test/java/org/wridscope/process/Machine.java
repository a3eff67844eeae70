// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The kernel of this machine. */
public final class Machine {
  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+).*");

  private Machine() {}

  public static boolean isAtLeast(int major, int minor) {
    Matcher version = VERSION.matcher(System.getProperty("os.version"));
    if (!version.matches()) {
      throw new AssertionError("the kernel has no version: " + version);
    }
    int first = Integer.parseInt(version.group(1));
    return first > major || (first == major && Integer.parseInt(version.group(2)) >= minor);
  }

  /** Whether other processes can be asked for a userfaultfd with which their writes are found. */
  static boolean hasUserfaultfd() {
    return SystemCall.X86_64 && isAtLeast(6, 7);
  }

  /**
   * Skips a test on another processor or an older kernel, except where the checks run that count.
   */
  static void assumeUserfaultfd() {
    assumeTrue(SystemCall.X86_64, "userfaultfd is injected on x86-64 only");
    assumeTrue(
        isAtLeast(6, 7) || "true".equals(System.getenv("CI")),
        "this kernel is older than Linux 6.7");
  }
}

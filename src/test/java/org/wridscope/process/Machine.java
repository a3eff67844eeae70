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
    return isAtLeast(6, SystemCall.X86_64 ? 7 : 10);
  }

  /** Skips a test on an older kernel, except where the checks run that count. */
  static void assumeUserfaultfd() {
    assumeTrue(
        hasUserfaultfd() || "true".equals(System.getenv("CI")),
        "this kernel is older than Linux 6.7, or 6.10 on aarch64");
  }
}

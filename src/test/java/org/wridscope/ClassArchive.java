// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * The class data archive of the JVM that runs the tests, if {@code lab/softroce} gave it one: an
 * emulated processor needs half a minute to load and verify the program's classes without it.
 */
public final class ClassArchive {
  private ClassArchive() {}

  /** The options with which another JVM of the same class path uses the archive too. */
  public static List<String> options() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(
            option -> option.startsWith("-XX:SharedArchiveFile=") || option.startsWith("-Xlog:"))
        .toList();
  }
}

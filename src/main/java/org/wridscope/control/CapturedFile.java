// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * A file with a guest that stands still in it, and how it is started again.
 *
 * @param path of the file
 */
public record CapturedFile(Path path) {
  /** What no shell takes for anything else. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_/.,:=@%+-]+");

  /**
   * What the command line of a QEMU with the source's machine needs besides, for a shell. The shell
   * that QEMU itself starts for {@code cat} reads the name once more.
   */
  public String qemuOption() {
    return "-incoming " + quoted("exec:cat " + quoted(absolute()));
  }

  /** The command of a source that starts it at a destination, for a shell. */
  public String restoreCommand() {
    return "./wridscope source rdma:HOST:PORT --restore " + quoted(absolute());
  }

  private String absolute() {
    return path.toAbsolutePath().toString();
  }

  private static String quoted(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}

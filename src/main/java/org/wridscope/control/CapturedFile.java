// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.nio.file.Path;
import java.util.regex.Pattern;

/** A file that contains a captured guest, and the commands that start it again. */
public record CapturedFile(Path path) {
  /** Words that a shell takes literally. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_/.,:=@%+-]+");

  /**
   * The option that makes QEMU start the guest, for the command line of a QEMU with the source's
   * machine. The name is quoted twice, because QEMU starts a shell for {@code cat}.
   */
  public String qemuOption() {
    return "-incoming " + quoted("exec:cat " + quoted(absolute()));
  }

  /** The shell command that migrates the guest to a destination, which starts it. */
  public String restoreCommand() {
    return "./wridscope source rdma:HOST:PORT --restore " + quoted(absolute());
  }

  private String absolute() {
    return path.toAbsolutePath().toString();
  }

  /** Quotes a word for a shell if necessary. */
  public static String quoted(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}

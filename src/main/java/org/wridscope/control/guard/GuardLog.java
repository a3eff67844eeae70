// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.wridscope.text.Legible;

/**
 * What guards did, a line for each thing, in a file and on standard error. Guards append to the
 * same file; a failure to write it is printed once.
 */
final class GuardLog {
  /** After which the file is renamed, with {@code .1} at its end. */
  private static final long MOST_BYTES = 1 << 20;

  private final Path file;
  private final String who;
  private final List<String> said = new ArrayList<>();
  private boolean failed;

  GuardLog(Path file) {
    this(file, "guard");
  }

  /**
   * @param who writes to it, a word
   */
  GuardLog(Path file, String who) {
    this.file = file;
    this.who = who;
  }

  /** What was added so far. */
  synchronized List<String> said() {
    return List.copyOf(said);
  }

  /** The file. */
  Path file() {
    return file;
  }

  synchronized void add(String sentence) {
    said.add(sentence);
    String line =
        "wridscope %s %d: %s".formatted(who, ProcessHandle.current().pid(), Legible.of(sentence));
    System.err.println(line);
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      if (Files.exists(file) && Files.size(file) > MOST_BYTES) {
        Files.move(
            file,
            file.resolveSibling(file.getFileName() + ".1"),
            StandardCopyOption.REPLACE_EXISTING);
      }
      Files.writeString(
          file,
          Instant.now().truncatedTo(ChronoUnit.MILLIS) + " " + line + "\n",
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      if (!failed) {
        failed = true;
        System.err.println(
            "wridscope guard: its log cannot be written: " + Legible.of("" + e.getMessage()));
      }
    }
  }
}

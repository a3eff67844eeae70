// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.UserFiles;

/**
 * A file that gets its name only once it is whole. It is made at the beginning, so that a place
 * that cannot be written to is known before a migration, and not after it.
 */
final class ReportFile implements AutoCloseable {
  private final Path file;

  /** Null where there is nothing to rename: a terminal, a pipe. */
  private final @Nullable Path unfinished;

  private ReportFile(Path file, @Nullable Path unfinished) {
    this.file = file;
    this.unfinished = unfinished;
  }

  /**
   * Makes the file under a name of its own beside the one that it will get.
   *
   * @param option what the user calls it, for the message
   * @throws IllegalArgumentException with one sentence for the user
   */
  static ReportFile create(String option, Path path) {
    Path file = UserFiles.output(option, path);
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      return new ReportFile(file, null);
    }
    Path unfinished =
        file.resolveSibling(
            ".%s.%d.unfinished".formatted(file.getFileName(), ProcessHandle.current().pid()));
    try {
      Files.write(
          unfinished,
          new byte[0],
          StandardOpenOption.CREATE,
          StandardOpenOption.TRUNCATE_EXISTING,
          LinkOption.NOFOLLOW_LINKS);
    } catch (IOException e) {
      throw UserFiles.unwritable(option, path, e);
    }
    return new ReportFile(file, unfinished);
  }

  /** Writes all of it and gives it its name, in the place of what had it before. */
  void write(String text) throws IOException {
    try {
      if (unfinished == null) {
        Files.writeString(file, text, StandardOpenOption.WRITE);
      } else {
        Files.writeString(unfinished, text);
        Files.move(
            unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      throw new IOException(
          "The report could not be written to %s (%s); the migration itself is not affected."
              .formatted(file, UserFiles.reason(e)),
          e);
    }
  }

  /** Removes what was not finished. */
  @Override
  public void close() throws IOException {
    if (unfinished != null) {
      Files.deleteIfExists(unfinished);
    }
  }
}

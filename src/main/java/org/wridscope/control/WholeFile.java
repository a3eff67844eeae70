// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A file that gets its name only once it is whole. It is made at the beginning, so that a place
 * that cannot be written to is known before a migration, and not after it.
 */
public final class WholeFile implements AutoCloseable {
  private static final AtomicInteger MADE = new AtomicInteger();

  private final Path file;

  /** Null where there is nothing to rename: a terminal, a pipe. */
  private final @Nullable Path unfinished;

  private WholeFile(Path file, @Nullable Path unfinished) {
    this.file = file;
    this.unfinished = unfinished;
  }

  /** Writes what a file is to hold. */
  @FunctionalInterface
  public interface Content {
    /** Writes all of it; need not close the stream. */
    void writeTo(OutputStream out) throws IOException;
  }

  /**
   * Makes the file under a name of its own beside the one that it will get.
   *
   * @param field what the user calls it, for the message
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static WholeFile create(String field, Path path) {
    Path file = UserFiles.output(field, path);
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      return new WholeFile(file, null);
    }
    Path unfinished =
        file.resolveSibling(
            ".%s.%d-%d.unfinished"
                .formatted(
                    file.getFileName(), ProcessHandle.current().pid(), MADE.incrementAndGet()));
    try {
      Files.write(
          unfinished,
          new byte[0],
          StandardOpenOption.CREATE,
          StandardOpenOption.TRUNCATE_EXISTING,
          LinkOption.NOFOLLOW_LINKS);
    } catch (IOException e) {
      throw UserFiles.unwritable(field, path, e);
    }
    // For a process that ends without closing it.
    unfinished.toFile().deleteOnExit();
    return new WholeFile(file, unfinished);
  }

  /** The name that it gets. */
  public Path file() {
    return file;
  }

  /** Writes all of it and gives it its name, in the place of what had it before. */
  public void write(Content content) throws IOException {
    Path into = unfinished == null ? file : unfinished;
    try (var out =
        new BufferedOutputStream(Files.newOutputStream(into, StandardOpenOption.WRITE), 1 << 16)) {
      content.writeTo(out);
    }
    if (unfinished != null) {
      Files.move(
          unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
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

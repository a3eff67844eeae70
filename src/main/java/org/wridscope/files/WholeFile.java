// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that gets its name only once it is complete. It is created before a migration, so that a
 * problem with its directory is found before and not after the migration. Once complete it is never
 * deleted, even if it cannot be renamed.
 */
public final class WholeFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WholeFile.class);

  private final Target target;

  /** The temporary name; null for a terminal or a pipe. */
  private final @Nullable Path unfinished;

  private Path file;
  private boolean whole;

  private WholeFile(Target target, @Nullable Path unfinished) {
    this.target = target;
    this.unfinished = unfinished;
    file = target.path();
  }

  /** Writes the content of a file. */
  @FunctionalInterface
  public interface Content {
    /** Writes everything; need not close the stream. */
    void writeTo(OutputStream out) throws IOException;
  }

  /**
   * Creates the file under a temporary name in the same directory.
   *
   * @throws OutputException if it cannot be written, or exists and must not be replaced
   */
  public static WholeFile create(Output output) throws OutputException {
    Target target = Target.of(output);
    try {
      if (target.isOpenEnded()) {
        return new WholeFile(target, null);
      }
      Target.Part part = target.create();
      part.channel().close();
      return new WholeFile(target, part.path());
    } catch (IOException e) {
      throw target.unwritable(e);
    }
  }

  /** The intended name; after {@link #write} the actual name. */
  public Path file() {
    return file;
  }

  /** One sentence that says why it got an alternative name; null if it did not. */
  public @Nullable String displaced() {
    return target.displaced(file);
  }

  /**
   * Writes the content and renames the file.
   *
   * @throws IOException if that fails; if only the renaming failed, the message says where the file
   *     is
   */
  public void write(Content content) throws IOException {
    Path into = unfinished == null ? file : unfinished;
    try (var out =
        new BufferedOutputStream(Files.newOutputStream(into, StandardOpenOption.WRITE), 1 << 16)) {
      content.writeTo(out);
    }
    if (unfinished != null) {
      whole = true;
      name(unfinished);
    }
  }

  private void name(Path complete) throws IOException {
    try {
      file = target.place(complete);
    } catch (IOException e) {
      throw new IOException(
          "the complete file could not be renamed (%s); it is %s"
              .formatted(Target.reason(e), complete),
          e);
    }
  }

  /** Removes the file if it is not complete. */
  @Override
  public void close() {
    if (unfinished != null && !whole) {
      try {
        Files.deleteIfExists(unfinished);
      } catch (IOException e) {
        LOG.warn("{} is not finished and could not be deleted: {}", unfinished, e.getMessage());
      }
    }
  }
}

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
 * A file that gets its name only once it is whole. It is made at the beginning, so that a place
 * that cannot be written to is known before a migration, and not after it. Once it is whole it is
 * never deleted, whether it could get its name or not.
 */
public final class WholeFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WholeFile.class);

  private final Target target;

  /** Null where there is nothing to rename: a terminal, a pipe. */
  private final @Nullable Path unfinished;

  private Path file;
  private boolean whole;

  private WholeFile(Target target, @Nullable Path unfinished) {
    this.target = target;
    this.unfinished = unfinished;
    file = target.path();
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
   * @throws OutputException when it cannot be written as it was named, or a file is in the way
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

  /** The name that it gets, and after {@link #write} the one that it has. */
  public Path file() {
    return file;
  }

  /** One sentence that says why it got another name; null while it did not. */
  public @Nullable String displaced() {
    return target.displaced(file);
  }

  /**
   * Writes all of it and gives it its name.
   *
   * @throws IOException when that fails; says where the file is, should it only lack its name
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
          "the file did not get its name: %s; all of it is in %s"
              .formatted(Target.reason(e), complete),
          e);
    }
  }

  /** Removes what was not finished. */
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

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.wridscope.units.Parse;

/**
 * Checks files that users name, before anything is started. Each method throws {@link
 * IllegalArgumentException} with one sentence for the user, which starts with the name of the
 * option or form field.
 */
public final class UserFiles {
  private UserFiles() {}

  /** Parses a path. */
  public static Path path(String field, String text) {
    if (text.isBlank()) {
      throw new IllegalArgumentException(field + ": name a file.");
    }
    try {
      return Path.of(text.strip());
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(
          "%s: %s is not a valid file name.".formatted(field, Parse.quoted(text)), e);
    }
  }

  /**
   * Checks that a file can be the RAM of a guest.
   *
   * @return its length in bytes
   */
  public static long imageLength(String field, Path image) {
    long length = inputLength(field, image);
    if (length == 0) {
      throw new IllegalArgumentException(
          "%s: %s is empty; RAM has at least one page of %d bytes."
              .formatted(field, image, FileKind.PAGE));
    }
    if (length % FileKind.PAGE != 0) {
      throw new IllegalArgumentException(
          "%s: the length of %s, %d bytes, is not a multiple of the page size, %d bytes."
              .formatted(field, image, length, FileKind.PAGE));
    }
    return length;
  }

  /**
   * Checks that a regular file can be read.
   *
   * @return its length in bytes
   */
  public static long inputLength(String field, Path file) {
    if (!Files.exists(file)) {
      throw new IllegalArgumentException("%s: %s does not exist.".formatted(field, file));
    }
    if (!Files.isRegularFile(file)) {
      throw new IllegalArgumentException("%s: %s is not a regular file.".formatted(field, file));
    }
    try {
      if (!Files.isReadable(file)) {
        throw new AccessDeniedException(file.toString());
      }
      return Files.size(file);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "%s: %s cannot be read (%s).".formatted(field, file, Target.reason(e)), e);
    }
  }

  /**
   * Checks that a file can be written.
   *
   * @return the path without symbolic links
   */
  public static Path output(String field, Path path) {
    try {
      return Target.resolve(field, path);
    } catch (OutputException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /**
   * Refuses to write to the same file that is used for something else, also through links.
   *
   * @param what the other file is, for the message
   */
  public static void refuseSame(String field, Path path, String what, Path other) {
    try {
      if (path.toAbsolutePath().normalize().equals(other.toAbsolutePath().normalize())
          || (Files.exists(path) && Files.exists(other) && Files.isSameFile(path, other))
          || (!Files.exists(path) && !Files.exists(other) && sameName(path, other))) {
        throw new IllegalArgumentException(
            "%s: %s is %s itself; name another file.".formatted(field, path, what));
      }
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "%s: %s cannot be written (%s).".formatted(field, path, Target.reason(e)), e);
    }
  }

  /** Whether two files that do not exist yet would be the same file. */
  private static boolean sameName(Path one, Path other) throws IOException {
    Path directory = one.toAbsolutePath().normalize().getParent();
    Path otherDirectory = other.toAbsolutePath().normalize().getParent();
    return directory != null
        && otherDirectory != null
        && Files.isDirectory(directory)
        && Files.isDirectory(otherDirectory)
        && Files.isSameFile(directory, otherDirectory)
        && one.toAbsolutePath()
            .normalize()
            .endsWith(other.toAbsolutePath().normalize().getFileName());
  }
}

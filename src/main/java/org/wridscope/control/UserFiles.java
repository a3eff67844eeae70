// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.RamBlock;

/**
 * Files that people name, checked before anything is started. Each method throws {@link
 * IllegalArgumentException} with one sentence for the user that starts with the name of the field.
 */
public final class UserFiles {
  private UserFiles() {}

  /** The path that was typed. */
  public static Path path(String field, String text) {
    if (text.isBlank()) {
      throw new IllegalArgumentException(field + ": name a file.");
    }
    try {
      return Path.of(text.strip());
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(
          "%s: %s is not the name of a file.".formatted(field, Parse.quoted(text)), e);
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
              .formatted(field, image, RamBlock.PAGE_SIZE));
    }
    if (length % RamBlock.PAGE_SIZE != 0) {
      throw new IllegalArgumentException(
          "%s: the length of %s, %d bytes, is not a multiple of the page size, %d bytes."
              .formatted(field, image, length, RamBlock.PAGE_SIZE));
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
          "%s: %s cannot be read (%s).".formatted(field, file, reason(e)), e);
    }
  }

  /**
   * Checks that a file can be written.
   *
   * @return the path without links, whose directory exists and is writable
   */
  public static Path output(String field, Path path) {
    try {
      if (Files.isDirectory(path)) {
        throw new IllegalArgumentException(
            "%s: %s is a directory; name a file in it.".formatted(field, path));
      }
      if (Files.exists(path)) {
        if (!Files.isWritable(path)) {
          throw unwritable(field, path, new AccessDeniedException(path.toString()));
        }
        return path.toRealPath();
      }
      Path name = path.getFileName();
      @Nullable Path directory = path.toAbsolutePath().getParent();
      if (name == null || directory == null || name.toString().isEmpty()) {
        throw new IllegalArgumentException(
            "%s: \"%s\" is not the name of a file.".formatted(field, path));
      }
      if (!Files.isDirectory(directory)) {
        throw new IllegalArgumentException(
            "%s: the directory %s does not exist; make it first.".formatted(field, directory));
      }
      if (!Files.isWritable(directory)) {
        throw unwritable(field, path, new AccessDeniedException(directory.toString()));
      }
      return directory.toRealPath().resolve(name);
    } catch (IOException e) {
      throw unwritable(field, path, e);
    }
  }

  /** What to throw when a file could not be written after all. */
  public static IllegalArgumentException unwritable(String field, Path path, IOException cause) {
    return new IllegalArgumentException(
        "%s: %s cannot be written (%s).".formatted(field, path, reason(cause)), cause);
  }

  /** Why, without the path that the sentence around it has. */
  public static String reason(IOException e) {
    return switch (e) {
      case AccessDeniedException _ -> "permission denied";
      case NoSuchFileException _ -> "no such file or directory";
      case FileSystemException other when other.getReason() != null -> other.getReason();
      default -> String.valueOf(e.getMessage());
    };
  }
}

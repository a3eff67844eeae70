// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where a file is to be written. */
final class OutputPlace {
  private OutputPlace() {}

  /**
   * The path without links, whose directory exists and is writable.
   *
   * @param option what the user calls it, for the message
   */
  static Path resolve(String option, Path path) throws InputException {
    try {
      if (Files.isDirectory(path)) {
        throw new InputException(
            "%s: %s is a directory; name a file in it.".formatted(option, path));
      }
      if (Files.exists(path)) {
        if (!Files.isWritable(path)) {
          throw unwritable(option, path, new AccessDeniedException(path.toString()));
        }
        return path.toRealPath();
      }
      Path name = path.getFileName();
      @Nullable Path directory = path.toAbsolutePath().getParent();
      if (name == null || directory == null || name.toString().isEmpty()) {
        throw new InputException("%s: \"%s\" is not the name of a file.".formatted(option, path));
      }
      if (!Files.isDirectory(directory)) {
        throw new InputException(
            "%s: the directory %s does not exist; make it first.".formatted(option, directory));
      }
      if (!Files.isWritable(directory)) {
        throw unwritable(option, path, new AccessDeniedException(directory.toString()));
      }
      return directory.toRealPath().resolve(name);
    } catch (IOException e) {
      throw unwritable(option, path, e);
    }
  }

  static InputException unwritable(String option, Path path, IOException cause) {
    return new InputException(
        "%s: %s cannot be written (%s).".formatted(option, path, reason(cause)));
  }

  /** Why, without the path that the sentence around it has. */
  static String reason(IOException e) {
    return switch (e) {
      case AccessDeniedException denied -> "permission denied";
      case NoSuchFileException missing -> "no such file or directory";
      case FileSystemException other when other.getReason() != null -> other.getReason();
      default -> String.valueOf(e.getMessage());
    };
  }
}

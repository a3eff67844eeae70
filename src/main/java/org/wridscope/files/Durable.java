// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Changes of files that are on the storage device when a method returns, so that they are there
 * after a power cut. fsync(2) of a file promises its content only; its name is content of the
 * directory.
 */
public final class Durable {
  private Durable() {}

  /**
   * Replaces a file as a whole, or creates it: after a power cut it has its former or its new
   * content.
   *
   * @param part a temporary name in the same directory; what has it is deleted
   */
  public static void replace(
      Path file, Path part, ByteBuffer content, Set<PosixFilePermission> mode) throws IOException {
    Files.deleteIfExists(part);
    try (FileChannel out =
        FileChannel.open(
            part,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(mode))) {
      while (content.hasRemaining()) {
        int _ = out.write(content);
      }
      out.force(true);
    }
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    names(file);
  }

  /** Deletes a file if it exists. */
  public static void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
    names(file);
  }

  /** Creates a directory, and those above it, unless it exists. */
  public static void createDirectory(Path folder, Set<PosixFilePermission> mode)
      throws IOException {
    Path absolute = folder.toAbsolutePath();
    Path parent = absolute.getParent();
    if (Files.exists(absolute, LinkOption.NOFOLLOW_LINKS) || parent == null) {
      return;
    }
    if (!Files.isDirectory(parent)) {
      createDirectory(parent, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    try {
      Files.createDirectory(absolute, PosixFilePermissions.asFileAttribute(mode));
    } catch (FileAlreadyExistsException e) {
      // Another process was faster.
    }
    names(absolute);
  }

  /** Makes the names of the files durable that are in the directory of a file. */
  public static void names(Path file) throws IOException {
    try (FileChannel directory =
        FileChannel.open(file.toAbsolutePath().resolveSibling("."), StandardOpenOption.READ)) {
      directory.force(true);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Directories for a while, and directories whose entries come and go, above all those of procfs:
 * what the standard library reports while it iterates is an {@link IOException} here, as what it
 * reports before.
 */
public final class Folder {
  /** Files there are in memory. */
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  private Folder() {}

  /**
   * Creates a directory whose files are in memory; where temporary files are if there is no room.
   *
   * @param prefix of its name
   * @param bytes for which there must be room
   */
  public static Path inMemory(String prefix, long bytes) throws IOException {
    return Files.isWritable(SHARED_MEMORY)
            && Files.getFileStore(SHARED_MEMORY).getUsableSpace() >= bytes
        ? Files.createTempDirectory(SHARED_MEMORY, prefix)
        : Files.createTempDirectory(prefix);
  }

  /**
   * All entries of a directory, in no order.
   *
   * @throws IOException if it is none, may not be read, or ends meanwhile, as a process does
   */
  public static List<Path> entries(Path directory) throws IOException {
    return entries(directory, "*");
  }

  /**
   * The entries of a directory whose names match, in no order.
   *
   * @param glob of names, as in {@link Files#newDirectoryStream(Path, String)}
   */
  public static List<Path> entries(Path directory, String glob) throws IOException {
    var entries = new ArrayList<Path>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, glob)) {
      stream.forEach(entries::add);
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return entries;
  }

  /** Deletes a directory with everything in it, or what else has the name, and follows no link. */
  public static void delete(Path path) throws IOException {
    if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      for (Path entry : entries(path)) {
        delete(entry);
      }
    }
    Files.deleteIfExists(path);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.files.UserFolder;

/**
 * The directories in which guests were captured, so that {@code doctor} can find what a killed
 * process left behind there. They are kept in a text file, one per line, the most recent last. A
 * failure to write the file is only logged.
 */
public final class CaptureFolders {
  private static final Logger LOG = LoggerFactory.getLogger(CaptureFolders.class);
  private static final int MOST = 100;

  private final @Nullable Path file;

  /**
   * @param file null to remember nothing
   */
  CaptureFolders(@Nullable Path file) {
    this.file = file;
  }

  /** The list of this process's user, below {@code XDG_STATE_HOME}. */
  public static CaptureFolders ofUser() {
    return of(System.getenv(), System.getProperty("user.home", ""));
  }

  static CaptureFolders of(Map<String, String> environment, String home) {
    return new CaptureFolders(UserFolder.STATE.of(environment, home).resolve("capture-folders"));
  }

  /** The directories that still exist. */
  public List<Path> list() {
    if (file == null) {
      return List.of();
    }
    try {
      return Files.readAllLines(file).stream()
          .map(CaptureFolders::folder)
          .filter(Files::isDirectory)
          .toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      LOG.debug("{} cannot be read: {}", file, e.getMessage());
      return List.of();
    }
  }

  private static Path folder(String line) {
    try {
      return Path.of(line);
    } catch (InvalidPathException e) {
      return Path.of("");
    }
  }

  /** Adds the directory of a capture that is about to begin. */
  void add(Path capture) {
    Path folder = capture.toAbsolutePath().normalize().getParent();
    if (file == null || folder == null || folder.toString().contains("\n")) {
      return;
    }
    Set<Path> folders = new LinkedHashSet<>(list());
    folders.remove(folder);
    folders.add(folder);
    List<Path> latest =
        new ArrayList<>(folders).subList(Math.max(0, folders.size() - MOST), folders.size());
    try {
      Files.createDirectories(file.resolveSibling("."));
      Path fresh = Files.createTempFile(file.resolveSibling("."), "capture-folders", "");
      Files.write(fresh, latest.stream().map(Path::toString).toList());
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      LOG.debug("{} cannot be written: {}", file, e.getMessage());
    }
  }
}

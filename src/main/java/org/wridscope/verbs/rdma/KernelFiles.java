// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.wridscope.files.Folder;

/** Reads directories and one-line files of sysfs and procfs, whose entries come and go. */
public final class KernelFiles {
  private KernelFiles() {}

  /** The sorted names in a directory; none if it does not exist. */
  public static List<String> list(Path directory) {
    try {
      return Folder.entries(directory).stream()
          .map(entry -> String.valueOf(entry.getFileName()))
          .sorted()
          .toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  /** The stripped text of a file; empty if it is blank or cannot be read. */
  public static Optional<String> read(Path file) {
    try {
      String text = Files.readString(file).strip();
      return text.isEmpty() ? Optional.empty() : Optional.of(text);
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}

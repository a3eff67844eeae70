// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.files.Durable;
import org.wridscope.files.Folder;
import org.wridscope.files.UserFolder;
import org.wridscope.guest.qemu.JournalEntry;

/**
 * What guards did in the place of processes that were killed, so that the next one can say it: a
 * file of sentences for each QEMU, until the user has seen it. A failure to write one is only
 * logged, since the guard's log has the same.
 *
 * @param folder may not exist
 */
public record Deeds(Path folder) {
  private static final Logger LOG = LoggerFactory.getLogger(Deeds.class);

  /** Of the sentences of a guard. */
  private static final int MOST_BYTES = 1 << 14;

  private static final int MOST = 100;

  /** Those of the guards of this process's user. */
  public static Deeds ofUser() {
    return new Deeds(UserFolder.STATE.ofUser().resolve("guarded"));
  }

  /** Those of the guards that write to a log. */
  static Deeds beside(Path log) {
    return new Deeds(log.resolveSibling("guarded"));
  }

  /** Adds what the guard of a QEMU did. */
  public void add(JournalEntry entry, List<String> sentences) {
    Path file =
        folder.resolve("qemu-%d-%d.txt".formatted(entry.qemu().pid(), entry.qemu().start()));
    try {
      Durable.createDirectory(folder, PosixFilePermissions.fromString("rwx------"));
      Durable.replace(
          file,
          file.resolveSibling("." + file.getFileName()),
          StandardCharsets.UTF_8.encode(String.join("\n", sentences)),
          PosixFilePermissions.fromString("rw-------"));
    } catch (IOException e) {
      LOG.warn("what a guard did is only in its log: {}", e.getMessage());
    }
  }

  /** The sentences of each guard, the oldest guard first. */
  public List<List<String>> all() {
    var all = new ArrayList<List<String>>();
    for (Path file : files()) {
      try {
        if (Files.size(file) <= MOST_BYTES) {
          all.add(Files.readAllLines(file));
        }
      } catch (IOException e) {
        LOG.debug("{} cannot be read: {}", file, e.getMessage());
      }
    }
    return all;
  }

  /** Forgets all. */
  public void forget() {
    for (Path file : files()) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        LOG.debug("{} is left: {}", file, e.getMessage());
      }
    }
  }

  private List<Path> files() {
    try {
      return Folder.entries(folder, "qemu-*.txt").stream()
          .sorted(Comparator.comparingLong((Path file) -> file.toFile().lastModified()))
          .limit(MOST)
          .toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      LOG.warn("{} cannot be read: {}", folder, e.getMessage());
      return List.of();
    }
  }
}

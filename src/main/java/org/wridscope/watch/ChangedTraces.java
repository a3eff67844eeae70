// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.files.Folder;
import org.wridscope.files.UserFolder;

/**
 * Notes about the QEMUs of which the trace log is changed, so that it can be put back after this
 * program was killed. A note is a file.
 */
final class ChangedTraces {
  private static final Logger LOG = LoggerFactory.getLogger(ChangedTraces.class);
  private static final String SUFFIX = ".json";

  private final Path folder;

  private ChangedTraces(Path folder) {
    this.folder = folder;
  }

  /** The notes of this process's user. */
  static ChangedTraces ofUser() {
    return in(UserFolder.STATE.ofUser());
  }

  /** The notes below a state folder. */
  static ChangedTraces in(Path state) {
    return new ChangedTraces(state.resolve("watched"));
  }

  private Path file(ChangedTrace changed) {
    return folder.resolve(changed.qemu().pid() + SUFFIX);
  }

  /** Adds a note, or replaces that about the same QEMU. */
  void put(ChangedTrace changed) throws IOException {
    Files.createDirectories(folder);
    Path file = file(changed);
    Path part = file.resolveSibling(file.getFileName() + ".part");
    Files.writeString(part, changed.toJson());
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  void remove(ChangedTrace changed) throws IOException {
    Files.deleteIfExists(file(changed));
  }

  /** All notes about QEMUs that still run; those about others are removed. */
  List<ChangedTrace> all() {
    var found = new ArrayList<ChangedTrace>();
    try {
      for (Path file : Folder.entries(folder, "*" + SUFFIX)) {
        read(file).ifPresent(found::add);
      }
    } catch (NoSuchFileException e) {
      // Nothing was ever watched.
    } catch (IOException e) {
      LOG.warn("the notes about watched QEMUs in {} cannot be read: {}", folder, e.getMessage());
    }
    return found;
  }

  private static Optional<ChangedTrace> read(Path file) {
    try {
      ChangedTrace changed = ChangedTrace.ofJson(Files.readString(file));
      if (changed.qemu().isAlive()) {
        return Optional.of(changed);
      }
      changed.deletePipe();
      Files.deleteIfExists(file);
    } catch (NoSuchFileException e) {
      // Another process has put the log back meanwhile.
    } catch (IOException e) {
      LOG.warn("{} is not a note about a watched QEMU: {}", file, e.getMessage());
    }
    return Optional.empty();
  }

  /** The notes of processes that have ended without putting back what they had changed. */
  List<ChangedTrace> abandoned() {
    return all().stream().filter(changed -> !changed.watcher().isAlive()).toList();
  }
}

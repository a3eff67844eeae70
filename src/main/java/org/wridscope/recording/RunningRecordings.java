// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.files.Folder;
import org.wridscope.files.UserFolder;
import org.wridscope.process.ProcessIdentity;

/**
 * Notes about the recordings that processes of a user are making: a file for each, which has the
 * process in its name and the path of the recording in it, and is deleted when the recording is
 * closed. A note of a process that has ended tells of a recording that nobody closed. A failure to
 * write one is only logged.
 *
 * @param folder may not exist
 */
public record RunningRecordings(Path folder) {
  private static final Logger LOG = LoggerFactory.getLogger(RunningRecordings.class);
  private static final Pattern NAME = Pattern.compile("(\\d{1,10})-(\\d{1,18})-\\d{1,18}");

  /** Of a path. */
  private static final int MOST_BYTES = 1 << 14;

  /** The oldest of more are deleted. */
  private static final int MOST = 100;

  private static final AtomicLong NUMBER = new AtomicLong();

  /** Those of this process's user. */
  public static RunningRecordings ofUser() {
    return new RunningRecordings(UserFolder.STATE.ofUser().resolve("recordings"));
  }

  /**
   * Notes a recording that begins.
   *
   * @return the note, to be given to {@link #end}; null if it could not be written
   */
  @Nullable Path begin(Path recording) {
    try {
      return note(recording, ProcessIdentity.of(ProcessHandle.current().pid()));
    } catch (IOException e) {
      LOG.debug("no note about the recording {}: {}", recording, e.getMessage());
      return null;
    }
  }

  /** Writes the note of a process. */
  public Path note(Path recording, ProcessIdentity maker) throws IOException {
    Files.createDirectories(folder);
    Path note =
        folder.resolve("%d-%d-%d".formatted(maker.pid(), maker.start(), NUMBER.incrementAndGet()));
    return Files.writeString(note, recording.toAbsolutePath().normalize().toString());
  }

  /** Forgets a note. */
  static void end(@Nullable Path note) {
    if (note != null) {
      try {
        Files.deleteIfExists(note);
      } catch (IOException e) {
        LOG.debug("{} is left: {}", note, e.getMessage());
      }
    }
  }

  /**
   * The recordings that still exist and whose processes ended without closing them, oldest first.
   */
  public List<Path> abandoned() {
    return notes().stream().map(RunningRecordings::recording).distinct().toList();
  }

  /** Forgets the recordings whose processes have ended. */
  public void forget() {
    notes().forEach(RunningRecordings::end);
  }

  /** The notes of processes that have ended; those about files that are gone are deleted. */
  private List<Path> notes() {
    var found = new ArrayList<Path>();
    try {
      for (Path note : Folder.entries(folder)) {
        if (hasEnded(note)) {
          if (Files.isRegularFile(recording(note))) {
            found.add(note);
          } else {
            end(note);
          }
        }
      }
    } catch (NoSuchFileException e) {
      // Nothing was ever recorded.
    } catch (IOException e) {
      LOG.warn("the notes about recordings in {} cannot be read: {}", folder, e.getMessage());
    }
    found.sort(Comparator.comparing(RunningRecordings::time));
    while (found.size() > MOST) {
      end(found.removeFirst());
    }
    return found;
  }

  private static boolean hasEnded(Path note) throws IOException {
    Matcher name = NAME.matcher(note.getFileName().toString());
    return name.matches()
        && !new ProcessIdentity(Long.parseLong(name.group(1)), Long.parseLong(name.group(2)))
            .isAlive();
  }

  /** The path in a note; that of no file if it cannot be read. */
  private static Path recording(Path note) {
    try {
      return Files.size(note) > MOST_BYTES ? Path.of("") : Path.of(Files.readString(note));
    } catch (IOException | InvalidPathException e) {
      LOG.debug("{} is no note about a recording: {}", note, e.getMessage());
      return Path.of("");
    }
  }

  private static FileTime time(Path note) {
    try {
      return Files.getLastModifiedTime(note);
    } catch (IOException e) {
      return FileTime.fromMillis(0);
    }
  }
}

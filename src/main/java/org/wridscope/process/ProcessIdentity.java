// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * A process of this machine. A process id is used again after its process has ended, so the time of
 * the start tells whether it is still the same process.
 *
 * @param pid of the process
 * @param start when it started, in clock ticks since the boot, as in field 22 of {@code
 *     /proc/PID/stat}; see proc(5)
 */
public record ProcessIdentity(long pid, long start) {
  /** Of the time of the start among the fields that follow the name of the program. */
  private static final int START = 22 - 3;

  /**
   * A process that runs now.
   *
   * @throws IOException if there is no such process
   */
  public static ProcessIdentity of(long pid) throws IOException {
    return new ProcessIdentity(
        pid,
        startOf(pid).orElseThrow(() -> new IOException("There is no process %d.".formatted(pid))));
  }

  /** Whether the process still runs; false if another one has its id. */
  public boolean isAlive() throws IOException {
    OptionalLong now = startOf(pid);
    return now.isPresent() && now.getAsLong() == start;
  }

  /** When a process started; empty if there is none, or only what is left of one that has ended. */
  private static OptionalLong startOf(long pid) throws IOException {
    String stat;
    try {
      stat =
          Files.readString(
              Path.of("/proc", Long.toString(pid), "stat"), StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      return OptionalLong.empty();
    } catch (IOException e) {
      // ESRCH: it ended between the opening of the file and the reading.
      if (Files.exists(Path.of("/proc", Long.toString(pid)))) {
        throw e;
      }
      return OptionalLong.empty();
    }
    return start(stat);
  }

  /**
   * The time of the start in the content of a stat file; the name in it may have any characters.
   */
  static OptionalLong start(String stat) throws IOException {
    List<String> fields = List.of(stat.substring(stat.lastIndexOf(')') + 1).strip().split(" "));
    if (fields.size() <= START) {
      throw new IOException(
          "The kernel describes a process with %d fields.".formatted(fields.size()));
    }
    // A zombie has no memory and no descriptors any more.
    return fields.getFirst().equals("Z") || fields.getFirst().equals("X")
        ? OptionalLong.empty()
        : OptionalLong.of(Long.parseLong(fields.get(START)));
  }
}

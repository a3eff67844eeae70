// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.wridscope.files.Folder;
import org.wridscope.text.Legible;

/**
 * The kernel's tracing files; see {@code Documentation/trace/ftrace.rst} of Linux.
 *
 * @param root where tracefs is mounted
 */
record Tracefs(Path root) {
  private static final Path MOUNTS = Path.of("/proc/mounts");
  static final String UPROBES = "uprobe_events";
  static final String SYNTHETIC = "synthetic_events";

  /**
   * Those of this machine.
   *
   * @throws IOException if they are not mounted, or the kernel lacks what is needed; one sentence
   */
  static Tracefs find() throws IOException {
    Tracefs found =
        mounted()
            .orElseThrow(() ->
                new IOException(
                    "The kernel's tracing files are not mounted; run 'mount -t tracefs tracefs"
                        + " /sys/kernel/tracing', or install bpftrace."));
    for (String needed : List.of(UPROBES, SYNTHETIC)) {
      if (!Files.exists(found.resolve(needed))) {
        throw new IOException(
            "This kernel has no %s, which attaching without bpftrace needs; install bpftrace."
                .formatted(found.resolve(needed)));
      }
    }
    return found;
  }

  /** Those of this machine, if they are mounted. */
  static Optional<Tracefs> mounted() throws IOException {
    return mounted(Files.readString(MOUNTS, StandardCharsets.ISO_8859_1)).map(Tracefs::new);
  }

  /** Where tracefs is mounted, from the text of proc_pid_mounts(5). */
  static Optional<Path> mounted(String mounts) {
    return mounts
        .lines()
        .map(line -> line.split(" ", 4))
        .filter(fields -> fields.length == 4 && fields[2].equals("tracefs"))
        .map(fields -> Path.of(fields[1]))
        .findFirst();
  }

  Path resolve(String file) {
    return root.resolve(file);
  }

  /**
   * Writes to a file at once. It is not truncated, which would clear the list of events.
   *
   * @throws IOException if the kernel refuses it; one sentence
   */
  void write(String file, String text) throws IOException {
    try {
      Files.writeString(resolve(file), text, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new IOException(
          "The kernel does not accept '%s' in %s: %s."
              .formatted(Legible.of(text, 100), resolve(file), e.getMessage()),
          e);
    }
  }

  /** The lines of a file; none if it is not there. */
  List<String> lines(String file) throws IOException {
    Path path = resolve(file);
    return Files.exists(path) ? Files.readAllLines(path, StandardCharsets.ISO_8859_1) : List.of();
  }

  /** The names of the directories in a directory; none if it is not there. */
  List<String> directories(String in) throws IOException {
    Path path = resolve(in);
    if (!Files.isDirectory(path)) {
      return List.of();
    }
    return Folder.entries(path).stream()
        .filter(Files::isDirectory)
        .map(entry -> entry.getFileName().toString())
        .sorted()
        .toList();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/** What the kernel tells of a process or thread, see proc_pid_status(5). */
public final class ProcessStatus {
  private ProcessStatus() {}

  /** The first number after a label; empty if there is no such process or line. */
  static Optional<Long> number(long pid, String label) {
    return value(Path.of("/proc/" + pid + "/status"), label)
        .map(value -> value.split("\\s", 2)[0])
        .filter(value -> value.matches("\\d{1,18}"))
        .map(Long::valueOf);
  }

  /** What follows a label in a status file, without white space around it. */
  static Optional<String> value(Path status, String label) {
    try {
      // A name may have any bytes.
      String text = new String(Files.readAllBytes(status), StandardCharsets.ISO_8859_1);
      return Arrays.stream(text.split("\n", -1))
          .filter(line -> line.startsWith(label + ":"))
          .map(line -> line.substring(label.length() + 1).strip())
          .findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Whether the effective user is root. */
  public static boolean isOfRoot(long pid) {
    return value(Path.of("/proc/" + pid + "/status"), "Uid")
        .filter(ids -> ids.matches("\\d+\\s+0\\s.*"))
        .isPresent();
  }
}

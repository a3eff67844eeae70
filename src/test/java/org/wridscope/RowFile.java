// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** A file of rows that runs of many nights append to. Each of them may be killed at any moment. */
public final class RowFile {
  private RowFile() {}

  /** The rows, without one that was cut short; none if there is no file. */
  public static List<String> read(Path file) throws IOException {
    return Files.exists(file) ? whole(Files.readString(file)).lines().toList() : List.of();
  }

  /** Opens it for further rows, and removes one that was cut short. */
  public static PrintStream append(Path file) throws IOException {
    if (Files.exists(file)) {
      try (var channel = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
        channel.truncate(whole(Files.readString(file)).getBytes(StandardCharsets.UTF_8).length);
      }
    }
    return new PrintStream(
        Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND),
        true,
        StandardCharsets.UTF_8);
  }

  private static String whole(String text) {
    return text.substring(0, text.lastIndexOf('\n') + 1);
  }
}

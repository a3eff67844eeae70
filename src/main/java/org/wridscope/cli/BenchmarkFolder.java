// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A directory for the files of a benchmark, which is removed with them. */
record BenchmarkFolder(Path path) implements AutoCloseable {

  static BenchmarkFolder create() throws IOException {
    return new BenchmarkFolder(Files.createTempDirectory("wridscope-bench"));
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}

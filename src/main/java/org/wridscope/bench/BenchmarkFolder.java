// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.wridscope.files.Folder;

/** A directory for the files of a benchmark, which is removed with them. */
record BenchmarkFolder(Path path) implements AutoCloseable {

  static BenchmarkFolder create() throws IOException {
    return new BenchmarkFolder(Files.createTempDirectory("wridscope-bench"));
  }

  @Override
  public void close() throws IOException {
    Folder.delete(path);
  }
}

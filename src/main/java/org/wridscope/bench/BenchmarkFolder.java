// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.wridscope.files.Folder;

/** A directory for the files of a benchmark, which is removed with them. */
record BenchmarkFolder(Path path) implements AutoCloseable {

  private static final String PREFIX = "wridscope-bench";

  static BenchmarkFolder create() throws IOException {
    return new BenchmarkFolder(Files.createTempDirectory(PREFIX));
  }

  /**
   * One whose files are in memory, as a guest's RAM usually is, so that no disk is measured; where
   * temporary files are if there is no room for them.
   *
   * @param bytes of all files together
   */
  static BenchmarkFolder inMemory(long bytes) throws IOException {
    return new BenchmarkFolder(Folder.inMemory(PREFIX, bytes));
  }

  @Override
  public void close() throws IOException {
    Folder.delete(path);
  }
}

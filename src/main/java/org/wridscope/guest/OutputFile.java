// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.wridscope.memory.NativeMemory;

/** A file of a fixed length, mapped, that has its name only once it is complete. */
final class OutputFile implements AutoCloseable {
  private final PartFile file;
  private final NativeMemory memory;

  private OutputFile(PartFile file, NativeMemory memory) {
    this.file = file;
    this.memory = memory;
  }

  /**
   * Creates it beside {@code target} under a name of its own, without any blocks.
   *
   * @param target absolute
   */
  static OutputFile create(Path target, long length) throws IOException {
    PartFile file = PartFile.create(target);
    try {
      // Mapping extends it; to open it once more would end its lock.
      return new OutputFile(file, NativeMemory.mapShared(file.channel(), length));
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  Path target() {
    return file.target();
  }

  NativeMemory memory() {
    return memory;
  }

  /** Writes everything to the storage device and gives the file its name. Harmless when it was. */
  void commit() throws IOException {
    try {
      memory.force();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    file.commit();
  }

  /** Unmaps it, and deletes it unless it was committed. */
  @Override
  public void close() {
    try (file) {
      memory.close();
    }
  }
}

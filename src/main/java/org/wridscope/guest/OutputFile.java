// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.Output;
import org.wridscope.files.OutputException;
import org.wridscope.memory.NativeMemory;

/** A mapped file of a fixed length that gets its final name only when it is complete. */
final class OutputFile implements AutoCloseable {
  private final PartFile file;
  private final NativeMemory memory;

  private OutputFile(PartFile file, NativeMemory memory) {
    this.file = file;
    this.memory = memory;
  }

  /**
   * Creates it in the directory of its final name, with a temporary name and without disk blocks.
   *
   * @throws OutputException when there cannot be such a file, or one has the name already
   */
  static OutputFile create(Output output, long length) throws IOException {
    PartFile file = PartFile.create(output);
    try {
      // Mapping extends the file. Opening it again would release its lock.
      return new OutputFile(file, NativeMemory.mapShared(file.channel(), file.path(), length));
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  Path target() {
    return file.target();
  }

  @Nullable String displaced() {
    return file.displaced();
  }

  NativeMemory memory() {
    return memory;
  }

  /** Writes everything to the storage device and renames the file to its final name, once. */
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
    // In this order: the end of the memory releases the lock of the file.
    try (memory) {
      file.close();
    }
  }
}

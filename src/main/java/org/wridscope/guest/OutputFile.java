// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import org.wridscope.memory.NativeMemory;

/** A file of a fixed length, mapped, that has its name only once it is complete. */
final class OutputFile implements AutoCloseable {
  private final Path target;
  private final Path part;
  private final FileChannel channel;
  private final NativeMemory memory;
  private boolean committed;

  private OutputFile(Path target, Path part, FileChannel channel, NativeMemory memory) {
    this.target = target;
    this.part = part;
    this.channel = channel;
    this.memory = memory;
  }

  /**
   * Creates it beside {@code target} under a name of its own, without any blocks.
   *
   * @param target absolute
   */
  static OutputFile create(Path target, long length) throws IOException {
    Path part = createPart(target);
    // For a process that ends without closing it.
    part.toFile().deleteOnExit();
    FileChannel channel = null;
    try {
      try (RandomAccessFile file = new RandomAccessFile(part.toFile(), "rw")) {
        file.setLength(length);
      }
      channel = FileChannel.open(part, StandardOpenOption.READ, StandardOpenOption.WRITE);
      return new OutputFile(target, part, channel, NativeMemory.mapShared(channel, length));
    } catch (IOException | RuntimeException | Error e) {
      if (channel != null) {
        channel.close();
      }
      Files.deleteIfExists(part);
      throw e;
    }
  }

  private static Path createPart(Path target) throws IOException {
    while (true) {
      String suffix = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
      try {
        return Files.createFile(
            target.resolveSibling("." + target.getFileName() + ".part-" + suffix));
      } catch (FileAlreadyExistsException e) {
        // Somebody else's.
      }
    }
  }

  Path target() {
    return target;
  }

  NativeMemory memory() {
    return memory;
  }

  /** Writes everything to the storage device and gives the file its name. Harmless when it was. */
  void commit() throws IOException {
    if (committed) {
      return;
    }
    try {
      memory.force();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    channel.force(true);
    Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
    committed = true;
    // A new name is safe only when its directory is.
    try (FileChannel directory =
        FileChannel.open(target.resolveSibling("."), StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  /** Unmaps it, and deletes it unless it was committed. */
  @Override
  public void close() {
    try (channel) {
      if (!committed) {
        Files.deleteIfExists(part);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      memory.close();
    }
  }
}

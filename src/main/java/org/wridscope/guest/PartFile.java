// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/** A file that has its name only once it is complete. */
final class PartFile implements AutoCloseable {
  private final Path target;
  private final Path part;
  private final FileChannel channel;
  private boolean committed;

  private PartFile(Path target, Path part, FileChannel channel) {
    this.target = target;
    this.part = part;
    this.channel = channel;
  }

  /**
   * Looks whether a file can get this name.
   *
   * @param what it is, for the message
   * @return the name, absolute
   * @throws GuestException when it cannot
   */
  static Path requireTarget(String what, Path out) throws GuestException {
    Path target = out.toAbsolutePath().normalize();
    Path directory = target.getParent();
    if (directory == null || Files.isDirectory(target)) {
      throw new GuestException("%s %s: it is a directory; name a file".formatted(what, out));
    }
    if (Files.exists(target) && !Files.isRegularFile(target)) {
      throw new GuestException(
          "%s %s: it is not a regular file; name another".formatted(what, out));
    }
    if (!Files.isDirectory(directory)) {
      throw new GuestException(
          "%s %s: the directory %s does not exist; create it first"
              .formatted(what, out, directory));
    }
    return target;
  }

  /** Why a file could not be used, for the end of a message. */
  static String reason(IOException e) {
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    String reason = e instanceof FileSystemException f ? f.getReason() : e.getMessage();
    return reason == null ? e.getClass().getSimpleName() : reason;
  }

  /**
   * Creates it, empty, beside {@code target} under a name of its own.
   *
   * @param target absolute
   */
  static PartFile create(Path target) throws IOException {
    Path part = createPart(target);
    // For a process that ends without closing it.
    part.toFile().deleteOnExit();
    try {
      return new PartFile(
          target, part, FileChannel.open(part, StandardOpenOption.READ, StandardOpenOption.WRITE));
    } catch (IOException e) {
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

  /** Where it is for now. */
  Path path() {
    return part;
  }

  FileChannel channel() {
    return channel;
  }

  /** Writes everything to the storage device and gives the file its name. Harmless when it was. */
  void commit() throws IOException {
    if (committed) {
      return;
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

  /** Closes it, and deletes it unless it was committed. */
  @Override
  public void close() {
    try (channel) {
      if (!committed) {
        Files.deleteIfExists(part);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

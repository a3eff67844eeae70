// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.files.Durable;
import org.wridscope.files.Output;
import org.wridscope.files.OutputException;
import org.wridscope.files.Target;

/**
 * A file that gets its final name only when it is complete. Until then it has the name of a {@link
 * Leftover}, and is locked, so that other processes can tell that it is in use.
 */
final class PartFile implements AutoCloseable {

  /** Writes a file to the storage device; tests replace it to simulate a slow one. */
  static volatile Sync sync = file -> file.force(true);

  /** Writes bytes to a file; tests replace it to simulate a full disk. */
  static volatile Write write = FileChannel::write;

  private static final Logger LOG = LoggerFactory.getLogger(PartFile.class);

  /** Keys of all open files. */
  private static final Set<Object> OPEN = ConcurrentHashMap.newKeySet();

  private final Target target;
  private final FileChannel channel;
  private final Object key;
  private volatile Path path;
  private volatile boolean kept;
  private boolean complete;
  private boolean committed;

  /** Whether the directory entry is on the storage device. */
  private boolean named;

  /** Writes the cached content of a file to the storage device. */
  @FunctionalInterface
  interface Sync {
    void force(FileChannel file) throws IOException;
  }

  /** Writes some of the bytes at an offset of a file, and returns how many. */
  @FunctionalInterface
  interface Write {
    int write(FileChannel file, ByteBuffer bytes, long at) throws IOException;
  }

  private PartFile(Target target, Path path, FileChannel channel) throws IOException {
    this.target = target;
    this.path = path;
    this.channel = channel;
    key = key(path);
    OPEN.add(key);
  }

  /**
   * Creates it, empty, in the directory of its final name, with a temporary name.
   *
   * @throws OutputException when there cannot be such a file, or one has the name already
   */
  static PartFile create(Output output) throws IOException {
    Target target = Target.of(output);
    while (true) {
      String suffix = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
      Path part = new Leftover(target.path(), false, suffix).path();
      try {
        FileChannel channel = target.create(part);
        lock(channel);
        return new PartFile(target, part, channel);
      } catch (FileAlreadyExistsException e) {
        // The file of another process; tries another suffix.
      }
    }
  }

  private static void lock(FileChannel channel) {
    try {
      // Released when the file is closed. Nobody else can hold it yet.
      var _ = channel.tryLock();
    } catch (IOException e) {
      LOG.debug("the file system has no locks: {}", e.getMessage());
    }
  }

  /** Whether this process has it open. */
  static boolean isOpen(Path path) throws IOException {
    return OPEN.contains(key(path));
  }

  /** Identifies a file whatever its name is. */
  private static Object key(Path path) throws IOException {
    Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    return key == null ? path : key;
  }

  /** The final name. */
  Path target() {
    return committed ? path : target.path();
  }

  /** A sentence about why it was committed with another name; null when it was not. */
  @Nullable String displaced() {
    return committed ? target.displaced(path) : null;
  }

  /** The current path. */
  Path path() {
    return path;
  }

  FileChannel channel() {
    return channel;
  }

  /** Never deletes it from now on, since it may be the only copy of its content. */
  void keep() {
    kept = true;
  }

  boolean isKept() {
    return kept;
  }

  /** Writes some of the bytes at an offset, and returns how many. */
  int write(ByteBuffer bytes, long at) throws IOException {
    return write.write(channel, bytes, at);
  }

  /** Writes everything to the storage device, which may take long. May be called by any thread. */
  void force() throws IOException {
    sync.force(channel);
  }

  /** Renames it so that its name tells that it is complete; it must be on the storage device. */
  void markComplete() throws IOException {
    if (!complete && !committed) {
      Leftover known = Leftover.of(path).orElseThrow();
      path = Files.move(path, known.marked().path(), StandardCopyOption.ATOMIC_MOVE);
      Durable.names(path);
      complete = true;
    }
  }

  /** Writes everything to the storage device and renames the file to its final name, once. */
  void commit() throws IOException {
    if (!committed) {
      if (!complete) {
        force();
      }
      path = target.place(path);
      committed = true;
    }
    if (!named) {
      Durable.names(path);
      named = true;
    }
  }

  /** Closes it, and deletes it unless it was committed or is kept. */
  @Override
  public void close() {
    try (channel) {
      if (!committed && !kept) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      OPEN.remove(key);
    }
  }
}

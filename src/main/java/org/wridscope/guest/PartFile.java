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
import org.wridscope.files.Output;
import org.wridscope.files.OutputException;
import org.wridscope.files.Target;

/**
 * A file that has its name only once it is complete. Until then it is a {@link Leftover}, should
 * this process end, and locked, so that others can tell that it does not.
 */
final class PartFile implements AutoCloseable {

  /** How a file gets to the storage device; tests have it take its time. */
  static volatile Sync sync = file -> file.force(true);

  /** How bytes get into a file; tests have it run full. */
  static volatile Write write = FileChannel::write;

  private static final Logger LOG = LoggerFactory.getLogger(PartFile.class);

  /** Keys of those that are open. */
  private static final Set<Object> OPEN = ConcurrentHashMap.newKeySet();

  private final Target target;
  private final FileChannel channel;
  private final Object key;
  private volatile Path path;
  private volatile boolean kept;
  private boolean complete;
  private boolean committed;

  /** Whether its name is on the storage device. */
  private boolean named;

  /** Writes to the storage device what the kernel has of a file. */
  @FunctionalInterface
  interface Sync {
    void force(FileChannel file) throws IOException;
  }

  /** Writes some of the bytes to a place in a file, and returns how many. */
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
   * Creates it, empty, beside the name that it gets in the end, under a name of its own.
   *
   * @throws OutputException when there cannot be such a file, or one is in the way
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
        // Somebody else's.
      }
    }
  }

  private static void lock(FileChannel channel) {
    try {
      // Until it is closed; nobody else knows of it yet.
      var _ = channel.tryLock();
    } catch (IOException e) {
      LOG.debug("a file system without locks: {}", e.getMessage());
    }
  }

  /** Whether this process has it open. */
  static boolean isOpen(Path path) throws IOException {
    return OPEN.contains(key(path));
  }

  /** What a file is known by whatever its name is. */
  private static Object key(Path path) throws IOException {
    Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    return key == null ? path : key;
  }

  /** What it is called once it was committed, and what it is to be called before. */
  Path target() {
    return committed ? path : target.path();
  }

  /** One sentence that says why it was committed under another name; null when it was not. */
  @Nullable String displaced() {
    return committed ? target.displaced(path) : null;
  }

  /** Where it is now. */
  Path path() {
    return path;
  }

  FileChannel channel() {
    return channel;
  }

  /** From now on it may be the only copy of what is in it: it is never deleted. */
  void keep() {
    kept = true;
  }

  boolean isKept() {
    return kept;
  }

  /** Writes some of the bytes to a place in the file, and returns how many. */
  int write(ByteBuffer bytes, long at) throws IOException {
    return write.write(channel, bytes, at);
  }

  /** Writes everything to the storage device; may take long. From any thread. */
  void force() throws IOException {
    sync.force(channel);
  }

  /** Has its name say that it is complete; everything must be on the storage device. */
  void markComplete() throws IOException {
    if (!complete && !committed) {
      Leftover known = Leftover.of(path).orElseThrow();
      path = Files.move(path, known.marked().path(), StandardCopyOption.ATOMIC_MOVE);
      complete = true;
    }
  }

  /** Writes everything to the storage device and gives the file its name. Harmless when it was. */
  void commit() throws IOException {
    if (!committed) {
      if (!complete) {
        force();
      }
      path = target.place(path);
      committed = true;
    }
    if (!named) {
      Leftover.forceNames(path);
      named = true;
    }
  }

  /** Closes it, and deletes it unless it was committed or is to be kept. */
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

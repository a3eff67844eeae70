// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A file to which somebody else appends lines. When it is cut off, or when another file takes its
 * name, it is read from its new beginning. For one thread.
 */
final class FollowedFile implements AutoCloseable {
  private static final int PIECE = 1 << 18;

  private final Path path;
  private final LineBuffer buffer = new LineBuffer(PIECE);
  private FileChannel channel;
  private @Nullable Object key;
  private @Nullable String event;

  /** Opens it at its beginning. */
  FollowedFile(Path path) throws IOException {
    this.path = path;
    channel = FileChannel.open(path, StandardOpenOption.READ);
    try {
      key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /** Opens it at its present end. */
  static FollowedFile fromNow(Path path) throws IOException {
    var file = new FollowedFile(path);
    file.channel.position(file.channel.size());
    return file;
  }

  Path path() {
    return path;
  }

  /** The next lines that it has, null while it has no whole one. */
  @Nullable Lines next() throws IOException {
    int count = channel.read(buffer.space());
    if (count <= 0) {
      beginAgain();
      return null;
    }
    return buffer.take();
  }

  /** Looks whether what follows is at another place. */
  private void beginAgain() throws IOException {
    BasicFileAttributes now;
    FileChannel opened = null;
    try {
      now = Files.readAttributes(path, BasicFileAttributes.class);
      if (!Objects.equals(now.fileKey(), key)) {
        opened = FileChannel.open(path, StandardOpenOption.READ);
      }
    } catch (NoSuchFileException e) {
      // It was renamed, and who writes may go on, or will open a new one.
      return;
    }
    if (opened != null) {
      channel.close();
      channel = opened;
      key = now.fileKey();
      event = "%s was replaced by a new file, which is read from its beginning.".formatted(path);
    } else if (now.size() < channel.position()) {
      channel.position(0);
      event = "%s was cut off, and is read from its new beginning.".formatted(path);
    }
  }

  /** A sentence about a new beginning since the last call. */
  Optional<String> newBeginning() {
    Optional<String> sentence = Optional.ofNullable(event);
    event = null;
    return sentence;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}

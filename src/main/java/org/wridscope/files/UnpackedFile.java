// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A file that users name, or what it was packed from with gzip, in a temporary file of the same
 * name without its ending, which is deleted when this is closed.
 */
public final class UnpackedFile implements AutoCloseable {
  private static final int START = 1 << 12;

  /** Of the temporary file system so much stays free. */
  private static final int SHARE_LEFT = 4;

  /** Magic numbers of what is packed otherwise, and the command that unpacks it. */
  private static final Map<String, String> OTHERS =
      Map.of("fd377a585a00", "xz -dk", "28b52ffd", "zstd -d", "425a68", "bunzip2 -k");

  private final Path path;
  private final @Nullable Path folder;
  private final @Nullable String damage;

  private UnpackedFile(Path path, @Nullable Path folder, @Nullable String damage) {
    this.path = path;
    this.folder = folder;
    this.damage = damage;
  }

  /**
   * Unpacks a file, if it is packed.
   *
   * @param mayBe whether a file may begin like this, up to {@value #START} bytes; if not, its
   *     beginning is all that is unpacked
   * @throws IllegalArgumentException if it is packed in another way, or too long; a sentence for
   *     the user
   */
  public static UnpackedFile of(String field, Path file, Start mayBe) throws IOException {
    try (InputStream in = Files.newInputStream(file);
        Unpacked content = Unpacked.of(in)) {
      if (content.isPacked()) {
        return unpack(field, file, content, mayBe);
      }
      String start = HexFormat.of().formatHex(content.readNBytes(6));
      for (Map.Entry<String, String> other : OTHERS.entrySet()) {
        if (start.startsWith(other.getKey())) {
          throw new IllegalArgumentException(
              "%s: %s is packed; unpack it with %s, and name the result."
                  .formatted(field, file, other.getValue()));
        }
      }
      return new UnpackedFile(file, null, null);
    }
  }

  /** Whether a file may begin so. */
  @FunctionalInterface
  public interface Start {
    boolean mayBe(byte[] start);
  }

  private static UnpackedFile unpack(String field, Path file, Unpacked content, Start mayBe)
      throws IOException {
    byte[] start = content.readNBytes(START);
    Path folder = Files.createTempDirectory("wridscope-");
    Path path = folder.resolve(name(file));
    boolean done = false;
    try (OutputStream out = Files.newOutputStream(path)) {
      out.write(start);
      if (mayBe.mayBe(start)) {
        copy(field, file, content, out, Files.getFileStore(folder));
      }
      done = true;
      return new UnpackedFile(path, folder, content.damage());
    } catch (UnpackedTooLongException e) {
      throw new IllegalArgumentException(
          "%s: %s cannot be opened: %s.".formatted(field, file, e.getMessage()), e);
    } finally {
      if (!done) {
        delete(path, folder);
      }
    }
  }

  private static void copy(
      String field, Path file, Unpacked content, OutputStream out, FileStore store)
      throws IOException {
    long room = store.getUsableSpace() / SHARE_LEFT * (SHARE_LEFT - 1);
    var piece = new byte[1 << 16];
    for (int read; (read = content.read(piece)) >= 0; ) {
      room -= read;
      if (room < 0) {
        throw new IllegalArgumentException(
            "%s: %s cannot be unpacked: the file system for temporary files has no room; unpack it with gunzip, and name the result."
                .formatted(field, file));
      }
      out.write(piece, 0, read);
    }
  }

  /** The name without {@code .gz}. */
  private static String name(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.endsWith(".gz") && name.length() > 3 ? name.substring(0, name.length() - 3) : name;
  }

  private static void delete(Path path, Path folder) throws IOException {
    Files.deleteIfExists(path);
    Files.deleteIfExists(folder);
  }

  /** The file with the content. */
  public Path path() {
    return path;
  }

  /** Where and why unpacking ended too early, a clause; null if it did not. */
  public @Nullable String damage() {
    return damage;
  }

  @Override
  public void close() throws IOException {
    if (folder != null) {
      delete(path, folder);
    }
  }
}

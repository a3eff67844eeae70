// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The final name of a file that is being written. Only this class decides which existing file may
 * be replaced: first before any work is done, and again when the complete file is renamed, because
 * a file may have appeared or changed meanwhile. A file that nobody agreed to replace is kept.
 */
public final class Target {
  private static final int TYPE = 0xf000;
  private static final int CHARACTER_DEVICE = 0x2000;
  private static final int PIPE = 0x1000;

  /** Maximum number of alternative names. */
  private static final int MAX_BESIDE = 99;

  private final Output output;
  private final Path path;

  /** The file that may be replaced; null if there was none. */
  private final @Nullable Fingerprint agreed;

  private Target(Output output, Path path, @Nullable Fingerprint agreed) {
    this.output = output;
    this.path = path;
    this.agreed = agreed;
  }

  /** Identifies a file and its state, to detect that it was replaced or changed. */
  private record Fingerprint(@Nullable Object key, long length, FileTime modified) {

    static @Nullable Fingerprint of(Path file) throws IOException {
      try {
        var now = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return new Fingerprint(now.fileKey(), now.size(), now.lastModifiedTime());
      } catch (NoSuchFileException e) {
        return null;
      }
    }
  }

  /**
   * Checks that a file can be written.
   *
   * @throws TakenException if a file of the same kind exists, and nobody agreed to replace it
   * @throws OutputException if it cannot be written for another reason
   */
  public static Target of(Output output) throws OutputException {
    Path path = resolve(output.field(), output.path());
    try {
      Fingerprint there = Fingerprint.of(path);
      if (there != null && !isOpenEnded(output, path)) {
        requireReplaceable(output, path);
      }
      return new Target(output, path, there);
    } catch (OutputException e) {
      throw e;
    } catch (IOException e) {
      throw unwritable(output.field(), output.path(), e);
    }
  }

  /**
   * Checks that a file of this name exists and is writable, or can be created.
   *
   * @param field name of the option or form field, for the message
   * @return the path without symbolic links
   */
  public static Path resolve(String field, Path path) throws OutputException {
    try {
      if (Files.isDirectory(path)) {
        throw new OutputException(
            "%s: %s is a directory; name a file in it.".formatted(field, path));
      }
      if (Files.exists(path)) {
        if (!Files.isWritable(path)) {
          throw new AccessDeniedException(path.toString());
        }
        return path.toRealPath();
      }
      if (Files.isSymbolicLink(path)) {
        throw new OutputException(
            "%s: %s is a symbolic link to %s, which does not exist; name that file itself."
                .formatted(field, path, Files.readSymbolicLink(path)));
      }
      Path name = path.getFileName();
      Path directory = path.toAbsolutePath().getParent();
      if (name == null || directory == null || name.toString().isEmpty()) {
        throw new OutputException("%s: \"%s\" is not the name of a file.".formatted(field, path));
      }
      if (!Files.isDirectory(directory)) {
        throw new OutputException(
            "%s: the directory %s does not exist; create it first.".formatted(field, directory));
      }
      if (!Files.isWritable(directory)) {
        throw new AccessDeniedException(directory.toString());
      }
      return directory.toRealPath().resolve(name);
    } catch (OutputException e) {
      throw e;
    } catch (IOException e) {
      throw unwritable(field, path, e);
    }
  }

  private static OutputException unwritable(String field, Path path, IOException cause) {
    return new OutputException(
        "%s: %s cannot be written (%s).".formatted(field, path, reason(cause)), cause);
  }

  /** The reason of an exception, without the path that the sentence around it contains. */
  public static String reason(IOException e) {
    return switch (e) {
      case AccessDeniedException _ -> "permission denied";
      case NoSuchFileException _ -> "no such file or directory";
      case FileSystemException other when other.getReason() != null -> other.getReason();
      default -> e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    };
  }

  /** Whether the path is a terminal or a pipe, which passes its input on, instead of a file. */
  private static boolean isOpenEnded(Output output, Path path) throws IOException {
    if (Files.isRegularFile(path)) {
      return false;
    }
    int type = (int) Files.getAttribute(path, "unix:mode") & TYPE;
    if ((type != CHARACTER_DEVICE && type != PIPE) || output.kind().holdsRam()) {
      throw new OutputException(
          "%s: %s is not a regular file; name another file."
              .formatted(output.field(), output.path()));
    }
    return true;
  }

  private static void requireReplaceable(Output output, Path path) throws IOException {
    if (!output.kind().is(path)) {
      throw new OutputException(
          "%s: %s is not %s and is never replaced; choose another name, or delete it first."
              .formatted(output.field(), path, output.kind().text()));
    }
    if (output.replace() == Output.Replace.NOTHING) {
      throw new TakenException(output, path);
    }
  }

  /** The exception for a failure to write the file. */
  public OutputException unwritable(IOException cause) {
    return unwritable(output.field(), output.path(), cause);
  }

  /** The final name, absolute and without symbolic links. */
  public Path path() {
    return path;
  }

  /** Whether it is a terminal or a pipe, which is written directly. */
  public boolean isOpenEnded() {
    return agreed != null && !Files.isRegularFile(path);
  }

  /**
   * A file with a temporary name.
   *
   * @param path in the directory of the final name
   * @param channel open for reading and writing
   */
  public record Part(Path path, FileChannel channel) {}

  /** Creates the file, like {@link #create(Path)}, under a new temporary name. */
  public Part create() throws IOException {
    while (true) {
      String suffix = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
      Path part = path.resolveSibling(".%s.unfinished-%s".formatted(path.getFileName(), suffix));
      try {
        return new Part(part, create(part));
      } catch (FileAlreadyExistsException e) {
        // Another process has chosen the same name.
      }
    }
  }

  /**
   * Creates the empty file with its final permissions.
   *
   * @param part the temporary name, in the directory of {@link #path}
   * @return a channel for reading and writing
   * @throws FileAlreadyExistsException if the temporary name exists
   */
  public FileChannel create(Path part) throws IOException {
    Set<StandardOpenOption> options =
        EnumSet.of(
            StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    Set<PosixFilePermission> mode = output.mode();
    if (mode == null) {
      return FileChannel.open(part, options);
    }
    FileChannel channel =
        FileChannel.open(part, options, PosixFilePermissions.asFileAttribute(mode));
    try {
      if (!Files.getPosixFilePermissions(part).equals(mode)) {
        // The umask has removed permissions that the user requested.
        Files.setPosixFilePermissions(part, mode);
      }
      return channel;
    } catch (IOException | RuntimeException e) {
      try (channel) {
        Files.deleteIfExists(part);
      }
      throw e;
    }
  }

  /**
   * Renames a complete file to its final name, and replaces the file that may be replaced. If
   * another file has the name by now, keeps that file and chooses an alternative name.
   *
   * @param part the temporary name
   * @return the new name: {@link #path}, or the alternative name, about which {@link #displaced}
   *     informs the user
   */
  public Path place(Path part) throws IOException {
    Fingerprint there = Fingerprint.of(path);
    if (there != null && mayReplace(there)) {
      Files.move(part, path, StandardCopyOption.ATOMIC_MOVE);
      return path;
    }
    if (there == null && moveToNew(part, path)) {
      return path;
    }
    for (int number = 1; number <= MAX_BESIDE; number++) {
      Path beside =
          path.resolveSibling(path.getFileName() + ".new" + (number == 1 ? "" : "-" + number));
      if (moveToNew(part, beside)) {
        return beside;
      }
    }
    return part;
  }

  private boolean mayReplace(Fingerprint there) throws IOException {
    return switch (output.replace()) {
      case NOTHING -> false;
      case AGREED -> there.equals(agreed);
      case OWN_KIND ->
          Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS) && output.kind().is(path);
    };
  }

  /**
   * Renames a file to a new name. Unlike a rename, a hard link does not replace a file that appears
   * at this moment.
   */
  private static boolean moveToNew(Path part, Path name) throws IOException {
    try {
      Files.createLink(name, part);
      Files.delete(part);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    } catch (UnsupportedOperationException | FileSystemException e) {
      return moveWithoutLink(part, name);
    }
  }

  /** Without hard links, reserves the name with an empty file first. */
  private static boolean moveWithoutLink(Path part, Path name) throws IOException {
    try {
      Files.createFile(name);
    } catch (FileAlreadyExistsException e) {
      return false;
    }
    Files.move(part, name, StandardCopyOption.ATOMIC_MOVE);
    return true;
  }

  /**
   * A sentence that says that a complete file has an alternative name.
   *
   * @param placed the name that {@link #place} returned
   * @return null if it has its final name
   */
  public @Nullable String displaced(Path placed) {
    return placed.equals(path)
        ? null
        : "%s appeared or was changed meanwhile, and was kept; the complete new file is %s."
            .formatted(path, placed);
  }
}

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
 * The name that a file gets once it is complete. Here is decided, and nowhere else, what may be
 * replaced: at the beginning, before anything is done, and once more when the name is given, for a
 * file may have appeared or changed meanwhile. What nobody agreed to replace stays as it is.
 */
public final class Target {
  private static final int TYPE = 0xf000;
  private static final int CHARACTER_DEVICE = 0x2000;
  private static final int PIPE = 0x1000;

  /** Files that could not get their names. */
  private static final int MAX_BESIDE = 99;

  private final Output output;
  private final Path path;

  /** The file that may be replaced; null when there was none. */
  private final @Nullable Fingerprint agreed;

  private Target(Output output, Path path, @Nullable Fingerprint agreed) {
    this.output = output;
    this.path = path;
    this.agreed = agreed;
  }

  /** What tells a file from another one, and from itself before it was changed. */
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
   * Looks whether a file can be written as it was named.
   *
   * @throws TakenException when there is a file of the same kind, and nobody agreed to replace it
   * @throws OutputException when it cannot, for another reason
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
   * Looks whether there can be a file of this name, or is one.
   *
   * @param field what the user calls it, for the message
   * @return the path without links, whose directory exists and is writable
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
            "%s: %s is a link to %s, which does not exist; name that file itself."
                .formatted(field, path, Files.readSymbolicLink(path)));
      }
      Path name = path.getFileName();
      Path directory = path.toAbsolutePath().getParent();
      if (name == null || directory == null || name.toString().isEmpty()) {
        throw new OutputException("%s: \"%s\" is not the name of a file.".formatted(field, path));
      }
      if (!Files.isDirectory(directory)) {
        throw new OutputException(
            "%s: the directory %s does not exist; make it first.".formatted(field, directory));
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

  /** Why, without the path that the sentence around it has. */
  public static String reason(IOException e) {
    return switch (e) {
      case AccessDeniedException _ -> "permission denied";
      case NoSuchFileException _ -> "no such file or directory";
      case FileSystemException other when other.getReason() != null -> other.getReason();
      default -> e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    };
  }

  /** Whether what is there is not a file with content, but leads elsewhere: a terminal, a pipe. */
  private static boolean isOpenEnded(Output output, Path path) throws IOException {
    if (Files.isRegularFile(path)) {
      return false;
    }
    int type = (int) Files.getAttribute(path, "unix:mode") & TYPE;
    if ((type != CHARACTER_DEVICE && type != PIPE) || output.kind().holdsRam()) {
      throw new OutputException(
          "%s: %s is not a regular file; name another.".formatted(output.field(), output.path()));
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

  /** What to throw when it could not be written after all. */
  public OutputException unwritable(IOException cause) {
    return unwritable(output.field(), output.path(), cause);
  }

  /** The name, absolute and without links. */
  public Path path() {
    return path;
  }

  /** Whether it is a terminal or a pipe, which is written to as it is. */
  public boolean isOpenEnded() {
    return agreed != null && !Files.isRegularFile(path);
  }

  /**
   * A file under a name of its own.
   *
   * @param path beside the name that it gets
   * @param channel open for reading and writing
   */
  public record Part(Path path, FileChannel channel) {}

  /** Creates the file, as {@link #create(Path)} does, under a name that nothing has. */
  public Part create() throws IOException {
    while (true) {
      String suffix = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
      Path part = path.resolveSibling(".%s.unfinished-%s".formatted(path.getFileName(), suffix));
      try {
        return new Part(part, create(part));
      } catch (FileAlreadyExistsException e) {
        // Somebody else's.
      }
    }
  }

  /**
   * Creates the file, empty, with the mode that the user wants from the beginning.
   *
   * @param part its name for now, in the directory of {@link #path}
   * @return open for reading and writing
   * @throws FileAlreadyExistsException when there is one of that name
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
        // The umask took away what the user asked for.
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
   * Gives a complete file its name, in the place of the one that may be replaced. When another one
   * has the name by now, that one stays, and the complete file gets a name beside it.
   *
   * @param part what {@link #create} made
   * @return what the file is called now: {@link #path}, or else what {@link #displaced} tells
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
   * Renames to a name that nothing has: unlike a rename, a link does not replace a file that
   * appears at this very moment.
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

  /** On a file system without links the name is taken with an empty file first. */
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
   * Says that a complete file could not get its name.
   *
   * @param placed what {@link #place} returned
   * @return one sentence; null when it has its name
   */
  public @Nullable String displaced(Path placed) {
    return placed.equals(path)
        ? null
        : "%s appeared or was changed meanwhile and stays as it is; the complete new file is %s."
            .formatted(path, placed);
  }
}

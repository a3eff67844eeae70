// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.wridscope.files.Durable;
import org.wridscope.files.FileKind;
import org.wridscope.files.Folder;
import org.wridscope.files.Output;
import org.wridscope.files.OutputException;
import org.wridscope.files.Target;
import org.wridscope.stream.SavedStream;

/**
 * A file that does not have its final name, because it is not complete or its process has ended:
 * {@code .NAME.part-1234abcd} while it is being written, {@code .NAME.complete-1234abcd} once it is
 * complete and on the storage device.
 *
 * @param target the final name, absolute
 * @param complete whether it is marked as complete
 * @param suffix eight hexadecimal digits that distinguish the files of one target
 */
public record Leftover(Path target, boolean complete, String suffix) {
  private static final Pattern NAME =
      Pattern.compile("\\.(.+)\\.(part|complete)-([0-9a-f]{8})", Pattern.DOTALL);

  /** Parses a path; empty when it is not the name of such a file. */
  public static Optional<Leftover> of(Path path) {
    Path name = path.getFileName();
    Matcher matcher = NAME.matcher(name == null ? "" : name.toString());
    return matcher.matches()
        ? Optional.of(
            new Leftover(
                path.toAbsolutePath().normalize().resolveSibling(matcher.group(1)),
                matcher.group(2).equals("complete"),
                matcher.group(3)))
        : Optional.empty();
  }

  /** The files in a directory that no process is writing, sorted by name. */
  public static List<Leftover> in(Path directory) throws IOException {
    var found = new ArrayList<Leftover>();
    for (Path file : Folder.entries(directory, ".*")) {
      of(file)
          .filter(leftover -> Files.isRegularFile(file) && !leftover.isInUse())
          .ifPresent(found::add);
    }
    found.sort(Comparator.comparing(Leftover::path));
    return found;
  }

  /** The files with this final name that no process is writing. */
  public static List<Leftover> beside(Path target) throws IOException {
    Path wanted = target.toAbsolutePath().normalize();
    return in(wanted.resolveSibling(".")).stream()
        .filter(leftover -> leftover.target.equals(wanted))
        .toList();
  }

  /** The path of the file. */
  public Path path() {
    return target.resolveSibling(
        ".%s.%s-%s".formatted(target.getFileName(), complete ? "complete" : "part", suffix));
  }

  /** The same file, marked as complete. */
  Leftover marked() {
    return new Leftover(target, true, suffix);
  }

  /** Whether a process is writing it; false when that cannot be determined. */
  public boolean isInUse() {
    try {
      // Opening and closing it in the process that writes it would release the lock.
      if (PartFile.isOpen(path())) {
        return true;
      }
      try (FileChannel file = FileChannel.open(path(), StandardOpenOption.WRITE)) {
        return file.tryLock() == null;
      }
    } catch (OverlappingFileLockException e) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Whether it is marked as complete, or its stream begins and ends like a complete one; the rest
   * is not checked.
   */
  public boolean seemsWhole() {
    if (complete) {
      return true;
    }
    try (SavedStream stream = SavedStream.open(path())) {
      return stream.endsInDescription();
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Checks the whole stream, writes it to the storage device, and renames the file to its final
   * name.
   *
   * @param replace whether a captured guest that has the name already is replaced
   * @return whether the stream marks its own end; those of old machine types do not
   * @throws NoGuestException when it does not contain a whole guest
   * @throws OutputException when the name is taken
   * @throws IOException when it is in use, or cannot be written to the storage device
   */
  public boolean recover(boolean replace) throws IOException {
    Path path = path();
    if (isInUse()) {
      throw new GuestException(path + " is being written; wait for the end of that capture");
    }
    Output output = Output.of("FILE", target, FileKind.STREAM);
    Target name = Target.of(replace ? output.replacing() : output);
    boolean described = requireWhole(path);
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
      PartFile.sync.force(file);
    }
    Path placed = name.place(path);
    Durable.names(placed);
    String displaced = name.displaced(placed);
    if (displaced != null) {
      throw new GuestException(displaced);
    }
    return described;
  }

  private static boolean requireWhole(Path path) throws NoGuestException {
    try (SavedStream stream = SavedStream.open(path)) {
      stream.index(() -> {});
      return stream.isDescribed();
    } catch (IOException e) {
      throw new NoGuestException(
          "%s does not hold a whole guest: %s".formatted(path, Target.reason(e)), e);
    }
  }
}

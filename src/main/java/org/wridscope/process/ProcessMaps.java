// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.RamBlock;
import org.wridscope.text.Legible;

/** The mappings of a process at one moment, see proc_pid_maps(5). */
public final class ProcessMaps {
  private static final Pattern LINE =
      Pattern.compile(
          "([0-9a-f]{1,16})-([0-9a-f]{1,16}) ([r-][w-][x-][sp]) ([0-9a-f]{1,16})"
              + " ([0-9a-f]{1,8}):([0-9a-f]{1,8}) ([0-9]{1,20}) *(.*)");

  private static final long PAGE_MASK = RamBlock.PAGE_SIZE - 1;
  private static final String DELETED = " (deleted)";
  static final String MEMFD = "/memfd:";

  private final long pid;
  private final List<Mapping> mappings;

  /**
   * A file as the kernel names it in every list of mappings. For some file systems (btrfs, overlay)
   * these are not the numbers of stat(2).
   *
   * @param major device number
   * @param minor device number
   * @param inode 0 for memory without a file
   */
  public record FileId(int major, int minor, long inode) {}

  /**
   * One line of the list.
   *
   * @param start address, unsigned
   * @param end address of the first byte after it, unsigned
   * @param permissions such as {@code rw-s}
   * @param offset of the start in the file
   * @param name path of the file or name of the memory as the kernel writes it; may be empty
   */
  record Mapping(long start, long end, String permissions, long offset, FileId file, String name) {
    boolean isReadable() {
      return permissions.charAt(0) == 'r';
    }

    boolean isWritable() {
      return permissions.charAt(1) == 'w';
    }

    boolean isExecutable() {
      return permissions.charAt(2) == 'x';
    }

    boolean isShared() {
      return permissions.charAt(3) == 's';
    }

    boolean contains(long address) {
      return Long.compareUnsigned(start, address) <= 0 && Long.compareUnsigned(address, end) < 0;
    }
  }

  private ProcessMaps(long pid, List<Mapping> mappings) {
    this.pid = pid;
    this.mappings = List.copyOf(mappings);
  }

  /**
   * Reads the mappings of a process.
   *
   * @throws IOException if there is no such process, or this one may not read them; one sentence
   */
  public static ProcessMaps read(long pid) throws IOException {
    byte[] text;
    try {
      text = Files.readAllBytes(Path.of("/proc/" + pid + "/maps"));
    } catch (NoSuchFileException e) {
      throw new IOException("there is no process %d.".formatted(pid), e);
    } catch (AccessDeniedException e) {
      throw new IOException(
          "the mappings of process %d cannot be read; run Wridscope as the same user or as root."
              .formatted(pid),
          e);
    } catch (IOException e) {
      throw new IOException(
          "the mappings of process %d cannot be read (%s); it may have ended."
              .formatted(pid, e.getMessage()),
          e);
    }
    if (text.length == 0) {
      throw new IOException("process %d has ended, or has no memory of its own.".formatted(pid));
    }
    return parse(pid, new String(text, encoding()));
  }

  /**
   * @throws IOException if a line is not as the kernel writes it
   */
  static ProcessMaps parse(long pid, String text) throws IOException {
    List<Mapping> mappings = new ArrayList<>();
    @Nullable Mapping previous = null;
    for (String line : text.split("\n", -1)) {
      if (!line.isEmpty()) {
        Mapping mapping = mapping(line);
        // A list that is longer than the kernel's buffer is not of one moment: a mapping may grow
        // between two reads and be listed again. The kernel keeps the order of the ends.
        if (mapping == null
            || (previous != null && Long.compareUnsigned(previous.end(), mapping.end()) >= 0)) {
          throw new IOException(
              "the mappings of process %d have a line that is not as expected: %s"
                  .formatted(pid, Legible.of(line, 200)));
        }
        mappings.add(mapping);
        previous = mapping;
      }
    }
    return new ProcessMaps(pid, mappings);
  }

  private static @Nullable Mapping mapping(String line) {
    Matcher fields = LINE.matcher(line);
    if (!fields.matches()) {
      return null;
    }
    long start = Long.parseUnsignedLong(fields.group(1), 16);
    long end = Long.parseUnsignedLong(fields.group(2), 16);
    long offset = Long.parseUnsignedLong(fields.group(4), 16);
    long inode;
    try {
      inode = Long.parseUnsignedLong(fields.group(7));
    } catch (NumberFormatException e) {
      return null;
    }
    if (Long.compareUnsigned(start, end) >= 0 || ((start | end) & PAGE_MASK) != 0) {
      return null;
    }
    FileId file =
        new FileId(
            Integer.parseUnsignedInt(fields.group(5), 16),
            Integer.parseUnsignedInt(fields.group(6), 16),
            inode);
    return new Mapping(start, end, fields.group(3), offset, file, fields.group(8));
  }

  /** The encoding of file names, which the JDK itself uses. */
  private static Charset encoding() {
    return Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
  }

  List<Mapping> mappings() {
    return mappings;
  }

  /**
   * A place in a file.
   *
   * @param file as the kernel names it
   * @param offset in bytes
   */
  public record FilePlace(Path file, long offset) {}

  /** Where the code at an address comes from; empty if not from a file that still exists. */
  public Optional<FilePlace> codeAt(long address) {
    return at(address)
        .filter(mapping ->
            mapping.isExecutable()
                && mapping.file().inode() != 0
                && mapping.name().startsWith("/")
                && !mapping.name().endsWith(DELETED))
        .map(mapping ->
            new FilePlace(Path.of(mapping.name()), address - mapping.start() + mapping.offset()));
  }

  /** The mapping that an address is in. */
  Optional<Mapping> at(long address) {
    return mappings.stream().filter(mapping -> mapping.contains(address)).findFirst();
  }

  /**
   * The ranges in which files are mapped shared and writable, in the order of their addresses.
   * Neighbouring mappings are one range where they continue each other in the file.
   */
  public List<SharedRange> shared() {
    List<SharedRange> ranges = new ArrayList<>();
    for (Mapping mapping : mappings) {
      if (mapping.isShared()
          && mapping.isReadable()
          && mapping.isWritable()
          && mapping.file().inode() != 0
          && mapping.start() >= 0
          && mapping.end() > 0
          && mapping.offset() >= 0
          && (mapping.offset() & PAGE_MASK) == 0) {
        SharedRange range =
            new SharedRange(
                pid,
                mapping.start(),
                mapping.end() - mapping.start(),
                mapping.offset(),
                mapping.file(),
                mapping.name());
        if (!ranges.isEmpty() && ranges.getLast().continuesIn(range)) {
          SharedRange last = ranges.removeLast();
          range =
              new SharedRange(
                  pid,
                  last.address(),
                  last.length() + range.length(),
                  last.offset(),
                  last.file(),
                  last.name());
        }
        ranges.add(range);
      }
    }
    return ranges;
  }

  /**
   * @throws IOException if one of these ranges is no longer mapped as it was; one sentence
   */
  void requireMapped(List<SharedRange> ranges) throws IOException {
    List<SharedRange> present = shared();
    for (SharedRange range : ranges) {
      if (present.stream().noneMatch(mapped -> mapped.contains(range))) {
        throw new IOException(
            "process %d has changed its memory in %s; start again with its present memory."
                .formatted(pid, Legible.of(range.name())));
      }
    }
  }

  /**
   * The shared and writable ranges of a file: of the one at this path now, or of one that was
   * deleted and had this path. More than one range means that parts of it are mapped twice, or that
   * not all of it is mapped.
   *
   * @param file absolute
   */
  public List<SharedRange> sharedOf(Path file) {
    String path = real(file).toString();
    Optional<Long> inode = inode(file);
    List<SharedRange> present =
        shared().stream()
            .filter(range ->
                inode.isPresent()
                    && range.file().inode() == inode.get()
                    && (range.path().equals(path) || isOnDevice(range, file)))
            .toList();
    return present.isEmpty()
        ? shared().stream().filter(range -> range.path().equals(path + DELETED)).toList()
        : present;
  }

  /**
   * The shared and writable ranges of memory files, see memfd_create(2).
   *
   * @param name with which they were created; several may have the same
   */
  public List<SharedRange> sharedOfMemfd(String name) {
    return shared().stream().filter(range -> range.name().equals(MEMFD + name + DELETED)).toList();
  }

  private static Path real(Path file) {
    try {
      return file.toRealPath();
    } catch (IOException e) {
      return file;
    }
  }

  private static Optional<Long> inode(Path file) {
    return number(file, "unix:ino");
  }

  /** Whether the device number of a range is that of a file, in glibc's encoding of both parts. */
  private static boolean isOnDevice(SharedRange range, Path file) {
    return number(file, "unix:dev")
        .filter(device ->
            range.file().major() == (int) ((device >>> 8 & 0xfff) | (device >>> 32 & 0xfffff000L))
                && range.file().minor() == (int) ((device & 0xff) | (device >>> 12 & 0xffffff00L)))
        .isPresent();
  }

  private static Optional<Long> number(Path file, String attribute) {
    try {
      return Files.getAttribute(file, attribute) instanceof Number number
          ? Optional.of(number.longValue())
          : Optional.empty();
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}

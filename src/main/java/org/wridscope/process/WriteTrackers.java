// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.Folder;
import org.wridscope.host.Processor;
import org.wridscope.memory.AvailableMemory;
import org.wridscope.memory.NativeMemory;
import org.wridscope.text.Format;
import org.wridscope.text.Legible;

/** Which ways to find the writes of a process work here. */
public final class WriteTrackers {
  private static final Path SWAPS = Path.of("/proc/swaps");

  private static @Nullable Boolean softDirtyBits;

  private WriteTrackers() {}

  /** The ways, best first. */
  public enum Kind {
    /** {@link UserfaultTracker}. */
    USERFAULTFD,
    /** {@link SoftDirtyTracker}. */
    SOFT_DIRTY,
    /** {@link CompareTracker}. */
    COMPARE
  }

  /**
   * Tries a way on pages of this process, since a kernel may accept what it does not do, and checks
   * the permissions that it needs for the other process, which is not changed.
   *
   * <p>That a userfaultfd can be opened there is certain only when it was ({@link
   * UserfaultInjection}); the process that does so needs the permissions too.
   *
   * @param ranges of one process, at least one
   * @return why it is not possible and what to do, one sentence; empty if it should be
   */
  public static Optional<String> obstacle(Kind kind, List<SharedRange> ranges) {
    try {
      return switch (kind) {
        case USERFAULTFD -> userfaultfd(ranges);
        case SOFT_DIRTY -> softDirty(ranges);
        case COMPARE ->
            compare(
                ranges.stream().mapToLong(SharedRange::length).sum(), AvailableMemory.bytesHere());
      };
    } catch (IOException e) {
      return Optional.of(e.getMessage() == null ? e.toString() : e.getMessage());
    }
  }

  /**
   * Tries a way on pages of this process: whether the kernel has it, whatever the other process is.
   *
   * @return why it is not possible, a sentence; empty if it is
   */
  public static Optional<String> obstacleOfKernel(Kind kind) {
    try {
      return switch (kind) {
        case USERFAULTFD -> userfaultfd();
        case SOFT_DIRTY -> softDirty();
        case COMPARE -> Optional.empty();
      };
    } catch (IOException e) {
      return Optional.of(e.getMessage() == null ? e.toString() : e.getMessage());
    }
  }

  private static Optional<String> userfaultfd() throws IOException {
    if (Processor.HERE == Processor.OTHER) {
      return Optional.of("userfaultfd needs an x86-64 or aarch64 processor here.");
    }
    try (OwnPages pages = new OwnPages();
        var tracker = new UserfaultTracker(List.of(pages.range()), ownUserfault())) {
      return pages.isFoundBy(tracker)
          ? Optional.empty()
          : Optional.of(
              "the kernel %s did not find a write with userfaultfd."
                  .formatted(System.getProperty("os.version")));
    }
  }

  private static Optional<String> userfaultfd(List<SharedRange> ranges) throws IOException {
    Optional<String> impossible =
        unaligned(ranges, NativeMemory.hostPage()).or(() -> obstacleOfKernel(Kind.USERFAULTFD));
    if (impossible.isPresent()) {
      return impossible;
    }
    long pid = ranges.getFirst().pid();
    // Both need the permissions that are needed later, and change nothing.
    try (var _ = Descriptor.openForReading("/proc/" + pid + "/pagemap");
        var _ = Descriptor.take(pid, anyDescriptor(pid))) {
      return Permission.traced(pid);
    } catch (SystemCallException e) {
      return Optional.of(Permission.explain(pid, e));
    }
  }

  /** The kernel protects whole pages, of which it says once that they were written. */
  static Optional<String> unaligned(List<SharedRange> ranges, int hostPage) {
    return ranges.stream()
        .filter(range -> (range.address() | range.length()) % hostPage != 0)
        .findFirst()
        .map(range ->
            "%s of process %d begins or ends within a page of the kernel (%s), which userfaultfd cannot"
                    .formatted(Legible.of(range.name(), 200), range.pid(), Format.bytes(hostPage))
                + " watch.");
  }

  private static Descriptor ownUserfault() throws IOException {
    try {
      return Descriptor.of(SystemCall.USERFAULTFD.call(UserfaultInjection.FLAGS));
    } catch (SystemCallException e) {
      throw new IOException(
          "%s in this process; its kernel has no userfaultfd, or its container forbids it."
              .formatted(e.getMessage()),
          e);
    }
  }

  /** A descriptor to duplicate, which needs the permission that tracing needs. */
  private static int anyDescriptor(long pid) throws IOException {
    try {
      return Folder.entries(Path.of("/proc/" + pid + "/fd")).stream()
          .min(Comparator.comparing(WriteTrackers::isOfAFile))
          .map(descriptor -> Integer.parseInt(descriptor.getFileName().toString()))
          .orElse(0);
    } catch (IOException | NumberFormatException e) {
      throw new IOException(
          "the descriptors of process %d cannot be read; run Wridscope as the same user or as root."
              .formatted(pid),
          e);
    }
  }

  /** Closing a duplicate of a file releases locks, but only of this process. */
  private static boolean isOfAFile(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().startsWith("/");
    } catch (IOException e) {
      return true;
    }
  }

  private static Optional<String> softDirty() throws IOException {
    return hasSoftDirtyBits()
        ? Optional.empty()
        : Optional.of(
            "the kernel %s has no soft-dirty bits (CONFIG_MEM_SOFT_DIRTY)."
                .formatted(System.getProperty("os.version")));
  }

  private static Optional<String> softDirty(List<SharedRange> ranges) throws IOException {
    Optional<String> impossible = softDirty();
    if (impossible.isPresent()) {
      return impossible;
    }
    // Opens what it needs of the other process, and changes nothing before it starts.
    new SoftDirtyTracker(ranges).close();
    long swaps = swaps();
    for (SharedRange range : ranges) {
      Optional<String> obstacle = reclaimed(range.name(), fileSystem(range), swaps);
      if (obstacle.isPresent()) {
        return obstacle;
      }
    }
    return Optional.empty();
  }

  /** Tried once: clearing the bits passes over all memory of this process, guests included. */
  private static synchronized boolean hasSoftDirtyBits() throws IOException {
    Boolean known = softDirtyBits;
    if (known == null) {
      try (OwnPages pages = new OwnPages();
          var tracker = new SoftDirtyTracker(List.of(pages.range()))) {
        known = pages.isFoundBy(tracker);
        softDirtyBits = known;
      }
    }
    return known;
  }

  /**
   * Whether memory is of a kind that the kernel takes back, which loses its bits.
   *
   * @param fileSystem type of the file's file system
   * @param swaps number of swap areas
   */
  static Optional<String> reclaimed(String name, String fileSystem, long swaps) {
    return switch (fileSystem) {
      case "hugetlbfs" -> Optional.empty();
      case "tmpfs" ->
          swaps == 0
              ? Optional.empty()
              : Optional.of(
                  "soft-dirty bits are lost when memory is swapped out; switch swap off (swapoff"
                      + " -a) or use another way.");
      default ->
          Optional.of(
              "soft-dirty bits are lost when the kernel writes %s (%s) to its disk; use a file in"
                      .formatted(Legible.of(name, 200), Legible.of(fileSystem, 40))
                  + " /dev/shm for RAM, or another way.");
    };
  }

  private static String fileSystem(SharedRange range) throws IOException {
    if (range.isMemoryFile()) {
      return "tmpfs";
    }
    try {
      FileStore store = Files.getFileStore(Path.of(range.path()));
      return store.type();
    } catch (IOException | InvalidPathException e) {
      return "unknown";
    }
  }

  /** Lines of the list after its heading; a kernel without swap has no list. */
  private static long swaps() {
    try {
      return Files.readString(SWAPS, StandardCharsets.ISO_8859_1).lines().skip(1).count();
    } catch (IOException e) {
      return 0;
    }
  }

  static Optional<String> compare(long needed, long available) {
    return needed <= available
        ? Optional.empty()
        : Optional.of(
            "a copy of the memory needs %s, and %s are free; end other programs or use another way."
                .formatted(Format.bytes(needed), Format.bytes(available)));
  }
}

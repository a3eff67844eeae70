// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.GuestException;
import org.wridscope.memory.NativeMemory;
import org.wridscope.process.ProcessMaps;
import org.wridscope.process.SharedRange;
import org.wridscope.qmp.MemoryBackend;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.stream.BlockListing;
import org.wridscope.text.Format;

/**
 * The RAM blocks of a QEMU in this process: those that QEMU shares are mapped, and the others,
 * which pass through its migration stream, get memory of this process.
 */
final class QemuRam implements AutoCloseable {
  /** A QEMU has small memories besides RAM, such as that of a graphics adapter. */
  private static final long MAX_OWN = 4L << 30;

  private final List<BlockListing> listings;
  private final @Nullable SharedRange[] ranges;
  private final NativeMemory[] memories;
  private final List<Integer> shared = new ArrayList<>();

  private QemuRam(
      List<BlockListing> listings, @Nullable SharedRange[] ranges, NativeMemory[] memories) {
    this.listings = listings;
    this.ranges = ranges;
    this.memories = memories;
    for (int block = 0; block < ranges.length; block++) {
      if (ranges[block] != null) {
        shared.add(block);
      }
    }
  }

  /**
   * Maps what QEMU shares.
   *
   * @param listings all RAM blocks, in the order of the stream
   * @throws GuestException if a memory back end is not shared or cannot be mapped; it says what
   *     would make it possible
   */
  static QemuRam of(QemuProcess process, QemuMonitor monitor, List<BlockListing> listings)
      throws IOException {
    @Nullable SharedRange[] ranges = new SharedRange[listings.size()];
    var finder = new Finder(process, monitor);
    for (int block = 0; block < ranges.length; block++) {
      MemoryBackend backend = finder.backendOf(listings.get(block));
      if (backend != null) {
        ranges[block] = finder.rangeOf(backend, listings.get(block));
      }
    }
    finder.requireAllFound();
    return map(listings, ranges);
  }

  /**
   * Checks that every memory back end is shared.
   *
   * @throws GuestException that says what would make it possible
   */
  static void requireShared(QemuProcess process, QemuMonitor monitor) throws IOException {
    for (MemoryBackend backend : Ask.query(monitor::memoryBackends)) {
      if (!backend.share()) {
        throw notShared(process, backend);
      }
    }
  }

  private static GuestException notShared(QemuProcess process, MemoryBackend backend) {
    return new GuestException(
        "The RAM of %s in the memory back end %s is not shared with other processes; start QEMU with -object memory-backend-file,id=ram0,size=%dM,mem-path=/dev/shm/ram0,share=on -machine memory-backend=ram0."
            .formatted(process, backend.id(), backend.size() >> 20));
  }

  private static QemuRam map(List<BlockListing> listings, @Nullable SharedRange[] ranges)
      throws IOException {
    long own = 0;
    for (int block = 0; block < ranges.length; block++) {
      own += ranges[block] == null ? listings.get(block).length() : 0;
    }
    if (own > MAX_OWN) {
      throw new GuestException(
          "QEMU has %s of memory that is in no memory back end, and at most %s can pass through its device states; see -object memory-backend-file."
              .formatted(Format.bytes(own), Format.bytes(MAX_OWN)));
    }
    var memories = new ArrayList<NativeMemory>();
    try {
      for (int block = 0; block < ranges.length; block++) {
        SharedRange range = ranges[block];
        memories.add(
            range == null ? NativeMemory.allocate(listings.get(block).length()) : range.map());
      }
    } catch (IOException e) {
      memories.forEach(NativeMemory::close);
      throw new GuestException(Finder.sentence(e), e);
    } catch (RuntimeException | Error e) {
      memories.forEach(NativeMemory::close);
      throw e;
    }
    return new QemuRam(listings, ranges, memories.toArray(NativeMemory[]::new));
  }

  /** The blocks, in the order of the stream. */
  List<BlockListing> listings() {
    return listings;
  }

  /** Indices of the blocks that are shared with QEMU, ascending. */
  List<Integer> shared() {
    return shared;
  }

  boolean isShared(int block) {
    return ranges[block] != null;
  }

  /** Where QEMU has its shared blocks, in the order of {@link #shared}. */
  List<SharedRange> ranges() {
    return shared.stream().map(this::range).toList();
  }

  private SharedRange range(int block) {
    SharedRange range = ranges[block];
    if (range == null) {
      throw new IllegalArgumentException("block " + block + " is not shared");
    }
    return range;
  }

  /** The memory of a block in this process; QEMU's own if it is shared. */
  NativeMemory memory(int block) {
    return memories[block];
  }

  @Override
  public void close() {
    for (NativeMemory memory : memories) {
      memory.close();
    }
  }

  /** Finds the memory back end of a RAM block, and what it has mapped. */
  private static final class Finder {
    private final QemuProcess process;
    private final QemuMonitor monitor;
    private final Map<String, MemoryBackend> byBlock = new HashMap<>();
    private final List<SharedRange> unused;
    private final Set<String> found = new HashSet<>();
    private @Nullable HostAddresses addresses;

    Finder(QemuProcess process, QemuMonitor monitor) throws IOException {
      this.process = process;
      this.monitor = monitor;
      for (MemoryBackend backend : Ask.query(monitor::memoryBackends)) {
        // The name of the block is either, depending on the machine type (hostmem.c,
        // host_memory_backend_get_name).
        byBlock.put(backend.id(), backend);
        byBlock.put("/objects/" + backend.id(), backend);
      }
      try {
        unused = new ArrayList<>(ProcessMaps.read(process.pid()).shared());
      } catch (IOException e) {
        throw new GuestException(sentence(e), e);
      }
    }

    private static String sentence(IOException e) {
      return Format.capitalized(String.valueOf(e.getMessage()));
    }

    /** Null for a block that no memory back end has. */
    @Nullable MemoryBackend backendOf(BlockListing listing) {
      MemoryBackend backend = byBlock.get(listing.name());
      if (backend == null) {
        // The path of a device may come first.
        backend = byBlock.get(listing.name().substring(listing.name().lastIndexOf('/') + 1));
        if (backend != null && backend.size() != listing.length()) {
          backend = null;
        }
      }
      return backend;
    }

    /** What QEMU has mapped for a memory back end. */
    SharedRange rangeOf(MemoryBackend backend, BlockListing listing) throws IOException {
      if (!backend.share()) {
        throw notShared(process, backend);
      }
      if (backend.size() != listing.length()) {
        throw new GuestException(
            "The RAM block %s has %s, and its memory back end in %s has %s; start both machines with the same RAM."
                .formatted(
                    listing.name(),
                    Format.exactBytes(listing.length()),
                    process,
                    Format.exactBytes(backend.size())));
      }
      List<SharedRange> candidates =
          unused.stream()
              .filter(range -> range.length() >= backend.size() && isNamed(range, backend))
              .toList();
      SharedRange range =
          candidates.size() == 1 ? candidates.getFirst() : byAddress(backend, listing, candidates);
      found.add(backend.id());
      unused.remove(range);
      return range.part(0, backend.size());
    }

    /** Whether a mapping may be that of a memory back end. */
    private static boolean isNamed(SharedRange range, MemoryBackend backend) {
      String name = range.name();
      Path file = backend.memPath();
      if (file == null) {
        return name.startsWith("/memfd:") || name.startsWith("/dev/shm/");
      }
      String path = name.replaceFirst(" \\(deleted\\)$", "");
      if (Files.isDirectory(file)) {
        // QEMU creates a file there and deletes its name (physmem.c, file_ram_open).
        return path.contains("qemu_back_mem.");
      }
      Path real = file;
      try {
        real = file.toRealPath();
      } catch (IOException e) {
        // It was deleted, or is in another mount namespace.
      }
      return path.equals(real.toString()) || path.equals(file.toString());
    }

    private SharedRange byAddress(
        MemoryBackend backend, BlockListing listing, List<SharedRange> candidates)
        throws IOException {
      if (!candidates.isEmpty()) {
        HostAddresses known = addresses;
        if (known == null) {
          known = new HostAddresses(monitor);
          addresses = known;
        }
        OptionalLong address = known.of(listing.name());
        for (SharedRange range : candidates) {
          if (address.isPresent() && range.address() == address.getAsLong()) {
            return range;
          }
        }
      }
      throw new GuestException(
          "The memory of %s in the back end %s %s; give each back end a file of its own with mem-path, in /dev/shm."
              .formatted(
                  process,
                  backend.id(),
                  candidates.isEmpty()
                      ? "was not found among what it has mapped"
                      : "cannot be told from others of the same length"));
    }

    void requireAllFound() throws GuestException {
      if (found.isEmpty()) {
        throw new GuestException(
            "No RAM of %s is in a memory back end that is shared with other processes; start QEMU with -object memory-backend-file,id=ram0,size=SIZE,mem-path=/dev/shm/ram0,share=on -machine memory-backend=ram0."
                .formatted(process));
      }
    }
  }
}

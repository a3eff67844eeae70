// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.wridscope.files.Folder;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.RamBlock;
import org.wridscope.process.ProcessMaps.FileId;
import org.wridscope.process.ProcessMaps.Mapping;
import org.wridscope.text.Format;
import org.wridscope.text.Legible;

/**
 * A range of addresses in which another process has mapped a file shared and writable.
 *
 * @param address of the first byte in that process
 * @param length in bytes, a positive multiple of {@value RamBlock#PAGE_SIZE}, as are the other two
 * @param offset of the first byte in the file
 * @param name of the file in the list of mappings
 */
public record SharedRange(
    long pid, long address, long length, long offset, FileId file, String name) {

  public SharedRange {
    if (address <= 0
        || length <= 0
        || offset < 0
        || address > Long.MAX_VALUE - length
        || offset > Long.MAX_VALUE - length
        || (address | length | offset) % RamBlock.PAGE_SIZE != 0) {
      throw new IllegalArgumentException(
          "address %s, offset %d and length %d are not of pages"
              .formatted(Format.address(address), offset, length));
    }
  }

  /** Address of the first byte after the range. */
  public long end() {
    return address + length;
  }

  /** Pages of {@value RamBlock#PAGE_SIZE} bytes. */
  public long pages() {
    return length / RamBlock.PAGE_SIZE;
  }

  /**
   * A part of it.
   *
   * @param from bytes from its start, a multiple of {@value RamBlock#PAGE_SIZE}
   * @param bytes a positive multiple of {@value RamBlock#PAGE_SIZE}
   */
  public SharedRange part(long from, long bytes) {
    if (from < 0 || bytes <= 0 || from > length - bytes) {
      throw new IndexOutOfBoundsException(
          "bytes %d to %d are not in a range of %d bytes".formatted(from, from + bytes, length));
    }
    return new SharedRange(pid, address + from, bytes, offset + from, file, name);
  }

  /** Whether another range goes on where this one ends, in the process and in the file. */
  boolean continuesIn(SharedRange next) {
    return file.equals(next.file)
        && name.equals(next.name)
        && end() == next.address
        && offset + length == next.offset;
  }

  /** Whether the bytes of another range are in this one, in the process and in the file. */
  boolean contains(SharedRange other) {
    return file.equals(other.file)
        && address <= other.address
        && other.end() <= end()
        && other.address - address == other.offset - offset;
  }

  /** Whether it is of a file in memory that has no path, see memfd_create(2). */
  boolean isMemoryFile() {
    return name.startsWith(ProcessMaps.MEMFD);
  }

  /** Path of the file as the kernel names it. A newline is the only character that it escapes. */
  String path() {
    return name.replace("\\012", "\n");
  }

  /**
   * Maps the same bytes into this process, shared. Whether they are the same is checked after that
   * in both lists of mappings, since another file may have come to the path.
   *
   * @throws IOException if the file cannot be opened; one sentence
   */
  public NativeMemory map() throws IOException {
    List<String> refused = new ArrayList<>();
    for (Path candidate : candidates()) {
      try {
        Optional<NativeMemory> mapped = map(candidate);
        if (mapped.isPresent()) {
          return mapped.get();
        }
      } catch (IOException e) {
        refused.add(e.getMessage());
      }
    }
    throw new IOException(
        "the memory of process %d in %s cannot be mapped%s; run Wridscope as the same user or as"
                .formatted(
                    pid,
                    Legible.of(name),
                    refused.isEmpty() ? "" : " (" + Legible.of(refused.getFirst()) + ")")
            + " root.");
  }

  /** Its path, the process's mapping, and the process's descriptors of a file of this name. */
  private List<Path> candidates() throws IOException {
    List<Path> candidates = new ArrayList<>();
    if (name.startsWith("/")) {
      try {
        candidates.add(Path.of(path()));
      } catch (InvalidPathException e) {
        // The name has bytes that no path of this locale has; the descriptor remains.
      }
    }
    Path process = Path.of("/proc", Long.toString(pid));
    try {
      Folder.entries(process.resolve("fd")).stream()
          .filter(this::linksToFile)
          .limit(8)
          .forEach(candidates::add);
    } catch (IOException e) {
      // Only the same user and root may list them.
    }
    ProcessMaps.read(pid)
        .at(address)
        .map(mapping -> "%x-%x".formatted(mapping.start(), mapping.end()))
        .ifPresent(bounds -> candidates.add(process.resolve("map_files").resolve(bounds)));
    return candidates;
  }

  private boolean linksToFile(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().equals(path());
    } catch (IOException e) {
      return false;
    }
  }

  /** Maps a file if it is the one; empty if it is another. */
  private Optional<NativeMemory> map(Path candidate) throws IOException {
    // Opening a FIFO would wait for its other end.
    if (!Files.isRegularFile(candidate)) {
      return Optional.empty();
    }
    Optional<NativeMemory> mapped;
    // Another file may come to the path at any time, so it is looked up once.
    try (Descriptor file = Descriptor.openForReading(candidate.toString());
        FileChannel channel =
            FileChannel.open(file.path(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      mapped = NativeMemory.mapPages(channel, file.path(), offset, length);
    }
    try {
      if (mapped.isPresent() && isSame(mapped.get())) {
        return mapped;
      }
    } catch (IOException | RuntimeException e) {
      mapped.ifPresent(NativeMemory::close);
      throw e;
    }
    mapped.ifPresent(NativeMemory::close);
    return Optional.empty();
  }

  /**
   * Opens its file for reading.
   *
   * @return empty if this process cannot
   */
  Optional<Descriptor> open() throws IOException {
    for (Path candidate : candidates()) {
      try {
        Optional<Descriptor> opened = open(candidate);
        if (opened.isPresent()) {
          return opened;
        }
      } catch (IOException e) {
        // Another path to it remains.
      }
    }
    return Optional.empty();
  }

  private Optional<Descriptor> open(Path candidate) throws IOException {
    if (!Files.isRegularFile(candidate)) {
      return Optional.empty();
    }
    Descriptor opened = Descriptor.openForReading(candidate.toString());
    try {
      Optional<NativeMemory> mapped = map(opened.path());
      if (mapped.isPresent()) {
        mapped.get().close();
        return Optional.of(opened);
      }
    } catch (IOException | RuntimeException e) {
      opened.close();
      throw e;
    }
    opened.close();
    return Optional.empty();
  }

  private boolean isSame(NativeMemory memory) throws IOException {
    long here = memory.segment().address();
    Optional<Mapping> mapping = ProcessMaps.read(ProcessHandle.current().pid()).at(here);
    return mapping.isPresent()
        && mapping.get().file().equals(file)
        && here - mapping.get().start() + mapping.get().offset() == offset;
  }
}

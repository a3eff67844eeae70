// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** The memory mappings of this process, see proc_pid_maps(5). */
public final class Mappings {
  private Mappings() {}

  /** Lines for mappings of a file, which may have been deleted. */
  public static List<String> ofFile(Path file) throws IOException {
    Path directory = Objects.requireNonNull(file.toAbsolutePath().getParent());
    String name = directory.toRealPath().resolve(file.getFileName()).toString();
    try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.filter(line -> line.contains(name)).toList();
    }
  }

  /** Number of mapped bytes from an address on. */
  static long overlapping(long address, long length) throws IOException {
    long mapped = 0;
    for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
      mapped += overlap(line, address, length);
    }
    return mapped;
  }

  /**
   * Bytes of anonymous memory that exist. The resident bytes in smaps are those of a whole mapping,
   * which may have been joined with another one of the virtual machine.
   */
  static long resident(MemorySegment memory) {
    Holes holes = new AnonymousHoles(memory);
    long resident = 0;
    for (long at = 0; at < memory.byteSize(); at += RamBlock.PAGE_SIZE) {
      boolean hole = holes.nextData(at, at + RamBlock.PAGE_SIZE) > at;
      resident += hole ? 0 : RamBlock.PAGE_SIZE;
    }
    return resident;
  }

  private static long overlap(String line, long address, long length) {
    String[] range = line.split(" ", 2)[0].split("-", 2);
    long from = Long.parseUnsignedLong(range[0], 16);
    long to = Long.parseUnsignedLong(range[1], 16);
    return Math.max(0, Math.min(to, address + length) - Math.max(from, address));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The holes of a mapped file, by SEEK_DATA of lseek(2). In tmpfs and memfd a page that is swapped
 * out is data (mapping_seek_hole_data in mm/filemap.c), and in ext4 one that was written through a
 * mapping is so at once (ext4_page_mkwrite reserves its block before the write). No other file
 * system is asked: FUSE, for example, does not know of such writes.
 */
final class FileHoles implements Holes, AutoCloseable {
  private static final long TMPFS = 0x01021994;
  private static final long EXT4 = 0xef53;

  private static final int CLOSED = -1;

  private final long offset;
  private int descriptor;

  private FileHoles(int descriptor, long offset) {
    this.descriptor = descriptor;
    this.offset = offset;
  }

  /**
   * Opens a file; nothing is known of one that cannot be opened.
   *
   * @param offset in the file where the memory begins
   */
  static FileHoles of(Path file, long offset) {
    try {
      return of(LinuxMemory.open(file), offset);
    } catch (IOException e) {
      return new FileHoles(CLOSED, offset);
    }
  }

  /** Of an open file, which is owned. */
  static FileHoles of(int descriptor, long offset) {
    long type = LinuxMemory.fileSystem(descriptor);
    if (type == TMPFS || type == EXT4) {
      return new FileHoles(descriptor, offset);
    }
    LinuxMemory.close(descriptor);
    return new FileHoles(CLOSED, offset);
  }

  /** Nothing is known after {@link #close}, when another file may have the descriptor's number. */
  @Override
  public synchronized long nextData(long from, long end) {
    if (descriptor == CLOSED) {
      return from;
    }
    long found = LinuxMemory.seekData(descriptor, offset + from);
    if (found == LinuxMemory.NO_DATA) {
      // Memory after the end of a file that was truncated is no hole: it cannot be accessed.
      return LinuxMemory.length(descriptor) < offset + end ? from : end;
    }
    return Math.clamp((found - offset) & -RamBlock.PAGE_SIZE, from, end);
  }

  @Override
  public synchronized void close() {
    if (descriptor != CLOSED) {
      LinuxMemory.close(descriptor);
      descriptor = CLOSED;
    }
  }
}

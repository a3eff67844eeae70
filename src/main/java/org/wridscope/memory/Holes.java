// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.util.OptionalLong;

/**
 * Tells which pages of a memory do not exist: they are zero, and reading them through a mapping
 * would take time and, in a file in memory, allocate them.
 *
 * <p>An answer holds for the moment of the call, as what is read does: a caller has to find later
 * writes in the same way as after reading. It may be asked by any thread.
 */
@FunctionalInterface
public interface Holes {
  /** Of memory of which nothing is known: it has to be read. */
  Holes UNKNOWN = (from, _) -> from;

  /**
   * Whether SEEK_DATA and SEEK_HOLE of lseek(2) tell which pages of a file exist, also when they
   * were written through a mapping.
   *
   * @param fileSystem its type, as statfs(2) tells it
   */
  static boolean areToldBy(long fileSystem) {
    return FileHoles.SEEKABLE.contains(fileSystem);
  }

  /**
   * The first page in {@code [from, end)} that exists or of which it is not known.
   *
   * @param from offset in the memory, a whole number of pages, as is {@code end}, which is more
   * @return its offset, or {@code end} if there is none
   */
  long nextData(long from, long end);

  /**
   * Bytes of the pages that exist; empty if that is not known.
   *
   * @param length of the memory, all of which is asked about, in bytes
   */
  default OptionalLong existing(long length) {
    return OptionalLong.empty();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The page tables of memory that a device is about to write to. The driver of a real device fills
 * them when memory is registered, for it pins the memory; a software device that did so would take
 * all memory of a guest that is mostly empty.
 */
final class PageTables {
  private static final int PAGE = 4096;

  /** For fewer pages a call costs more than the faults. */
  private static final int MIN_BYTES = 16 * PAGE;

  /** Since Linux 5.14, with the same number on every processor. */
  private static final int MADV_POPULATE_WRITE = 23;

  @SuppressWarnings("restricted")
  private static final MethodHandle MADVISE =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("madvise"),
              FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));

  private PageTables() {}

  /**
   * Fills them for the whole pages of a range in one call, which takes half the time of a fault for
   * each page. Its contents stay. Without effect where the kernel cannot; then each page faults.
   *
   * @throws IllegalStateException if the memory was freed
   */
  static void populate(MemorySegment memory, long offset, long length) {
    long first = -(memory.address() + offset) & (PAGE - 1);
    long bytes = (length - first) / PAGE * PAGE;
    if (bytes < MIN_BYTES) {
      return;
    }
    try {
      var _ =
          (int)
              MADVISE.invokeExact(
                  memory.asSlice(offset + first, bytes), bytes, MADV_POPULATE_WRITE);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * A large address range that maps the same few pages repeatedly. To the device its region is as
 * large as any other, but it takes little memory and no time to fill.
 */
@SuppressWarnings("restricted")
final class RepeatedMemory implements AutoCloseable {
  private static final int PROT_READ_WRITE = 3;
  private static final int MAP_SHARED = 1;
  private static final int MAP_FIXED = 0x10;
  private static final int MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x4022;

  private static final MethodHandle MMAP =
      function(
          "mmap",
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
  private static final MethodHandle MUNMAP =
      function("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle MEMFD_CREATE =
      function("memfd_create", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));
  private static final MethodHandle FTRUNCATE =
      function("ftruncate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
  private static final MethodHandle CLOSE =
      function("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

  private final long address;
  private final long length;

  /**
   * @param length a multiple of {@code period}
   * @param period bytes until the memory repeats, a multiple of the page size
   */
  RepeatedMemory(long length, long period) throws IOException {
    this.length = length;
    try (var arena = Arena.ofConfined()) {
      int file = (int) MEMFD_CREATE.invokeExact(arena.allocateFrom("repeated").address(), 0);
      check(file);
      check((int) FTRUNCATE.invokeExact(file, period));
      address =
          (long)
              MMAP.invokeExact(
                  0L, length, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0L);
      check(address);
      for (long at = 0; at < length; at += period) {
        check(
            (long)
                MMAP.invokeExact(
                    address + at, period, PROT_READ_WRITE, MAP_SHARED | MAP_FIXED, file, 0L));
      }
      check((int) CLOSE.invokeExact(file));
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static MethodHandle function(String name, FunctionDescriptor descriptor) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
  }

  private static void check(long result) throws IOException {
    if (result == -1) {
      throw new IOException("the memory could not be mapped");
    }
  }

  MemorySegment segment() {
    return MemorySegment.ofAddress(address).reinterpret(length);
  }

  @Override
  public void close() throws IOException {
    try {
      check((int) MUNMAP.invokeExact(address, length));
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}

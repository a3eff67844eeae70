// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma.ffm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;

/** Reads and writes memory at addresses from native libraries. A wrong one crashes the process. */
public final class Memory {
  @SuppressWarnings("restricted")
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private Memory() {}

  public static long getLong(long address) {
    return ALL.get(JAVA_LONG_UNALIGNED, address);
  }

  public static int getInt(long address) {
    return ALL.get(JAVA_INT_UNALIGNED, address);
  }

  /** 0 to 65535. */
  public static int getUnsignedShort(long address) {
    return Short.toUnsignedInt(ALL.get(JAVA_SHORT_UNALIGNED, address));
  }

  /** 0 to 255. */
  public static int getUnsignedByte(long address) {
    return Byte.toUnsignedInt(ALL.get(JAVA_BYTE, address));
  }

  public static void putLong(long address, long value) {
    ALL.set(JAVA_LONG_UNALIGNED, address, value);
  }

  public static void putInt(long address, int value) {
    ALL.set(JAVA_INT_UNALIGNED, address, value);
  }

  public static void putByte(long address, byte value) {
    ALL.set(JAVA_BYTE, address, value);
  }

  public static byte[] getBytes(long address, int length) {
    return ALL.asSlice(address, length).toArray(JAVA_BYTE);
  }

  /** A zero-terminated string of at most {@code limit} bytes. */
  public static String getString(long address, int limit) {
    return ALL.asSlice(address, limit).getString(0);
  }
}

// SPDX-License-Identifier: Apache-2.0
package com.ibm.disni.util;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Stands in for DiSNI's class of this name, which asks a JDK internal that is closed by now. */
public class MemoryUtils {
  private MemoryUtils() {}

  /** The address of a direct buffer's first byte, wherever its position is. */
  public static long getAddress(ByteBuffer buffer) {
    return MemorySegment.ofBuffer(buffer.duplicate().clear()).address();
  }
}

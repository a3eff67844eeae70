// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.common;

import java.lang.foreign.MemorySegment;
import org.wridscope.time.Time;
import org.wridscope.verbs.MemoryRegion;

/** A memory region with its memory, which stays reachable as long as the device may access it. */
public abstract class KeyedRegion implements MemoryRegion {
  protected final MemorySegment memory;
  private final long address;
  private final int localKey;
  private final int remoteKey;

  protected KeyedRegion(MemorySegment memory, int localKey, int remoteKey) {
    this.memory = memory;
    address = Time.address(memory);
    this.localKey = localKey;
    this.remoteKey = remoteKey;
  }

  @Override
  public final long address() {
    return address;
  }

  @Override
  public final long length() {
    return memory.byteSize();
  }

  @Override
  public final int localKey() {
    return localKey;
  }

  @Override
  public final int remoteKey() {
    return remoteKey;
  }
}

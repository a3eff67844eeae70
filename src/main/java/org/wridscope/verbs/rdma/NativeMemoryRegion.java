// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.lang.foreign.MemorySegment;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.rdma.ffm.Ibverbs;
import org.wridscope.verbs.rdma.ffm.Memory;
import org.wridscope.verbs.rdma.ffm.NativeCallException;
import org.wridscope.verbs.rdma.ffm.Struct;

/** Memory registered with an RDMA device. */
final class NativeMemoryRegion implements MemoryRegion {
  private final NativeProtectionDomain domain;

  /** Kept reachable as long as the device may access it. */
  private final MemorySegment memory;

  private final long region;
  private final int localKey;
  private final int remoteKey;
  private boolean closed;

  NativeMemoryRegion(NativeProtectionDomain domain, MemorySegment memory, long region) {
    this.domain = domain;
    this.memory = memory;
    this.region = region;
    localKey = Memory.getInt(region + Struct.MemoryRegion.LKEY);
    remoteKey = Memory.getInt(region + Struct.MemoryRegion.RKEY);
    LayoutCheck.expect(
        "ibv_mr.addr", memory.address(), Memory.getLong(region + Struct.MemoryRegion.ADDR));
    LayoutCheck.expect(
        "ibv_mr.length", memory.byteSize(), Memory.getLong(region + Struct.MemoryRegion.LENGTH));
  }

  @Override
  public long address() {
    return memory.address();
  }

  @Override
  public long length() {
    return memory.byteSize();
  }

  @Override
  public int localKey() {
    return localKey;
  }

  @Override
  public int remoteKey() {
    return remoteKey;
  }

  @Override
  public synchronized void close() throws VerbsException {
    if (closed) {
      return;
    }
    try {
      Ibverbs.DEREG_MR.call(region);
    } catch (NativeCallException e) {
      throw Installation.failed("deregistering memory", e);
    }
    closed = true;
    domain.release();
  }
}

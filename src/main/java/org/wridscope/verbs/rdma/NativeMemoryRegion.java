// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.lang.foreign.MemorySegment;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.KeyedRegion;
import org.wridscope.verbs.rdma.ffm.Ibverbs;
import org.wridscope.verbs.rdma.ffm.Memory;
import org.wridscope.verbs.rdma.ffm.NativeCallException;
import org.wridscope.verbs.rdma.ffm.Struct;

/** Memory registered with an RDMA device. */
final class NativeMemoryRegion extends KeyedRegion {
  private final NativeProtectionDomain domain;

  private final long region;
  private boolean closed;

  NativeMemoryRegion(NativeProtectionDomain domain, MemorySegment memory, long region) {
    super(
        memory,
        Memory.getInt(region + Struct.MemoryRegion.LKEY),
        Memory.getInt(region + Struct.MemoryRegion.RKEY));
    this.domain = domain;
    this.region = region;
    LayoutCheck.expect(
        "ibv_mr.addr", memory.address(), Memory.getLong(region + Struct.MemoryRegion.ADDR));
    LayoutCheck.expect(
        "ibv_mr.length", memory.byteSize(), Memory.getLong(region + Struct.MemoryRegion.LENGTH));
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

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.wridscope.verbs.ReceiveRequest;
import org.wridscope.verbs.SendFlagNames;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.WorkRequest;
import org.wridscope.verbs.rdma.ffm.Memory;
import org.wridscope.verbs.rdma.ffm.Struct;

/**
 * A work request with one scatter/gather element in native memory. It is reused for each post,
 * since the device's driver has copied it when the post returns. DiSNI's own requests cannot be
 * reused like this: a send is bound to one operation, a receive to one piece of memory.
 */
final class NativeWorkRequest {
  private final MemorySegment memory;
  private final long address;
  private final long element;

  private NativeWorkRequest(int size, int elements, int elementCount) {
    memory = Arena.ofAuto().allocate(size + Struct.ScatterGatherElement.SIZE, Long.BYTES);
    address = memory.address();
    element = address + size;
    Memory.putLong(address + elements, element);
    Memory.putInt(address + elementCount, 1);
  }

  static NativeWorkRequest forSending() {
    return new NativeWorkRequest(
        Struct.SendRequest.SIZE, Struct.SendRequest.SG_LIST, Struct.SendRequest.NUM_SGE);
  }

  static NativeWorkRequest forReceiving() {
    return new NativeWorkRequest(
        Struct.ReceiveRequest.SIZE, Struct.ReceiveRequest.SG_LIST, Struct.ReceiveRequest.NUM_SGE);
  }

  /** The native address, valid as long as this object is reachable. */
  long address() {
    return address;
  }

  void fill(SendRequest request) {
    Memory.putLong(address + Struct.SendRequest.WR_ID, request.workRequestId());
    Memory.putInt(address + Struct.SendRequest.OPCODE, request.opcode().value());
    Memory.putInt(
        address + Struct.SendRequest.SEND_FLAGS, request.signaled() ? SendFlagNames.SIGNALED : 0);
    Memory.putLong(address + Struct.SendRequest.REMOTE_ADDR, request.remoteAddress());
    Memory.putInt(address + Struct.SendRequest.RKEY, request.remoteKey());
    fillElement(request);
  }

  void fill(ReceiveRequest request) {
    Memory.putLong(address + Struct.ReceiveRequest.WR_ID, request.workRequestId());
    fillElement(request);
  }

  private void fillElement(WorkRequest request) {
    Memory.putLong(element + Struct.ScatterGatherElement.ADDR, request.address());
    Memory.putInt(element + Struct.ScatterGatherElement.LENGTH, request.length());
    Memory.putInt(element + Struct.ScatterGatherElement.LKEY, request.localKey());
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.wridscope.verbs.ReceiveRequest;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.rdma.ffm.Memory;
import org.wridscope.verbs.rdma.ffm.Struct;

/**
 * A work request with one element in native memory, filled again for each post: the device's driver
 * has copied it when the post returns. DiSNI's own are bound to one operation when sending, and to
 * one piece of memory when receiving.
 */
final class WorkRequest {
  private static final int SEND_SIGNALED = 2;

  private final MemorySegment memory;
  private final long address;
  private final long element;

  private WorkRequest(int size, int elements, int elementCount) {
    memory = Arena.ofAuto().allocate(size + Struct.ScatterGatherElement.SIZE, Long.BYTES);
    address = memory.address();
    element = address + size;
    Memory.putLong(address + elements, element);
    Memory.putInt(address + elementCount, 1);
  }

  static WorkRequest forSending() {
    return new WorkRequest(
        Struct.SendRequest.SIZE, Struct.SendRequest.SG_LIST, Struct.SendRequest.NUM_SGE);
  }

  static WorkRequest forReceiving() {
    return new WorkRequest(
        Struct.ReceiveRequest.SIZE, Struct.ReceiveRequest.SG_LIST, Struct.ReceiveRequest.NUM_SGE);
  }

  /** Its address, valid for as long as this object is reachable. */
  long address() {
    return address;
  }

  void fill(SendRequest request) {
    Memory.putLong(address + Struct.SendRequest.WR_ID, request.workRequestId());
    Memory.putInt(address + Struct.SendRequest.OPCODE, request.opcode().value());
    Memory.putInt(address + Struct.SendRequest.SEND_FLAGS, request.signaled() ? SEND_SIGNALED : 0);
    Memory.putLong(address + Struct.SendRequest.REMOTE_ADDR, request.remoteAddress());
    Memory.putInt(address + Struct.SendRequest.RKEY, request.remoteKey());
    fill(request.address(), request.length(), request.localKey());
  }

  void fill(ReceiveRequest request) {
    Memory.putLong(address + Struct.ReceiveRequest.WR_ID, request.workRequestId());
    fill(request.address(), request.length(), request.localKey());
  }

  private void fill(long from, int length, int localKey) {
    Memory.putLong(element + Struct.ScatterGatherElement.ADDR, from);
    Memory.putInt(element + Struct.ScatterGatherElement.LENGTH, length);
    Memory.putInt(element + Struct.ScatterGatherElement.LKEY, localKey);
  }
}

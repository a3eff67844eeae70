// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/** A request for the receive queue with one scatter element; see {@code struct ibv_recv_wr}. */
public final class ReceiveRequest extends WorkRequest {

  /** Offers {@code length} bytes at {@code address} for one message. */
  public ReceiveRequest fill(long workRequestId, long address, int length, int localKey) {
    set(workRequestId, address, length, localKey);
    return this;
  }
}

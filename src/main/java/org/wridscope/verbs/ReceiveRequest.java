// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/** A request for the receive queue with one scatter element; see {@code struct ibv_recv_wr}. */
public final class ReceiveRequest {
  private long workRequestId;
  private long address;
  private int length;
  private int localKey;

  /** Offers {@code length} bytes at {@code address} for one message. */
  public ReceiveRequest fill(long workRequestId, long address, int length, int localKey) {
    if (length < 0) {
      throw new IllegalArgumentException("length " + length + " is negative");
    }
    this.workRequestId = workRequestId;
    this.address = address;
    this.length = length;
    this.localKey = localKey;
    return this;
  }

  public long workRequestId() {
    return workRequestId;
  }

  public long address() {
    return address;
  }

  /** Length in bytes. */
  public int length() {
    return length;
  }

  public int localKey() {
    return localKey;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/**
 * A request for the send queue with one gather element; see {@code struct ibv_send_wr}. Mutable, so
 * that posting allocates nothing: fill it, post it, fill it again.
 */
public final class SendRequest {

  /** What the request does; values of {@code enum ibv_wr_opcode}. */
  public enum Opcode {
    RDMA_WRITE(0),
    SEND(2);

    private final int value;

    Opcode(int value) {
      this.value = value;
    }

    public int value() {
      return value;
    }
  }

  private long workRequestId;
  private Opcode opcode = Opcode.SEND;
  private boolean signaled = true;
  private long address;
  private int length;
  private int localKey;
  private long remoteAddress;
  private int remoteKey;

  /** Makes this a signaled SEND of {@code length} bytes at {@code address}. */
  public SendRequest send(long workRequestId, long address, int length, int localKey) {
    return fill(workRequestId, Opcode.SEND, address, length, localKey, 0, 0);
  }

  /** Makes this a signaled RDMA WRITE of {@code length} bytes to {@code remoteAddress}. */
  public SendRequest rdmaWrite(
      long workRequestId,
      long address,
      int length,
      int localKey,
      long remoteAddress,
      int remoteKey) {
    return fill(
        workRequestId, Opcode.RDMA_WRITE, address, length, localKey, remoteAddress, remoteKey);
  }

  /** Whether success gives a completion ({@code IBV_SEND_SIGNALED}). A failure always does. */
  public SendRequest signaled(boolean signaled) {
    this.signaled = signaled;
    return this;
  }

  private SendRequest fill(
      long workRequestId,
      Opcode opcode,
      long address,
      int length,
      int localKey,
      long remoteAddress,
      int remoteKey) {
    if (length < 0) {
      throw new IllegalArgumentException("length " + length + " is negative");
    }
    this.workRequestId = workRequestId;
    this.opcode = opcode;
    this.signaled = true;
    this.address = address;
    this.length = length;
    this.localKey = localKey;
    this.remoteAddress = remoteAddress;
    this.remoteKey = remoteKey;
    return this;
  }

  public long workRequestId() {
    return workRequestId;
  }

  public Opcode opcode() {
    return opcode;
  }

  public boolean signaled() {
    return signaled;
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

  public long remoteAddress() {
    return remoteAddress;
  }

  public int remoteKey() {
    return remoteKey;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/** A request for the send queue with one gather element; see {@code struct ibv_send_wr}. */
public final class SendRequest extends WorkRequest {

  /** Operations, with the values of {@code enum ibv_wr_opcode}. */
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

  private Opcode opcode = Opcode.SEND;
  private boolean signaled = true;
  private long remoteAddress;
  private int remoteKey;

  /** Makes this a signaled SEND of {@code length} bytes at {@code address}. */
  public SendRequest send(long workRequestId, long address, int length, int localKey) {
    set(workRequestId, address, length, localKey);
    return become(Opcode.SEND, 0, 0);
  }

  /** Makes this a signaled RDMA WRITE of {@code length} bytes to {@code remoteAddress}. */
  public SendRequest rdmaWrite(
      long workRequestId,
      long address,
      int length,
      int localKey,
      long remoteAddress,
      int remoteKey) {
    set(workRequestId, address, length, localKey);
    return become(Opcode.RDMA_WRITE, remoteAddress, remoteKey);
  }

  /** Whether success causes a completion ({@code IBV_SEND_SIGNALED}); failure always does. */
  public SendRequest signaled(boolean signaled) {
    this.signaled = signaled;
    return this;
  }

  private SendRequest become(Opcode opcode, long remoteAddress, int remoteKey) {
    this.opcode = opcode;
    this.signaled = true;
    this.remoteAddress = remoteAddress;
    this.remoteKey = remoteKey;
    return this;
  }

  public Opcode opcode() {
    return opcode;
  }

  public boolean signaled() {
    return signaled;
  }

  public long remoteAddress() {
    return remoteAddress;
  }

  public int remoteKey() {
    return remoteKey;
  }
}

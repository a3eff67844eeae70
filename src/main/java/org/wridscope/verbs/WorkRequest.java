// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/**
 * A work request with one scatter/gather element; see {@code struct ibv_sge}. Mutable, so that
 * posting allocates nothing: fill it, post it, fill it again.
 */
public abstract sealed class WorkRequest permits SendRequest, ReceiveRequest {
  private long workRequestId;
  private long address;
  private int length;
  private int localKey;

  /**
   * Fills in what all requests have.
   *
   * @param length in bytes, at least 0
   */
  final void set(long workRequestId, long address, int length, int localKey) {
    if (length < 0) {
      throw new IllegalArgumentException("length " + length + " is negative");
    }
    this.workRequestId = workRequestId;
    this.address = address;
    this.length = length;
    this.localKey = localKey;
  }

  public final long workRequestId() {
    return workRequestId;
  }

  public final long address() {
    return address;
  }

  /** Length in bytes. */
  public final int length() {
    return length;
  }

  public final int localKey() {
    return localKey;
  }
}

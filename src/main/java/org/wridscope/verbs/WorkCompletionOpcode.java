// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/** The operation that completed; see {@code enum ibv_wc_opcode}. */
public enum WorkCompletionOpcode {
  SEND(0),
  RDMA_WRITE(1),
  RECEIVE(128);

  private final int value;

  WorkCompletionOpcode(int value) {
    this.value = value;
  }

  /** The value in {@code enum ibv_wc_opcode}. */
  public int value() {
    return value;
  }
}

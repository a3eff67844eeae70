// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.wridscope.protocol.WorkRequestId;

/** The operation of a work request. */
public enum RequestKind {
  WRITE("RDMA WRITE"),
  SEND("SEND"),
  RECEIVE("receive"),
  /** Only of programs that are not ours, like those after it. */
  READ("RDMA READ"),
  ATOMIC("atomic"),
  OTHER("other request");

  private final String text;

  RequestKind(String text) {
    this.text = text;
  }

  /** The operation of requests with this wrid. */
  public static RequestKind of(long wrid) {
    int type = WorkRequestId.type(wrid);
    if (type == WorkRequestId.RDMA_WRITE) {
      return WRITE;
    }
    return type >= WorkRequestId.CONTROL_RECEIVE ? RECEIVE : SEND;
  }

  /** The kind of a value of {@code enum ibv_wr_opcode}. */
  static RequestKind ofOpcode(int opcode) {
    return switch (opcode) {
      case 0, 1 -> WRITE;
      case 2, 3, 9 -> SEND;
      case 4 -> READ;
      case 5, 6 -> ATOMIC;
      default -> OTHER;
    };
  }

  /** Whether migrations have such requests. */
  public boolean ofMigrations() {
    return ordinal() <= RECEIVE.ordinal();
  }

  /** Its name in views. */
  public String text() {
    return text;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.wridscope.protocol.WorkRequestId;

/** The operation of a work request. */
public enum RequestKind {
  WRITE("RDMA WRITE"),
  SEND("SEND"),
  RECEIVE("receive");

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

  /** Its name in views. */
  public String text() {
    return text;
  }
}

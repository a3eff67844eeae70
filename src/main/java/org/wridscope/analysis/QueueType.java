// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.wridscope.protocol.WorkRequestId;

/** One of the two queues of a queue pair. */
public enum QueueType {
  SEND("send"),
  RECEIVE("receive");

  private final String text;

  QueueType(String text) {
    this.text = text;
  }

  /** {@code send} or {@code receive}. */
  public String text() {
    return text;
  }

  /**
   * The queue to which requests with this wrid are posted. If both queues share a completion queue,
   * only the wrid tells them apart.
   */
  public static QueueType of(long wrid) {
    return WorkRequestId.type(wrid) >= WorkRequestId.CONTROL_RECEIVE ? RECEIVE : SEND;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.nio.ByteBuffer;

/**
 * Two queue pairs that are connected, as packets show.
 *
 * @param number in the order of the capture, from 0
 * @param first of the two; the one that asked for the connection, if that was captured
 * @param request what the first one told when it asked, {@code rdma_conn_param.private_data}; empty
 *     if that was not captured
 * @param reply what the second one answered, likewise
 */
public record WireConnection(
    int number, Side first, Side second, ByteBuffer request, ByteBuffer reply) {

  /** What {@link #request} and {@link #reply} are if they were not captured. */
  static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  /** An end: 0 for the first, 1 for the second. */
  public Side side(int end) {
    return end == 0 ? first : second;
  }

  /**
   * The number by which the queue pair of an end is named: its own, or that of its peer if no
   * packet tells it.
   */
  public int queuePair(int end) {
    int own = side(end).queuePair();
    return own == Side.UNKNOWN ? side(1 - end).queuePair() : own;
  }
}

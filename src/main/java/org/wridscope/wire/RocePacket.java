// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.nio.ByteBuffer;

/**
 * A packet of RoCE or of InfiniBand, as far as it was captured.
 *
 * @param nanos since 1970
 * @param opcode of the base transport header
 * @param queuePair to which it goes
 * @param psn packet sequence number, 24 bits
 * @param address of an RDMA WRITE, RDMA READ or atomic operation, otherwise 0
 * @param key likewise
 * @param hasTarget whether address and key were captured
 * @param messageLength of an RDMA WRITE or RDMA READ, all its packets together, {@link
 *     #UNKNOWN_LENGTH} if it was not captured, otherwise 0
 * @param syndrome of an acknowledgement, otherwise -1
 * @param sender the queue pair that sent a datagram, otherwise 0
 * @param immediate data of a SEND or an RDMA WRITE, or the key that a SEND invalidates, otherwise 0
 * @param hasData whether that was captured
 * @param postedNanos when its request was posted, as the capture says, otherwise 0
 * @param payloadLength bytes on the wire
 * @param payload what was captured of it
 */
record RocePacket(
    long nanos,
    Host source,
    Host destination,
    int opcode,
    int queuePair,
    int psn,
    long address,
    int key,
    boolean hasTarget,
    long messageLength,
    int syndrome,
    int sender,
    int immediate,
    boolean hasData,
    long postedNanos,
    int payloadLength,
    ByteBuffer payload) {
  static final long UNKNOWN_LENGTH = -1;
  static final int PORT = 4791;
  static final int BTH_BYTES = 12;
  static final int RETH_BYTES = 16;
  static final int ATOMIC_BYTES = 28;
  static final int DETH_BYTES = 8;
  static final int ICRC_BYTES = 4;
}

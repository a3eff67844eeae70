// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reads the headers of InfiniBand's transport, which RoCE has too, and counts what they say. */
final class TransportReader {
  /** An address and a key, with which the headers of requests for remote memory begin. */
  private static final int TARGET_BYTES = 12;

  /** Explicit congestion notification in the base transport header (IBTA 9.2.1). */
  private static final int FORWARD = 0x80;

  private static final int BACKWARD = 0x40;

  private final PacketCounts counts;

  TransportReader(PacketCounts counts) {
    this.counts = counts;
  }

  /**
   * Reads the transport's headers.
   *
   * @param end of the packet on the wire, which may lie beyond what was captured
   */
  @Nullable RocePacket read(
      Frame frame, ByteBuffer bytes, int at, int end, Host source, Host destination)
      throws ShortException {
    ShortException.require(bytes.limit() - at >= RocePacket.BTH_BYTES);
    int opcode = bytes.get(at) & 0xff;
    if (opcode == Opcode.CONGESTION_OF_INFINIBAND && frame.linkType() == LinkType.INFINIBAND) {
      opcode = Opcode.CONGESTION;
    }
    boolean readable =
        Opcode.isReliable(opcode) || Opcode.isDatagram(opcode) || opcode == Opcode.CONGESTION;
    if (!readable || (bytes.get(at + 1) & 0xf) != 0) {
      counts.unread(readable ? "another transport version" : Opcode.transport(opcode));
      return null;
    }
    int pad = bytes.get(at + 1) >>> 4 & 3;
    int queuePair = bytes.getInt(at + 4) & Psn.MASK;
    int psn = bytes.getInt(at + 8) & Psn.MASK;
    int extended = at + RocePacket.BTH_BYTES;
    int payload = extended + Opcode.extendedBytes(opcode);
    int payloadLength = end - RocePacket.ICRC_BYTES - pad - payload;
    ShortException.require(payloadLength >= 0);
    // Of a cut packet, as much is known as was captured; an answer is nothing without its syndrome.
    int known = bytes.limit() - extended;
    ShortException.require(!Opcode.hasAeth(opcode) || known >= Integer.BYTES);
    ShortException.require(!Opcode.isDatagram(opcode) || known >= RocePacket.DETH_BYTES);
    boolean whole = bytes.limit() >= payload;
    long address = 0;
    int key = 0;
    long messageLength = 0;
    int sender = 0;
    boolean targeted = Opcode.hasReth(opcode) || Opcode.isAtomic(opcode);
    boolean hasTarget = targeted && known >= TARGET_BYTES;
    if (targeted) {
      address = hasTarget ? bytes.getLong(extended) : 0;
      key = hasTarget ? bytes.getInt(extended + Long.BYTES) : 0;
      messageLength =
          Opcode.isAtomic(opcode)
              ? Long.BYTES
              : known >= RocePacket.RETH_BYTES
                  ? Integer.toUnsignedLong(bytes.getInt(extended + TARGET_BYTES))
                  : RocePacket.UNKNOWN_LENGTH;
    } else if (Opcode.isDatagram(opcode)) {
      sender = bytes.getInt(extended + 4) & Psn.MASK;
    }
    boolean carriesData = Opcode.hasImmediate(opcode) || Opcode.invalidates(opcode);
    boolean hasData = carriesData && whole;
    int immediate = hasData ? bytes.getInt(payload - Integer.BYTES) : 0;
    counts.kind(kind(opcode, queuePair));
    int marks = bytes.get(at + 4);
    counts.congested += (marks & FORWARD) != 0 ? 1 : 0;
    counts.backward += (marks & BACKWARD) != 0 && opcode != Opcode.CONGESTION ? 1 : 0;
    int syndrome = Opcode.hasAeth(opcode) ? bytes.get(extended) & 0xff : -1;
    int captured = whole ? Math.min(payloadLength, bytes.limit() - payload) : 0;
    return new RocePacket(
        frame.nanos(),
        source,
        destination,
        opcode,
        queuePair,
        psn,
        address,
        key,
        hasTarget,
        messageLength,
        syndrome,
        sender,
        immediate,
        hasData,
        frame.postedNanos(),
        payloadLength,
        bytes.slice(whole ? payload : bytes.limit(), captured));
  }

  private static String kind(int opcode, int queuePair) {
    if (opcode == Opcode.CONGESTION) {
      return "congestion notifications (CNP)";
    }
    if (Opcode.isDatagram(opcode)) {
      return queuePair == ManagementMessage.QUEUE_PAIR
          ? "of communication managers (queue pair 1)"
          : "unreliable datagrams (UD)";
    }
    return Opcode.isResponse(opcode) ? "acknowledgements and responses" : "of requests";
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

/** The opcodes of the base transport header (IBTA table 38), and which headers follow them. */
final class Opcode {
  static final int SEND_FIRST = 0;
  static final int SEND_MIDDLE = 1;
  static final int SEND_LAST = 2;
  static final int SEND_LAST_IMMEDIATE = 3;
  static final int SEND_ONLY = 4;
  static final int SEND_ONLY_IMMEDIATE = 5;
  static final int WRITE_FIRST = 6;
  static final int WRITE_MIDDLE = 7;
  static final int WRITE_LAST = 8;
  static final int WRITE_LAST_IMMEDIATE = 9;
  static final int WRITE_ONLY = 10;
  static final int WRITE_ONLY_IMMEDIATE = 11;
  static final int READ_REQUEST = 12;
  static final int READ_RESPONSE_FIRST = 13;
  static final int READ_RESPONSE_MIDDLE = 14;
  static final int READ_RESPONSE_LAST = 15;
  static final int READ_RESPONSE_ONLY = 16;
  static final int ACKNOWLEDGE = 17;
  static final int ATOMIC_ACKNOWLEDGE = 18;
  static final int COMPARE_SWAP = 19;
  static final int FETCH_ADD = 20;
  static final int SEND_LAST_INVALIDATE = 22;
  static final int SEND_ONLY_INVALIDATE = 23;

  /** SEND ONLY of an unreliable datagram. */
  static final int DATAGRAM = 0x64;

  private static final int DATAGRAM_IMMEDIATE = 0x65;

  /** A congestion notification packet (IBTA annex 17.9.3). */
  static final int CONGESTION = 0x81;

  /** That of InfiniBand (IBTA annex 10). */
  static final int CONGESTION_OF_INFINIBAND = 0x80;

  private Opcode() {}

  /** Whether it belongs to a reliable connection. */
  static boolean isReliable(int opcode) {
    return opcode <= SEND_ONLY_INVALIDATE && opcode != 21;
  }

  static boolean isDatagram(int opcode) {
    return opcode == DATAGRAM || opcode == DATAGRAM_IMMEDIATE;
  }

  /** The transport of an opcode that is not read (IBTA table 38), a phrase. */
  static String transport(int opcode) {
    return switch (opcode >>> 5) {
      case 0 -> "reserved opcodes of reliable connections";
      case 1 -> "unreliable connections (UC)";
      case 2 -> "reliable datagrams (RD)";
      case 3 -> "reserved opcodes of unreliable datagrams";
      case 5 -> "extended reliable connections (XRC)";
      default -> "reserved or vendors' opcodes";
    };
  }

  /** Whether a responder sends it. */
  static boolean isResponse(int opcode) {
    return opcode >= READ_RESPONSE_FIRST && opcode <= ATOMIC_ACKNOWLEDGE;
  }

  /** Whether a request begins with it. */
  static boolean begins(int opcode) {
    return switch (opcode) {
      case SEND_MIDDLE,
          SEND_LAST,
          SEND_LAST_IMMEDIATE,
          SEND_LAST_INVALIDATE,
          WRITE_MIDDLE,
          WRITE_LAST,
          WRITE_LAST_IMMEDIATE ->
          false;
      default -> !isResponse(opcode);
    };
  }

  /** Whether it is the only one of its request or response. */
  static boolean isOnly(int opcode) {
    return switch (opcode) {
      case SEND_ONLY,
          SEND_ONLY_IMMEDIATE,
          SEND_ONLY_INVALIDATE,
          WRITE_ONLY,
          WRITE_ONLY_IMMEDIATE,
          COMPARE_SWAP,
          FETCH_ADD ->
          true;
      default -> false;
    };
  }

  /** Whether a SEND or an RDMA WRITE of several packets ends with it. */
  static boolean isLast(int opcode) {
    return switch (opcode) {
      case SEND_LAST, SEND_LAST_IMMEDIATE, SEND_LAST_INVALIDATE, WRITE_LAST, WRITE_LAST_IMMEDIATE ->
          true;
      default -> false;
    };
  }

  /** Whether immediate data follows. */
  static boolean hasImmediate(int opcode) {
    return switch (opcode) {
      case SEND_LAST_IMMEDIATE,
          SEND_ONLY_IMMEDIATE,
          WRITE_LAST_IMMEDIATE,
          WRITE_ONLY_IMMEDIATE,
          DATAGRAM_IMMEDIATE ->
          true;
      default -> false;
    };
  }

  /** Whether a key follows that the receiver's device invalidates. */
  static boolean invalidates(int opcode) {
    return opcode == SEND_LAST_INVALIDATE || opcode == SEND_ONLY_INVALIDATE;
  }

  /** Whether a header with address, key and length follows. */
  static boolean hasReth(int opcode) {
    return switch (opcode) {
      case WRITE_FIRST, WRITE_ONLY, WRITE_ONLY_IMMEDIATE, READ_REQUEST -> true;
      default -> false;
    };
  }

  static boolean isAtomic(int opcode) {
    return opcode == COMPARE_SWAP || opcode == FETCH_ADD;
  }

  /** Whether a header with an acknowledgement follows. */
  static boolean hasAeth(int opcode) {
    return switch (opcode) {
      case READ_RESPONSE_FIRST,
          READ_RESPONSE_LAST,
          READ_RESPONSE_ONLY,
          ACKNOWLEDGE,
          ATOMIC_ACKNOWLEDGE ->
          true;
      default -> false;
    };
  }

  /** Bytes of the headers after the base transport header, in the order of IBTA 5.2. */
  static int extendedBytes(int opcode) {
    int bytes = isDatagram(opcode) ? RocePacket.DETH_BYTES : 0;
    bytes += hasReth(opcode) ? RocePacket.RETH_BYTES : 0;
    bytes += isAtomic(opcode) ? RocePacket.ATOMIC_BYTES : 0;
    bytes += hasAeth(opcode) ? Integer.BYTES : 0;
    bytes += opcode == ATOMIC_ACKNOWLEDGE ? Long.BYTES : 0;
    bytes += hasImmediate(opcode) || invalidates(opcode) ? Integer.BYTES : 0;
    return bytes;
  }
}

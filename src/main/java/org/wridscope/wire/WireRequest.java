// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** A request of a reliable connection, as its packets show it. */
public final class WireRequest {
  /** What a request does. */
  public enum Kind {
    SEND,
    WRITE,
    READ,
    COMPARE_SWAP,
    FETCH_ADD
  }

  /** Longer messages are no control messages, and are not kept. */
  static final int MAX_CONTENT = 1 << 19;

  private static final long OPEN_END = Long.MAX_VALUE;

  /** More responses of an RDMA READ are not told apart. */
  private static final long MOST_RESPONSES = 1 << 20;

  private final long number;
  private final Kind kind;
  private final long first;
  private final long address;
  private final int key;
  private long last = OPEN_END;
  private long length;

  /** The highest number of its packets that was seen in the present attempt, and in any. */
  private long present;

  private long highest;

  /** Payload bytes of each packet but the last. */
  private final int piece;

  private byte @Nullable [] content;
  private final BitSet pieces = new BitSet();
  private boolean otherData;
  private boolean whole;
  private boolean seesEnd;
  private boolean settled;
  private boolean hasImmediate;
  private boolean invalidates;
  private boolean knowsData;
  private int immediate;
  private final long postedNanos;

  /** Whether its first packet tells how long it is; otherwise its packets do. */
  private final boolean tellsLength;

  private final boolean hasTarget;

  /** Payload bytes of each response but the last, 0 if not known. */
  private int answerPiece;

  /**
   * @param packet the first one of it
   * @param number how many of its queue pair were seen before it
   * @param psn of the packet, without a limit
   * @param piece payload bytes of the packets of this connection, 0 if not known
   */
  WireRequest(RocePacket packet, long number, long psn, int piece) {
    this.number = number;
    first = psn;
    address = packet.address();
    key = packet.key();
    kind =
        switch (packet.opcode()) {
          case Opcode.WRITE_FIRST, Opcode.WRITE_ONLY, Opcode.WRITE_ONLY_IMMEDIATE -> Kind.WRITE;
          case Opcode.READ_REQUEST -> Kind.READ;
          case Opcode.COMPARE_SWAP -> Kind.COMPARE_SWAP;
          case Opcode.FETCH_ADD -> Kind.FETCH_ADD;
          default -> Kind.SEND;
        };
    this.piece = kind == Kind.READ ? piece : packet.payloadLength();
    tellsLength = kind != Kind.SEND && packet.messageLength() != RocePacket.UNKNOWN_LENGTH;
    hasTarget = packet.hasTarget();
    length = tellsLength ? packet.messageLength() : 0;
    if (Opcode.isOnly(packet.opcode())) {
      last = psn;
    } else if (tellsLength && this.piece > 0) {
      last = psn + Math.max(0, (length - 1) / this.piece);
    }
    content = kind == Kind.SEND ? new byte[0] : null;
    present = psn - 1;
    highest = psn - 1;
    postedNanos = packet.postedNanos();
    seesEnd = Opcode.isOnly(packet.opcode()) || (kind == Kind.READ && tellsLength);
    settled = seesEnd;
  }

  /** How many requests of the same queue pair were seen before it. */
  public long number() {
    return number;
  }

  public Kind kind() {
    return kind;
  }

  /** Where it writes to or reads from; 0 for a SEND. */
  public long address() {
    return address;
  }

  /** The key of that memory. */
  public int key() {
    return key;
  }

  /** Bytes of its message, as far as it was seen. */
  public long length() {
    return length;
  }

  /** Whether that is all of its message: unknown for a SEND whose last packet was not captured. */
  public boolean isLengthKnown() {
    return tellsLength || seesEnd;
  }

  /** Whether address and key are known. */
  public boolean hasTarget() {
    return hasTarget;
  }

  /** Whether it has immediate data. */
  public boolean hasImmediate() {
    return hasImmediate;
  }

  /** Whether {@link #immediate} was captured. */
  public boolean isImmediateKnown() {
    return hasImmediate && knowsData;
  }

  /** Its immediate data as a number, from the order of the network; 0 if that is not known. */
  public int immediate() {
    return isImmediateKnown() ? immediate : 0;
  }

  /** Whether it is a SEND that invalidates a key of its receiver. */
  public boolean invalidates() {
    return invalidates;
  }

  /** When it was posted, in nanoseconds since 1970, if the capture says so; otherwise 0. */
  public long postedNanos() {
    return postedNanos;
  }

  /** Whether nothing of it changes any more except by being sent again. */
  public boolean isSettled() {
    return settled;
  }

  /** No packet of a first attempt to send it comes any more. */
  void settle() {
    settled = true;
  }

  /** Whether other data was seen when the message of a SEND was sent again. */
  boolean otherData() {
    return otherData;
  }

  /** Bytes of its message that it keeps. */
  int keptBytes() {
    return content == null ? 0 : content.length;
  }

  /** Keeps nothing of its message any more. */
  void forget() {
    content = null;
  }

  /**
   * The message of a SEND; null when it was not captured whole, is too long, or was forgotten
   * because there are too many later ones.
   */
  public @Nullable ByteBuffer content() {
    byte[] bytes = content;
    return whole && bytes != null && bytes.length == length ? ByteBuffer.wrap(bytes) : null;
  }

  long first() {
    return first;
  }

  /** The number of its last packet; a huge one when that is not known. */
  long last() {
    return last;
  }

  boolean hasEnd() {
    return last != OPEN_END;
  }

  /** The request that follows it begins here. */
  void endBefore(long psn) {
    if (last == OPEN_END) {
      last = psn - 1;
    }
  }

  /** Whether a packet is of it. */
  boolean contains(long psn) {
    return psn >= first && psn <= last;
  }

  /** Whether every packet of a SEND was seen. */
  boolean isWhole() {
    return whole;
  }

  /**
   * Adds a packet.
   *
   * @return whether another attempt to send it begins with this packet
   */
  boolean add(RocePacket packet, long psn) {
    boolean again = psn <= present && psn <= highest;
    present = psn;
    highest = Math.max(highest, psn);
    int opcode = packet.opcode();
    if (Opcode.isLast(opcode)) {
      last = Math.min(last, psn);
      seesEnd = true;
      settled = true;
    }
    if (Opcode.hasImmediate(opcode) || Opcode.invalidates(opcode)) {
      hasImmediate = Opcode.hasImmediate(opcode);
      invalidates = Opcode.invalidates(opcode);
      immediate = packet.immediate();
      knowsData = packet.hasData();
    }
    boolean byPackets = kind == Kind.SEND || (kind == Kind.WRITE && !tellsLength);
    if (byPackets && psn - first < MAX_CONTENT) {
      keep(packet, (int) (psn - first));
    }
    return again;
  }

  /** A response to an RDMA READ was seen. */
  void answered(RocePacket packet, long psn) {
    if (kind != Kind.READ || !contains(psn) || psn - first >= MOST_RESPONSES) {
      return;
    }
    pieces.set((int) (psn - first));
    if (!tellsLength) {
      answerPiece = psn == first ? packet.payloadLength() : answerPiece;
      length = Math.max(length, (psn - first) * answerPiece + packet.payloadLength());
      boolean ends =
          packet.opcode() == Opcode.READ_RESPONSE_LAST
              || packet.opcode() == Opcode.READ_RESPONSE_ONLY;
      seesEnd |= ends && (answerPiece > 0 || psn == first);
      settled |= ends;
    }
  }

  /** How many responses of an RDMA READ that is answered were not seen, as far as that is known. */
  long missingResponses() {
    long count = last - first + 1;
    return kind == Kind.READ && hasEnd() && count <= MOST_RESPONSES
        ? count - pieces.cardinality()
        : 0;
  }

  private void keep(RocePacket packet, int index) {
    boolean complete = packet.payload().remaining() == packet.payloadLength();
    boolean ends = hasEnd() && first + index == last;
    long at = (long) index * piece;
    if (ends) {
      length = at + packet.payloadLength();
    } else if (!whole) {
      length = Math.max(length, at + packet.payloadLength());
    }
    byte[] known = content;
    if (known == null || !complete || at + packet.payloadLength() > MAX_CONTENT) {
      content = null;
    } else {
      keep(known, packet.payload(), index, (int) at);
    }
    pieces.set(index);
    whole |= kind == Kind.SEND && hasEnd() && pieces.nextClearBit(0) > last - first;
  }

  private void keep(byte[] known, ByteBuffer piece, int index, int at) {
    int end = at + piece.remaining();
    byte[] into = end > known.length ? Arrays.copyOf(known, end) : known;
    if (pieces.get(index)) {
      otherData |= !piece.equals(ByteBuffer.wrap(into, at, piece.remaining()));
    } else {
      piece.get(0, into, at, piece.remaining());
    }
    content = into;
  }
}

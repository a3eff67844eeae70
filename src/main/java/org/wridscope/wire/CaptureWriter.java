// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.util.List;

/** Writes a pcapng file with one interface, an Ethernet, and times in nanoseconds. */
final class CaptureWriter implements AutoCloseable {
  private static final int SECTION = 0x0a0d0d0a;
  private static final int BYTE_ORDER = 0x1a2b3c4d;
  private static final int INTERFACE = 1;
  private static final int STATISTICS = 5;
  private static final int PACKET = 6;
  private static final short RESOLUTION = 9;
  private static final short COMMENT = 1;
  private static final short DROPPED = 5;
  private static final int BUFFER = 1 << 18;

  private final WritableByteChannel channel;
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER).order(ByteOrder.LITTLE_ENDIAN);
  private long bytes;

  /** Writes the head, and takes ownership of the channel. */
  CaptureWriter(WritableByteChannel channel) throws IOException {
    this.channel = channel;
    begin(SECTION, 16).putInt(BYTE_ORDER).putInt(1).putLong(-1);
    end(16);
    int length = 8 + 8 + 4;
    begin(INTERFACE, length).putShort((short) 1).putShort((short) 0).putInt(0);
    buffer.putShort(RESOLUTION).putShort((short) 1).putInt(9).putInt(0);
    end(length);
  }

  private ByteBuffer begin(int type, int length) throws IOException {
    if (buffer.remaining() < length + 12) {
      flush();
    }
    return buffer.putInt(type).putInt(length + 12);
  }

  private void end(int length) {
    buffer.putInt(length + 12);
  }

  /**
   * Writes a packet.
   *
   * @param nanos since 1970
   * @param comments on it
   */
  void packet(long nanos, FrameBuilder.Built packet, List<byte[]> comments) throws IOException {
    int captured = packet.bytes().remaining();
    int padded = padded(captured);
    int options = comments.isEmpty() ? 0 : bytes(comments) + 4;
    begin(PACKET, 20 + padded + options).putInt(0).putInt((int) (nanos >>> 32)).putInt((int) nanos);
    buffer.putInt(captured).putInt(packet.length()).put(packet.bytes());
    pad();
    if (options > 0) {
      put(comments);
      buffer.putInt(0);
    }
    end(20 + padded + options);
  }

  private static int bytes(List<byte[]> comments) {
    return comments.stream().mapToInt(each -> 4 + padded(each.length)).sum();
  }

  private void put(List<byte[]> comments) {
    for (byte[] each : comments) {
      buffer.putShort(COMMENT).putShort((short) each.length).put(each);
      pad();
    }
  }

  private static int padded(int length) {
    return (length + 3) / 4 * 4;
  }

  private void pad() {
    while (buffer.position() % 4 != 0) {
      buffer.put((byte) 0);
    }
  }

  /**
   * Writes at the end how many packets are missing.
   *
   * @param nanos since 1970
   * @param comments on the whole
   */
  void statistics(long nanos, long missing, List<byte[]> comments) throws IOException {
    int length = 12 + 12 + bytes(comments) + 4;
    begin(STATISTICS, length).putInt(0).putInt((int) (nanos >>> 32)).putInt((int) nanos);
    buffer.putShort(DROPPED).putShort((short) 8).putLong(missing);
    put(comments);
    buffer.putInt(0);
    end(length);
  }

  /** Bytes written. */
  long bytes() {
    return bytes;
  }

  void flush() throws IOException {
    buffer.flip();
    bytes += buffer.remaining();
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
    buffer.clear();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}

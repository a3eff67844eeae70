// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/** What the writer and the reader of trace files agree on; {@code docs/recording.md}. */
final class TraceFile {
  /** As that of PNG: a transfer that takes it for text or cuts the eighth bit is noticed. */
  private static final byte[] MAGIC = HexFormat.of().parseHex("895752530d0a1a0a");

  static final int VERSION = 1;
  static final int HEAD_BYTES = MAGIC.length + Integer.BYTES;

  /** Type, session, two bytes of zero, length, checksum. */
  static final int BLOCK_HEAD_BYTES = 12;

  /** Bytes of a block without its head. */
  static final int MAX_BLOCK = 1 << 26;

  /** A block of records is closed when it has this many bytes. */
  static final int FULL_BLOCK = 1 << 16;

  static final int MAX_SESSIONS = 16;
  static final int MAX_TEXT = 1 << 16;
  static final int MAX_REPORT = 1 << 20;

  /**
   * All sessions of a file together: 8 TiB of RAM. Whoever replays it needs memory for what the
   * file says of them only, see {@link org.wridscope.memory.ChunkTable}.
   */
  static final long MAX_CHUNKS = 1L << 23;

  static final int MAX_BLOCKS = 1 << 14;

  private TraceFile() {}

  static ByteBuffer head() {
    return ByteBuffer.allocate(HEAD_BYTES).put(MAGIC).putInt(VERSION).flip();
  }

  /** Whether a file that begins so is a trace file, of whatever version. */
  static boolean hasMagic(ByteBuffer start) {
    return start.remaining() >= MAGIC.length
        && start.slice(start.position(), MAGIC.length).equals(ByteBuffer.wrap(MAGIC));
  }

  /** The checksum of a block: over type, session and length, and over what it holds. */
  static int checksum(ByteBuffer head, ByteBuffer payload) {
    CRC32C crc = new CRC32C();
    crc.update(head.slice(head.position(), BLOCK_HEAD_BYTES - Integer.BYTES));
    crc.update(payload.duplicate());
    return (int) crc.getValue();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/** Constants of the format of recordings; see {@code docs/recording.md}. */
public final class RecordingFormat {
  /** Like that of PNG, it reveals a transfer in text mode or with seven bits. */
  private static final byte[] MAGIC = HexFormat.of().parseHex("895752530d0a1a0a");

  static final int VERSION = 2;
  public static final int HEAD_BYTES = MAGIC.length + Integer.BYTES;

  /** Type, session, two bytes of zero, length, checksum. */
  static final int BLOCK_HEAD_BYTES = 12;

  /** Maximum length of a block without its head, in bytes. */
  static final int MAX_BLOCK = 1 << 26;

  /** A block is finished once it has this many bytes. */
  static final int FULL_BLOCK = 1 << 16;

  public static final int MAX_SESSIONS = 16;
  static final int MAX_TEXT = 1 << 16;
  static final int MAX_REPORT = 1 << 20;

  /**
   * For all sessions of a file together: 8 TiB of RAM. Replaying needs memory only for chunks with
   * records, see {@link org.wridscope.memory.ChunkTable}.
   */
  public static final long MAX_CHUNKS = 1L << 23;

  public static final int MAX_BLOCKS = 1 << 14;

  private RecordingFormat() {}

  static ByteBuffer head() {
    return ByteBuffer.allocate(HEAD_BYTES).put(MAGIC).putInt(VERSION).flip();
  }

  /** Whether a file with this start is a recording, of any version. */
  public static boolean hasMagic(ByteBuffer start) {
    return start.remaining() >= MAGIC.length
        && start.slice(start.position(), MAGIC.length).equals(ByteBuffer.wrap(MAGIC));
  }

  /** The checksum of a block, over type, session, length and content. */
  static int checksum(ByteBuffer head, ByteBuffer payload) {
    CRC32C crc = new CRC32C();
    crc.update(head.slice(head.position(), BLOCK_HEAD_BYTES - Integer.BYTES));
    crc.update(payload.duplicate());
    return (int) crc.getValue();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

/**
 * The work request ids ("wrids") of QEMU 7.2 migration/rdma.c: 16 bits of type, 14 bits of RAM
 * block index, 34 bits of chunk number, from the lowest bit up. They are not sent to the peer,
 * which may use other ones.
 */
public final class WorkRequestId {
  /** An RDMA WRITE; the only type with a block and a chunk. */
  public static final int RDMA_WRITE = 1;

  /** The SEND of a control message. */
  public static final int CONTROL_SEND = 2000;

  /** The receive into control buffer 0; the receive into buffer i has this plus i. */
  public static final int CONTROL_RECEIVE = 4000;

  /** The highest block index that fits. */
  public static final int MAX_BLOCK = (1 << 14) - 1;

  /** The highest chunk number that fits. */
  public static final long MAX_CHUNK = (1L << 34) - 1;

  private static final int MAX_TYPE = (1 << 16) - 1;
  private static final int BLOCK_SHIFT = 16;
  private static final int CHUNK_SHIFT = 30;

  private WorkRequestId() {}

  /**
   * Composes a wrid.
   *
   * @param type 0 to 65535
   * @param block 0 to {@link #MAX_BLOCK}
   * @param chunk 0 to {@link #MAX_CHUNK}
   * @throws IllegalArgumentException if a part does not fit its bits
   */
  public static long of(int type, int block, long chunk) {
    if ((type & ~MAX_TYPE) != 0 || (block & ~MAX_BLOCK) != 0 || (chunk & ~MAX_CHUNK) != 0) {
      throw new IllegalArgumentException(
          "wrid type %d, block %d, chunk %d: at most %d, %d, %d"
              .formatted(type, block, chunk, MAX_TYPE, MAX_BLOCK, MAX_CHUNK));
    }
    return chunk << CHUNK_SHIFT | (long) block << BLOCK_SHIFT | type;
  }

  public static int type(long wrid) {
    return (int) wrid & MAX_TYPE;
  }

  public static int block(long wrid) {
    return (int) (wrid >>> BLOCK_SHIFT) & MAX_BLOCK;
  }

  public static long chunk(long wrid) {
    return wrid >>> CHUNK_SHIFT;
  }

  /**
   * The type's name in QEMU's traces, and the other parts: {@code WRITE RDMA block 3 chunk 17},
   * {@code CONTROL SEND}, {@code CONTROL RECV 1}.
   */
  public static String describe(long wrid) {
    int type = type(wrid);
    if (type == RDMA_WRITE) {
      return "WRITE RDMA block " + block(wrid) + " chunk " + chunk(wrid);
    }
    if (type == CONTROL_SEND) {
      return "CONTROL SEND";
    }
    // QEMU has three control buffers; any number of receives may be posted ahead.
    if (type >= CONTROL_RECEIVE) {
      return "CONTROL RECV " + (type - CONTROL_RECEIVE);
    }
    return type == 0 ? "NONE" : "type " + type;
  }
}

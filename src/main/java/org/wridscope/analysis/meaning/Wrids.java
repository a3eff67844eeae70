// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.List;
import java.util.Optional;
import org.wridscope.protocol.WorkRequestId;

/** The work request ids of QEMU and Wridscope. */
final class Wrids {
  private static final String SOURCE =
      "QEMU 7.2, migration/rdma.c: RDMA_WRID_TYPE_SHIFT, RDMA_WRID_BLOCK_SHIFT,"
          + " RDMA_WRID_CHUNK_SHIFT, enum RDMA_WRID_*";

  private Wrids() {}

  /** What a wrid means; empty when neither QEMU nor Wridscope uses its type. */
  static Optional<Meaning> of(long wrid) {
    int type = WorkRequestId.type(wrid);
    if (type == WorkRequestId.RDMA_WRITE) {
      return Optional.of(
          meaning(
              wrid,
              "An RDMA WRITE of guest RAM: type 1 in bits 0 to 15, RAM block %d in bits 16 to 29,"
                      .formatted(WorkRequestId.block(wrid))
                  + " chunk %d (of 1 MiB) in bits 30 to 63.".formatted(WorkRequestId.chunk(wrid))
                  + " Its completion ends the transit of that chunk, and of those written before"
                  + " it.",
              "The chunk in the chunk map, and block %d in the list of RAM blocks"
                      .formatted(WorkRequestId.block(wrid))
                  + " (rdma_add_block in QEMU's trace)."));
    }
    if (type == WorkRequestId.CONTROL_SEND && WorkRequestId.block(wrid) == 0) {
      return Optional.of(
          meaning(
              wrid,
              "The SEND of a control message. Its completion frees the buffer of the message: %d, in"
                      .formatted(WorkRequestId.chunk(wrid))
                  + " bits 30 to 63. QEMU has one buffer for all SENDs, so that all have the wrid"
                  + " 2000.",
              "The message that was sent just before."));
    }
    if (type >= WorkRequestId.CONTROL_RECEIVE && wrid == type) {
      return Optional.of(
          meaning(
              wrid,
              "The receive of a control message into buffer %d. Its completion says that a message"
                      .formatted(type - WorkRequestId.CONTROL_RECEIVE)
                  + " of the peer has arrived.",
              "The message that arrived. QEMU has the buffers 0 to 2; Wridscope may post more"
                  + " ahead."));
    }
    return Optional.empty();
  }

  private static Meaning meaning(long wrid, String means, String next) {
    return new Meaning(
        Meaning.Kind.WRID,
        WorkRequestId.describe(wrid),
        wrid,
        List.of(),
        means,
        "",
        next,
        SOURCE,
        Explanation.Weight.NOTICE);
  }
}

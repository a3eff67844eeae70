// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import org.wridscope.protocol.WorkRequestId;

/**
 * Predicts the next event of a tag: like the last one, with chunk and address advanced by the same
 * difference as before. Only deviations are written.
 */
final class EventPrediction {
  /** Each kind has two tags: one for RDMA WRITEs and one for everything else. */
  static final int TAGS = 256;

  static final int DETAIL = 1;
  static final int LENGTH = 2;
  static final int WRID = 4;
  static final int ARGUMENT = 8;
  static final int MASK_BITS = 4;

  int detail;
  int length;
  int type;
  int block;
  long chunk;
  long chunkStep;
  long argument;
  long argumentStep;

  static int tag(int kind, long wrid) {
    return kind << 1 | (WorkRequestId.type(wrid) == WorkRequestId.RDMA_WRITE ? 1 : 0);
  }

  static EventPrediction[] fresh() {
    var predictions = new EventPrediction[TAGS];
    for (int i = 0; i < TAGS; i++) {
      predictions[i] = new EventPrediction();
    }
    return predictions;
  }

  void reset() {
    detail = 0;
    length = 0;
    type = 0;
    block = 0;
    chunk = 0;
    chunkStep = 0;
    argument = 0;
    argumentStep = 0;
  }

  long nextChunk() {
    return chunk + chunkStep & WorkRequestId.MAX_CHUNK;
  }

  void foundChunk(long found) {
    chunkStep = found - chunk;
    chunk = found;
  }

  long nextArgument() {
    return argument + argumentStep;
  }

  void foundArgument(long found) {
    argumentStep = found - argument;
    argument = found;
  }
}

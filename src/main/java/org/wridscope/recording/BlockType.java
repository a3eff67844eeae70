// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import org.jspecify.annotations.Nullable;

/** What a block of a trace file holds; the values in the file. */
enum BlockType {
  /** Who a session is, and the names of what its other blocks refer to by number. */
  SESSION(1),
  /** What does not fit into numbers: phrases of waits, phases, RAM blocks, notes. */
  NAMES(2),
  EVENTS(3),
  /** Metrics over time. */
  SAMPLES(4),
  /** Chunks that have changed since the last such block, or all of them. */
  CHUNKS(5),
  /** How the session ended. */
  END(6),
  /** What the guest's virtio devices do. */
  VIRTIO(7);

  private final int value;

  BlockType(int value) {
    this.value = value;
  }

  int value() {
    return value;
  }

  /** The type with this value, null when this version has none. */
  static @Nullable BlockType of(int value) {
    return value >= 1 && value <= values().length ? values()[value - 1] : null;
  }
}

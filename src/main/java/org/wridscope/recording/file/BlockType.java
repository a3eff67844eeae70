// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import org.jspecify.annotations.Nullable;

/** The types of blocks in a recording, with their values in the file. */
public enum BlockType {
  /** The identity of a session, and the names to which its other blocks refer by number. */
  SESSION(1),
  /** Texts: phrases of waits, phases, RAM blocks, notes. */
  NAMES(2),
  EVENTS(3),
  /** Metrics over time. */
  SAMPLES(4),
  /** Chunks that have changed since the last such block, or all of them. */
  CHUNKS(5),
  /** How the session ended. */
  END(6),
  /** Snapshots of the guest's virtio devices. */
  VIRTIO(7),
  /** What identifies device and connection, from a moment on. */
  BANNER(8),
  /** The scenario of which it is a run under a schedule: with it the run can be repeated. */
  SCENARIO(9);

  private final int value;

  BlockType(int value) {
    this.value = value;
  }

  int value() {
    return value;
  }

  /** The type with this value, null when this version does not know it. */
  static @Nullable BlockType of(int value) {
    return value >= 1 && value <= values().length ? values()[value - 1] : null;
  }
}

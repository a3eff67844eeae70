// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import org.wridscope.guest.virtio.VirtioSnapshot;

/** Receives snapshots of virtio devices, oldest first. */
@FunctionalInterface
public interface SnapshotSink {
  /** Receives a snapshot; returns whether to continue. */
  boolean snapshot(long nanos, VirtioSnapshot snapshot);
}

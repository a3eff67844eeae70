// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.replay;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.memory.ChunkTable;
import org.wridscope.recording.file.Sample;
import org.wridscope.telemetry.EventLog;
import org.wridscope.telemetry.MigrationStatus;

/**
 * The decoded state of a recorded session at a moment, which can be {@linkplain
 * RecordedSession#show shown} once.
 */
public final class Moment {
  final long nanos;
  final EventLog events;
  final Sample sample;
  final State state;
  final List<ChunkTable> chunks;
  final List<ChunkTable> shownChunks;
  final @Nullable VirtioSnapshot virtio;

  /**
   * State that is not a counter.
   *
   * @param waitNumber number of the current wait, -1 for none
   */
  record State(MigrationStatus status, boolean guestRunning, int waitNumber) {}

  /**
   * @param nanos on the clock of the session, not of the file
   * @param sample the last sample, with the counters of the moment
   * @param chunks the decoded tables of all RAM blocks; decoding the next moment changes them
   * @param shownChunks tables of the same blocks, which take over the state of {@code chunks}
   */
  Moment(
      long nanos,
      EventLog events,
      Sample sample,
      State state,
      List<ChunkTable> chunks,
      List<ChunkTable> shownChunks,
      @Nullable VirtioSnapshot virtio) {
    this.nanos = nanos;
    this.events = events;
    this.sample = sample;
    this.state = state;
    this.chunks = chunks;
    this.shownChunks = shownChunks;
    this.virtio = virtio;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.memory.ChunkTable;
import org.wridscope.telemetry.EventLog;
import org.wridscope.telemetry.MigrationStatus;

/**
 * What a recorded session was at a moment, read and decoded, and ready to be {@linkplain
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
   * What no counter tells.
   *
   * @param phrase number of the phrase that says what is waited for, -1 for nothing
   */
  record State(MigrationStatus status, boolean guestRunning, int phrase) {}

  /**
   * @param nanos on the clock of the session, not of the file
   * @param sample with the control messages of the moment; its metrics are those of the last sample
   * @param chunks of each block of RAM; they go on to the next moment when that is decoded
   * @param shownChunks of the same blocks, which become what {@code chunks} are
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

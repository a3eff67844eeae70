// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.telemetry.Banner;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.Wait;

/** Where an imported session goes: into a recording, or into telemetry that views show live. */
public interface ImportTarget {

  void event(long nanos, EventKind kind, int detail, int length, long wrid, long argument)
      throws IOException;

  /** The number of the first wait is 0, that of each further one is one more. */
  void wait(Wait wait);

  /** What identifies device and connection. */
  void opened(Banner banner) throws IOException;

  void phase(Phase phase);

  /** A sentence for the user. */
  void note(String sentence);

  /** The RAM blocks are known; what changes in their tables is the state of their chunks. */
  void blocks(long nanos, List<ChunkTable> tables) throws IOException;

  /**
   * Where the RAM blocks are at the destination.
   *
   * @param addresses for each block, 0 while it is not known
   */
  void remoteAddresses(long nanos, long[] addresses);

  /**
   * The counters at a moment.
   *
   * @param sample must not be kept
   */
  void sample(Sample sample, MigrationStatus status) throws IOException;

  /**
   * The end; nothing follows.
   *
   * @param outcome null when it is not known
   */
  void finish(@Nullable SessionOutcome outcome) throws IOException;
}

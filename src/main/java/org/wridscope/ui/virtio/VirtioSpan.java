// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.virtio;

import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Recorded;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.guest.virtio.VirtioSnapshot;

/**
 * The virtio devices of both recorded ends where a range of time begins and where it ends.
 *
 * @param source null when there is no source
 * @param destination null when there is no destination
 */
record VirtioSpan(@Nullable Edges source, @Nullable Edges destination) {

  /** One end. Empty where it had no devices yet. */
  record Edges(Optional<VirtioSnapshot> begin, Optional<VirtioSnapshot> end) {
    private static @Nullable Edges of(@Nullable Session session, long from, long to)
        throws IOException {
      Recorded recorded = session == null ? null : session.recorded().orElse(null);
      return recorded == null ? null : new Edges(recorded.virtioAt(from), recorded.virtioAt(to));
    }
  }

  /** Whether the devices at past moments are known: only recordings keep them. */
  static boolean isKnown(SessionPair pair) {
    return pair.sessions().stream().allMatch(session -> session.recorded().isPresent());
  }

  /**
   * Reads the recordings, which may take long.
   *
   * @throws IOException when a file can no longer be read; its message is a sentence
   */
  static VirtioSpan read(SessionPair pair, long from, long to) throws IOException {
    return new VirtioSpan(
        Edges.of(pair.source(), from, to), Edges.of(pair.destination(), from, to));
  }
}

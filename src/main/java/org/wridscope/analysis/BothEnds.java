// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.Role;

/**
 * The requests of both ends of a migration.
 *
 * @param source null when it is in another process
 * @param destination null when it is in another process
 */
record BothEnds(@Nullable Requests source, @Nullable Requests destination) {

  /** The ends that are known, the source first. */
  List<Requests> ends() {
    if (source == null) {
      return destination == null ? List.of() : List.of(destination);
    }
    return destination == null ? List.of(source) : List.of(source, destination);
  }

  @Nullable Requests end(Role role) {
    return role == Role.SOURCE ? source : destination;
  }

  @Nullable Requests peerOf(Requests end) {
    return end(end.role().other());
  }

  /** Whether both ends are known and neither missed an event, so that messages can be paired. */
  boolean isPaired() {
    return source != null
        && destination != null
        && source.missed() == 0
        && destination.missed() == 0;
  }

  /** {@code the source} or {@code the destination}. */
  static String the(Role role) {
    return role == Role.SOURCE ? "the source" : "the destination";
  }
}

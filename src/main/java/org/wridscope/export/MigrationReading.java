// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Ending;
import org.wridscope.analysis.Explainer;
import org.wridscope.analysis.Explanation;
import org.wridscope.analysis.Ladder;
import org.wridscope.analysis.Requests;
import org.wridscope.control.Endings;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.Role;

/**
 * A migration after all its events have been read.
 *
 * @param ends one or two ends, the source first
 */
record MigrationReading(Clock clock, List<EndReading> ends) {

  static MigrationReading of(SessionPair ends, Clock clock, Meter meter) throws IOException {
    var read = new ArrayList<EndReading>();
    for (var session : ends.sessions()) {
      read.add(EndReading.of(session, meter));
    }
    return new MigrationReading(clock, List.copyOf(read));
  }

  /** The source if it is known, otherwise the destination. */
  EndReading leading() {
    return ends.getFirst();
  }

  private @Nullable Requests requests(Role role) {
    return ends.stream()
        .filter(end -> end.session().role() == role)
        .map(EndReading::requests)
        .findFirst()
        .orElse(null);
  }

  Ladder ladder() {
    return new Ladder(requests(Role.SOURCE), requests(Role.DESTINATION));
  }

  /** The explanation of its course. */
  Explanation explanation() {
    return Explainer.explain(
        requests(Role.SOURCE),
        requests(Role.DESTINATION),
        ended() ? lastNanos() : ends.getFirst().session().clock(System.nanoTime()),
        ending());
  }

  /** How it ended; null while it is running. */
  @Nullable Ending ending() {
    return Endings.of(session(Role.SOURCE), session(Role.DESTINATION));
  }

  private @Nullable Session session(Role role) {
    return ends.stream()
        .map(EndReading::session)
        .filter(session -> session.role() == role)
        .findFirst()
        .orElse(null);
  }

  /** Whether it has ended. */
  private boolean ended() {
    return ends.stream()
        .allMatch(end -> end.session().status().isEnd() || end.session().recorded().isPresent());
  }

  /** The time of the last known event or sample. */
  long lastNanos() {
    long last = clock.originNanos();
    for (EndReading end : ends) {
      last = Math.max(last, end.requests().lastNanos());
      if (!end.samples().isEmpty() && !end.session().status().isEnd()) {
        last = Math.max(last, end.samples().getLast().nanos());
      }
    }
    return last;
  }
}

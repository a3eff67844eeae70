// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import org.wridscope.analysis.RequestFacts;
import org.wridscope.control.Session;
import org.wridscope.telemetry.Event;

/** Something that can be selected, and is described in the inspector. */
public sealed interface Selected {

  /** The session to which it belongs. */
  Session session();

  /**
   * A chunk of a RAM block.
   *
   * @param block index of the block in {@code session.telemetry().blocks()}
   */
  record Chunk(Session session, int block, int chunk) implements Selected {}

  /**
   * A memory region of RAM.
   *
   * @param block index of the block in {@code session.telemetry().blocks()}
   * @param chunks the number of chunks that it covers, 1 unless all RAM was registered
   */
  record Registration(Session session, int block, int firstChunk, int chunks) implements Selected {}

  /** An event of the log, such as a control message, a completion or a change of status. */
  record LoggedEvent(Session session, Event event) implements Selected {}

  /**
   * A work request.
   *
   * @param facts what was known about it when it was selected
   */
  record WorkRequest(Session session, RequestFacts facts) implements Selected {
    /** Whether this is the same request, whatever is known about it. */
    public boolean isSame(WorkRequest other) {
      return session.equals(other.session)
          && facts.queue() == other.facts.queue()
          && facts.id() == other.facts.id();
    }
  }
}

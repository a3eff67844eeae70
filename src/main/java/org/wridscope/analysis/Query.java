// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.telemetry.Event;

/**
 * What a user searches for, in events and in work requests: terms such as {@code chunk=12}, {@code
 * status!=success} or {@code opcode=send}, and words that the text must contain, joined by {@code
 * and}, {@code or} and {@code not}. Something that does not have a field is neither equal to a
 * value nor different from it.
 */
public final class Query {
  private final Condition condition;
  private final boolean ofEnd;

  private Query(Condition condition, boolean ofEnd) {
    this.condition = condition;
    this.ofEnd = ofEnd;
  }

  /**
   * Reads a query.
   *
   * @param blocks the RAM blocks that can be named; empty while they are not known
   * @return null if the text is blank
   * @throws IllegalArgumentException with one sentence that says what is possible
   */
  public static @Nullable Query parse(String text, List<ChunkTable> blocks) {
    var parser = new QueryParser(blocks);
    Condition condition = parser.read(text);
    return condition == null ? null : new Query(condition, parser.isOfEnd());
  }

  /** What concerns a chunk. */
  public static Query ofChunk(int block, long chunk) {
    return new Query(
        new Condition.Term(
            of -> of.block() == block && chunk >= of.chunk() && chunk < of.chunk() + of.chunks(),
            false),
        false);
  }

  /** Whether it asks how requests ended, so that more can be known of a request at its end. */
  boolean isOfEnd() {
    return ofEnd;
  }

  /**
   * Whether an event matches.
   *
   * @param requests those of its session, which have read this event
   */
  public boolean has(Event event, Requests requests) {
    return has(Subject.of(event, requests));
  }

  /** Whether a work request that is kept matches, as far as is known of it. */
  boolean has(Requests requests, QueueType queue, long id) {
    return has(Subject.of(requests, queue, id));
  }

  private boolean has(Subject of) {
    return condition.is(of, true);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.time.Duration;
import org.wridscope.telemetry.TurnedAway.Reason;
import org.wridscope.text.Format;
import org.wridscope.time.Time;

/**
 * For how long the caller that is tried as the source has kept others waiting that may be the
 * source, too. It loses its turn if it sends nothing for {@link #LIMIT}, or if that is how long
 * others have waited before it asks for the RAM blocks, or again from then until its first key. A
 * caller that nobody waits for has no limit of this kind.
 */
final class Turn {
  /**
   * A source needs a round trip from the beginning of its stream to the block list, and three more
   * to its first key.
   */
  static final Duration LIMIT = Duration.ofSeconds(1);

  /** Most that counts between two looks; a longer time is work of this side. */
  private static final long LOOK_NANOS = 50_000_000;

  private long looked = Time.nanos();
  private long kept;
  private Duration limit = LIMIT;

  /** It has asked for the RAM blocks. */
  void blocksAsked() {
    limit = LIMIT.multipliedBy(2);
  }

  /** Nothing of the time since the last look counts: this side was not ready. */
  void pass() {
    looked = Time.nanos();
  }

  /**
   * To be called many times per second while it has its turn.
   *
   * @param rivals whether others wait that may be the source
   * @param silence nanoseconds for which it has not sent what this side waits for
   * @throws StrangerException if it loses its turn
   */
  void look(boolean rivals, long silence) throws StrangerException {
    long passed = Math.min(Time.nanos() - looked, LOOK_NANOS);
    pass();
    if (!rivals) {
      return;
    }
    kept += passed;
    if (silence > LIMIT.toNanos()) {
      throw lost("The source sent nothing for %s, and others wait.", LIMIT);
    }
    if (kept > limit.toNanos()) {
      throw lost("The source had sent no RAM after %s, and others wait.", limit);
    }
  }

  private static StrangerException lost(String sentence, Duration limit) {
    return new StrangerException(
        Reason.CROWDED_OUT, sentence.formatted(Format.duration(limit.toNanos())));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Requests;
import org.wridscope.control.Session;

/**
 * What is read out of the events of the shown sessions, once for all views. Each pulse reads on for
 * a part of a frame. For the JavaFX thread only.
 */
public final class Analyses {
  /** Of a frame's sixteen milliseconds. */
  private static final long BUDGET_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  private static final int PIECE = 2_048;

  private final Map<Session, Requests> requests = new WeakHashMap<>();

  /**
   * Forgets what was read of other sessions: it takes more room than the events, and is read again
   * in less than a second.
   */
  public void keepOnly(@Nullable SessionPair pair) {
    requests.keySet().retainAll(pair == null ? Set.of() : Set.copyOf(pair.sessions()));
  }

  /** Forgets everything: a recording went back in time, and what was read has not happened yet. */
  public void forget() {
    requests.clear();
  }

  /** The requests of a session, as far as its events were read. */
  public Requests of(Session session) {
    return requests.computeIfAbsent(session, of -> new Requests(of.telemetry()));
  }

  /**
   * Reads on in the events of both ends.
   *
   * @return whether all events were read
   */
  public boolean advance(SessionPair pair) {
    long end = System.nanoTime() + BUDGET_NANOS;
    boolean all = true;
    for (Session session : pair.sessions()) {
      Requests of = of(session);
      boolean more;
      do {
        // At least a piece of each, so that one end does not starve the other.
        more = of.advance(PIECE) > 0;
      } while (more && System.nanoTime() < end);
      all &= !more || of.isUpToDate();
    }
    return all;
  }
}

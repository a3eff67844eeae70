// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Requests;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;

/**
 * The analyses of the shown sessions' events, shared by all views. Each pulse analyses events for a
 * part of a frame. For the JavaFX thread only.
 */
public final class Analyses {
  /** Of the 16 ms of a frame. */
  private static final long BUDGET_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  private static final int PIECE = 2_048;

  private final Map<Session, Requests> requests = new WeakHashMap<>();

  /**
   * Forgets the analyses of other sessions: they need more memory than the events, and are repeated
   * in less than a second.
   */
  public void keepOnly(@Nullable SessionPair pair) {
    requests.keySet().retainAll(pair == null ? Set.of() : Set.copyOf(pair.sessions()));
  }

  /** Forgets everything: a recording went back in time, before some of the analysed events. */
  public void forget() {
    requests.clear();
  }

  /** The requests of a session, as far as its events were analysed. */
  public Requests of(Session session) {
    return requests.computeIfAbsent(session, of -> new Requests(of.telemetry()));
  }

  /**
   * Analyses further events of both ends.
   *
   * @return whether all events are analysed
   */
  public boolean advance(SessionPair pair) {
    long end = System.nanoTime() + BUDGET_NANOS;
    boolean all = true;
    for (Session session : pair.sessions()) {
      Requests of = of(session);
      boolean more;
      do {
        // At least one piece of each end, so that neither starves.
        more = of.advance(PIECE) > 0;
      } while (more && System.nanoTime() < end);
      all &= !more || of.isUpToDate();
    }
    return all;
  }
}

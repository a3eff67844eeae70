// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

/**
 * Counts what the events of a session's engine amount to, on the engine's thread, and before {@link
 * EventRing} may leave any out.
 */
public interface Counting {
  /** Counts the next event. Does not allocate. */
  void event(EventKind kind, int detail, int length, long wrid, long argument);

  /**
   * What counts from now on for a session that has taken over these counters with the connection of
   * this one.
   */
  Counting continuedBy(SessionTelemetry session);
}

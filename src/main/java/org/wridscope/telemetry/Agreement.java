// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

/**
 * What both ends agreed on when they connected, the detail of {@link EventKind#ESTABLISHED}.
 *
 * @param pinAllRequested whether the source requested that all RAM be registered at the beginning
 * @param pinAll whether the destination granted that
 * @param wridscope whether both ends are Wridscopes, which exchange messages of their own
 */
public record Agreement(boolean pinAllRequested, boolean pinAll, boolean wridscope) {
  private static final int PIN_ALL_REQUESTED = 1;
  private static final int PIN_ALL = 2;
  private static final int WRIDSCOPE = 4;

  /** Decodes the detail of an event; unknown bits are ignored. */
  public static Agreement of(int detail) {
    return new Agreement(
        (detail & PIN_ALL_REQUESTED) != 0, (detail & PIN_ALL) != 0, (detail & WRIDSCOPE) != 0);
  }

  /** Encodes it as the detail of an event. */
  public int detail() {
    return (pinAllRequested ? PIN_ALL_REQUESTED : 0)
        | (pinAll ? PIN_ALL : 0)
        | (wridscope ? WRIDSCOPE : 0);
  }
}

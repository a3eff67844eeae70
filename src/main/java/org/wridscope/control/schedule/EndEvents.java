// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import org.wridscope.telemetry.SessionTelemetry;

/** The events of one end, as they happen. */
final class EndEvents {
  private final SessionTelemetry telemetry;
  private long seen;

  EndEvents(SessionTelemetry telemetry) {
    this.telemetry = telemetry;
  }

  /** Whether one of the events since the last call is the one. */
  boolean anyMeets(Until until) {
    boolean[] met = {false};
    seen =
        telemetry.peek(
            seen,
            (_, kind, detail, _, wrid, _) ->
                met[0] |= until.hasHappened(telemetry.role(), kind, detail, wrid));
    return met[0];
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.telemetry.Event;

/**
 * A row of the log.
 *
 * @param number of the event in the log of its session
 * @param event null if the log has discarded it since
 */
public record LogRow(Session session, long number, @Nullable Event event) {
  /** Whether this is the row of an event. */
  boolean isOf(Session other, long otherNumber) {
    return session.equals(other) && number == otherNumber;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.wridscope.telemetry.SessionOutcome.Origin;
import org.wridscope.telemetry.TurnedAway.Reason;

/** A caller of a destination is not its source, or not one that it can take. */
final class StrangerException extends MigrationException {
  private static final long serialVersionUID = 1L;

  private final Reason reason;

  StrangerException(Reason reason, String message) {
    this(reason, message, Origin.HERE);
  }

  StrangerException(Reason reason, String message, Origin origin) {
    super(message, origin);
    this.reason = reason;
  }

  Reason reason() {
    return reason;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.wridscope.telemetry.SessionOutcome.Origin;

/**
 * The connection has ended: the peer or its host has disconnected, or the peer no longer answers.
 */
final class DisconnectedException extends MigrationException {
  private static final long serialVersionUID = 1L;

  DisconnectedException(String message, Origin origin) {
    super(message, origin);
  }
}

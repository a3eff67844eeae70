// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.wridscope.telemetry.SessionOutcome.Origin;

/** The peer sent ERROR: it has given up, and has not started the guest and never will. */
final class PeerGaveUpException extends MigrationException {
  private static final long serialVersionUID = 1L;

  PeerGaveUpException(String message) {
    super(message, Origin.PEER);
  }
}

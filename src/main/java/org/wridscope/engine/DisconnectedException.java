// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

/** The peer has disconnected, or its host has done so for it. */
final class DisconnectedException extends MigrationException {
  private static final long serialVersionUID = 1L;

  DisconnectedException(String message) {
    super(message);
  }
}

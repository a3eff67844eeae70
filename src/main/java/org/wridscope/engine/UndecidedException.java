// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

/**
 * The connection broke at the switch-over, and the destination could not be asked who has the
 * guest.
 */
final class UndecidedException extends MigrationException {
  private static final long serialVersionUID = 1L;

  UndecidedException(String message, Throwable cause) {
    super(message, cause);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

/**
 * The connection broke during the switch-over, and it could not be determined whether the
 * destination started the guest.
 */
final class UndecidedException extends MigrationException {
  private static final long serialVersionUID = 1L;

  UndecidedException(String message, Throwable cause) {
    super(message, cause);
  }
}

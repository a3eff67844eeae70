// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

/**
 * The connection is gone: the peer has disconnected, its host has done so for it, or nobody answers
 * there any more.
 */
final class DisconnectedException extends MigrationException {
  private static final long serialVersionUID = 1L;

  DisconnectedException(String message) {
    super(message);
  }
}

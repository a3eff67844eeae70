// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

/** The device of this end failed, or a request of this end did, and not because of the peer. */
final class DeviceException extends MigrationException {
  private static final long serialVersionUID = 1L;

  DeviceException(String message) {
    super(message);
  }
}

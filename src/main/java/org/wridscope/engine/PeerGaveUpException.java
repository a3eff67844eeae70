// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

/** The peer said ERROR: it has given the migration up, and has not started the guest nor will. */
final class PeerGaveUpException extends MigrationException {
  private static final long serialVersionUID = 1L;

  PeerGaveUpException(String message) {
    super(message);
  }
}

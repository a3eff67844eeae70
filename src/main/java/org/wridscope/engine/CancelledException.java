// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

/** The user cancelled the migration. */
final class CancelledException extends MigrationException {
  private static final long serialVersionUID = 1L;

  CancelledException() {
    super("The migration was cancelled.");
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;

/** A migration failed. The message is a sentence that tells what happened and what to do. */
public class MigrationException extends IOException {
  private static final long serialVersionUID = 1L;

  public MigrationException(String message) {
    super(message);
  }

  public MigrationException(String message, Throwable cause) {
    super(message, cause);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import org.wridscope.telemetry.SessionOutcome.Origin;

/** A migration failed. The message is a sentence that tells what happened and what to do. */
public class MigrationException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Origin origin;

  public MigrationException(String message) {
    this(message, Origin.HERE);
  }

  /**
   * @param origin where the failure began
   */
  MigrationException(String message, Origin origin) {
    super(message);
    this.origin = origin;
  }

  public MigrationException(String message, Throwable cause) {
    super(message, cause);
    origin = originOf(cause);
  }

  /** Where a failure began, as far as it is known. */
  static Origin originOf(Throwable failure) {
    return failure instanceof MigrationException known ? known.origin : Origin.HERE;
  }
}

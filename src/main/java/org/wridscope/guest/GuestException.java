// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;

/**
 * A guest cannot be made or kept, for a reason that a user can do something about. The message is
 * one sentence that says what happened and what to do.
 */
public class GuestException extends IOException {

  public GuestException(String message) {
    super(message);
  }

  public GuestException(String message, Throwable cause) {
    super(message, cause);
  }
}

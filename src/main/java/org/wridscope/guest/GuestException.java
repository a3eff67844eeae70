// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;

/**
 * A guest cannot be created or stored, for a reason that a user can remove. The message is one
 * sentence: what happened and what to do.
 */
public class GuestException extends IOException {

  public GuestException(String message) {
    super(message);
  }

  public GuestException(String message, Throwable cause) {
    super(message, cause);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;

/** A leftover file does not contain a whole guest. */
public final class NoGuestException extends GuestException {
  private static final long serialVersionUID = 1L;

  NoGuestException(String message, IOException cause) {
    super(message, cause);
  }
}

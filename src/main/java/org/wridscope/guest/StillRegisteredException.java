// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

/** RAM could not be deregistered; the message is one sentence about the reason, for the user. */
public final class StillRegisteredException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Makes an exception with a reason. */
  public StillRegisteredException(String reason) {
    super(reason);
  }
}

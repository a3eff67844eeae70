// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

/** What a header says does not fit what follows it, or less was captured. */
final class ShortException extends Exception {
  private static final long serialVersionUID = 1L;

  private ShortException() {
    super("short", null, false, false);
  }

  static void require(boolean valid) throws ShortException {
    if (!valid) {
      throw new ShortException();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import org.wridscope.control.SessionManager;

/** Opens the window. */
@FunctionalInterface
public interface WindowOpener {

  /**
   * Shows the window and waits until it was closed.
   *
   * @throws UnsupportedOperationException when there is no display after all, as the toolkit of the
   *     window says it
   */
  void open(SessionManager sessions);
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.nio.file.Path;
import java.util.List;
import org.wridscope.control.SessionManager;

/** Opens the window. */
@FunctionalInterface
public interface WindowOpener {

  /**
   * Shows the window and waits until it is closed.
   *
   * @param files recordings, trace logs and captured packets to open in it
   * @throws UnsupportedOperationException if the toolkit of the window cannot open the display
   */
  void open(SessionManager sessions, List<Path> files);
}

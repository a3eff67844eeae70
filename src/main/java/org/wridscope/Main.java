// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import java.util.logging.Logger;
import org.wridscope.cli.WridscopeCommand;
import org.wridscope.control.CaptureFolders;
import org.wridscope.control.LocalSessions;
import org.wridscope.ui.window.WindowLauncher;

/** Starts Wridscope. */
public final class Main {
  /**
   * JavaFX runs from the class path on purpose (DiSNI is not a module), and says on every start
   * that it would rather not. The reference is held because a logger that nobody refers to loses
   * its filter to the garbage collector.
   */
  private static final Logger JAVAFX_LOG = Logger.getLogger("javafx");

  private Main() {}

  /**
   * Does what the command line says, and exits with its status.
   *
   * @param args the command line
   */
  public static void main(String[] args) {
    JAVAFX_LOG.setFilter(entry ->
        !String.valueOf(entry.getMessage()).startsWith("Unsupported JavaFX configuration"));
    System.exit(
        WridscopeCommand.run(
            args, () -> new LocalSessions(CaptureFolders.ofUser()), WindowLauncher::launch));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import java.util.Locale;
import java.util.logging.Logger;
import org.wridscope.cli.WridscopeCommand;
import org.wridscope.control.CaptureFolders;
import org.wridscope.control.LocalSessions;
import org.wridscope.ui.window.WindowLauncher;

/** Starts Wridscope. */
public final class Main {
  /**
   * JavaFX intentionally runs from the class path, because DiSNI is not a module, and logs a
   * warning about that at every start. This reference keeps the logger, and with it the filter,
   * from being garbage-collected.
   */
  private static final Logger JAVAFX_LOG = Logger.getLogger("javafx");

  private Main() {}

  /**
   * Runs the command line, and exits with its status.
   *
   * @param args the command line
   */
  public static void main(String[] args) {
    // Numbers are the same everywhere, in files and sentences.
    Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
    JAVAFX_LOG.setFilter(entry ->
        !String.valueOf(entry.getMessage()).startsWith("Unsupported JavaFX configuration"));
    System.exit(
        WridscopeCommand.run(
            args, () -> new LocalSessions(CaptureFolders.ofUser()), WindowLauncher::launch));
  }
}

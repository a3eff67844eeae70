// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

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
   * Prints the version.
   *
   * @param args the command line
   */
  public static void main(String[] args) {
    JAVAFX_LOG.setFilter(entry ->
        !String.valueOf(entry.getMessage()).startsWith("Unsupported JavaFX configuration"));
    System.out.println("wridscope " + version());
  }

  /** The version in the manifest of the jar, which classes in a directory do not have. */
  private static String version() {
    @Nullable String version = Main.class.getPackage().getImplementationVersion();
    return version == null ? "development build" : version;
  }
}

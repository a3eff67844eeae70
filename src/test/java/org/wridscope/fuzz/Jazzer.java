// SPDX-License-Identifier: Apache-2.0
package org.wridscope.fuzz;

/** The entry point for Jazzer; the property {@value #TARGET} names the parser. */
public final class Jazzer {
  static final String TARGET = "wridscope.fuzz.target";

  private static final Check CHECK =
      new Check(FuzzTargets.named(System.getProperty(TARGET, "control-message")));

  private Jazzer() {}

  /** Jazzer searches for an input with which this throws. */
  public static void fuzzerTestOneInput(byte[] input) {
    CHECK.accept(input);
  }
}

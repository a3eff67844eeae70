// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Makes the devices of every {@link Rig} of a test class communicate over TCP. */
final class OverTcp implements BeforeAllCallback, AfterAllCallback {
  private static volatile boolean on;

  static boolean isOn() {
    return on;
  }

  /** For a program that is no test. */
  static void turnOn() {
    on = true;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    on = true;
  }

  @Override
  public void afterAll(ExtensionContext context) {
    on = false;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

/** Checks that the JDK lets this program call native libraries. */
final class NativeAccessCheck implements Check {

  @Override
  public String title() {
    return "native access";
  }

  @Override
  public CheckResult run(Machine machine, Question question) {
    return machine.hasNativeAccess()
        ? CheckResult.ok(this, "The JDK allows Wridscope to call native code.")
        : CheckResult.warning(
            this,
            "The JDK was started without the option that allows native calls; it prints a warning,"
                + " and later JDKs will refuse.",
            "Start Wridscope with ./wridscope, or give java this option.",
            "--enable-native-access=ALL-UNNAMED");
  }
}

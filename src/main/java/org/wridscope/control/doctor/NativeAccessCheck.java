// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

/** Whether the JDK lets this program call the RDMA libraries. */
final class NativeAccessCheck implements Check {

  @Override
  public String title() {
    return "native access";
  }

  @Override
  public Finding look(Machine machine, Question question) {
    return machine.hasNativeAccess()
        ? Finding.ok(this, "The JDK lets Wridscope call native code.")
        : Finding.warning(
            this,
            "The JDK was not told that Wridscope calls native code; it warns now, and later ones"
                + " will refuse.",
            "Start it with ./wridscope, or give java this option.",
            "--enable-native-access=ALL-UNNAMED");
  }
}

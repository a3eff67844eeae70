// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.net.URL;
import java.util.Optional;

/** Checks that DiSNI uses Wridscope's native dispatcher, which works without libdisni. */
final class DispatcherCheck implements Check {
  static final String DISPATCHER = "com.ibm.disni.verbs.impl.NativeDispatcher";

  @Override
  public String title() {
    return "DiSNI";
  }

  @Override
  public CheckResult run(Machine machine, Question question) {
    Optional<URL> found = machine.originOf(DISPATCHER);
    if (found.isEmpty()) {
      return CheckResult.failure(
          this,
          "DiSNI is not on the class path.",
          "Start Wridscope with ./wridscope, or put all jars of its lib directory on the class"
              + " path.",
          "");
    }
    // Compared as text, because URL.equals may resolve host names.
    boolean ours =
        machine.ownOrigin().map(URL::toExternalForm).equals(found.map(URL::toExternalForm));
    return ours
        ? CheckResult.ok(this, "DiSNI uses Wridscope's native dispatcher.")
        : CheckResult.failure(
            this,
            "DiSNI's own native dispatcher, in %s, comes first on the class path, and needs the library libdisni, which is not installed."
                .formatted(found.get()),
            "Put Wridscope's jar before DiSNI's on the class path.",
            "");
  }
}

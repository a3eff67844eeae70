// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

/** Checks that DiSNI uses Wridscope's native dispatcher, which works without libdisni. */
final class DispatcherCheck implements Check {
  @Override
  public String title() {
    return "DiSNI";
  }

  @Override
  public CheckResult run(Machine machine, Question question) {
    if (!machine.hasDisni()) {
      return CheckResult.failure(
          this,
          "DiSNI is not on the class path.",
          "Start Wridscope with ./wridscope, or put all jars of its lib directory on the class"
              + " path.",
          "");
    }
    return machine
        .foreignDispatcher()
        .map(place ->
            CheckResult.failure(
                this,
                "DiSNI's own native dispatcher, in %s, comes first on the class path, and needs the library libdisni, which is not installed."
                    .formatted(place),
                "Put Wridscope's jar before DiSNI's on the class path.",
                ""))
        .orElseGet(() -> CheckResult.ok(this, "DiSNI uses Wridscope's native dispatcher."));
  }
}

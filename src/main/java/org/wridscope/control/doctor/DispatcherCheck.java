// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.net.URL;
import java.util.Optional;

/** Whether DiSNI calls the RDMA libraries through Wridscope's class, which needs no libdisni. */
final class DispatcherCheck implements Check {
  static final String DISPATCHER = "com.ibm.disni.verbs.impl.NativeDispatcher";

  @Override
  public String title() {
    return "DiSNI";
  }

  @Override
  public Finding look(Machine machine, Question question) {
    Optional<URL> found = machine.originOf(DISPATCHER);
    if (found.isEmpty()) {
      return Finding.failure(
          this,
          "There is no DiSNI on the class path.",
          "Start Wridscope with ./wridscope, or with its jar and lib directory as they were built.",
          "");
    }
    // As text: comparing URLs may look up hosts.
    boolean ours =
        machine.ownOrigin().map(URL::toExternalForm).equals(found.map(URL::toExternalForm));
    return ours
        ? Finding.ok(this, "DiSNI uses Wridscope's native dispatcher.")
        : Finding.failure(
            this,
            "DiSNI's own native dispatcher was found first, in %s, and needs a library that nobody installs."
                .formatted(found.get()),
            "Put Wridscope's jar before DiSNI's on the class path.",
            "");
  }
}

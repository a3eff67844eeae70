// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.nio.file.Files;

/** Checks that user space can reach the RDMA connection manager. */
final class ConnectionManagerCheck implements Check {

  @Override
  public String title() {
    return "connection manager";
  }

  @Override
  public CheckResult run(Machine machine, Question question) {
    if (Files.exists(machine.root().resolve("sys/class/misc/rdma_cm"))) {
      return CheckResult.ok(this, "The kernel's connection manager (rdma_ucm) is loaded.");
    }
    return CheckResult.failure(
        this,
        "The kernel module rdma_ucm is not loaded; RDMA connections need it.",
        "Load the module, as root.",
        "modprobe rdma_ucm");
  }
}

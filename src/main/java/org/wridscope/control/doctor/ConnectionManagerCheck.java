// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.nio.file.Files;

/** Whether the connection manager can be reached. */
final class ConnectionManagerCheck implements Check {

  @Override
  public String title() {
    return "connection manager";
  }

  @Override
  public Finding look(Machine machine, Question question) {
    if (Files.exists(machine.root().resolve("sys/class/misc/rdma_cm"))) {
      return Finding.ok(this, "The kernel's connection manager (rdma_ucm) is loaded.");
    }
    return Finding.failure(
        this,
        "The module rdma_ucm is not loaded, without which nobody can connect.",
        "Load it, as root.",
        "modprobe rdma_ucm");
  }
}

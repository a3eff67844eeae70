// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.util.List;

/** Checks that there is an RDMA device; if not, says how to create one on a network interface. */
final class DevicesCheck implements Check {

  @Override
  public String title() {
    return "devices";
  }

  @Override
  public CheckResult run(Machine machine, Question question) {
    Sysfs sysfs = new Sysfs(machine);
    List<String> devices = sysfs.devices();
    if (!devices.isEmpty()) {
      return CheckResult.ok(
          this,
          devices.size() == 1
              ? "This machine has the RDMA device %s.".formatted(devices.getFirst())
              : "This machine has the RDMA devices %s.".formatted(String.join(", ", devices)));
    }
    List<String> interfaces = sysfs.ethernetInterfaces();
    String sentence = "This machine has no RDMA device.";
    return interfaces.isEmpty()
        ? CheckResult.failure(
            this,
            sentence,
            "Install an RDMA adapter, or add an Ethernet interface for soft-RoCE: this machine has"
                + " none.",
            "")
        : CheckResult.failure(
            this,
            sentence,
            "Install an RDMA adapter, or create a soft-RoCE device, as root.",
            "modprobe rdma_rxe && rdma link add rxe0 type rxe netdev " + interfaces.getFirst());
  }
}

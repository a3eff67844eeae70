// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.util.List;

/** Whether there is an RDMA device, and if not, how to make one of a network interface. */
final class DevicesCheck implements Check {

  @Override
  public String title() {
    return "devices";
  }

  @Override
  public Finding look(Machine machine, Question question) {
    Sysfs sysfs = new Sysfs(machine);
    List<String> devices = sysfs.devices();
    if (!devices.isEmpty()) {
      return Finding.ok(
          this,
          devices.size() == 1
              ? "There is the RDMA device %s.".formatted(devices.getFirst())
              : "There are the RDMA devices %s.".formatted(String.join(", ", devices)));
    }
    List<String> interfaces = sysfs.ethernetInterfaces();
    String sentence = "There is no RDMA device.";
    return interfaces.isEmpty()
        ? Finding.failure(
            this,
            sentence,
            "Plug in an RDMA adapter, or add an Ethernet interface for soft-RoCE: this machine has"
                + " none.",
            "")
        : Finding.failure(
            this,
            sentence,
            "Plug in an RDMA adapter, or make a soft-RoCE device, as root.",
            "modprobe rdma_rxe && rdma link add rxe0 type rxe netdev " + interfaces.getFirst());
  }
}

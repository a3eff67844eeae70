// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.util.List;
import java.util.stream.Collectors;

/** Checks that the ports of the RDMA devices are active. */
final class PortsCheck implements Check {

  @Override
  public String title() {
    return "ports";
  }

  @Override
  public CheckResult run(Machine machine, Question question) {
    List<Sysfs.Port> ports = new Sysfs(machine).ports();
    if (ports.isEmpty()) {
      return CheckResult.note(this, "There are no RDMA ports to check.");
    }
    List<Sysfs.Port> inactive = ports.stream().filter(port -> !port.active()).toList();
    if (inactive.isEmpty()) {
      return CheckResult.ok(
          this,
          ports.size() == 1
              ? "The RDMA port is active."
              : "All %d RDMA ports are active.".formatted(ports.size()));
    }
    String sentence =
        inactive.stream()
            .map(port -> "%s is %s".formatted(port, port.state()))
            .collect(Collectors.joining(", ", "", "."));
    Sysfs.Port first = inactive.getFirst();
    boolean hasInterface = first.ethernet() && !first.interfaces().isEmpty();
    String remedy =
        hasInterface
            ? "Check the cable, and bring the network interface up, as root."
            : first.ethernet()
                ? "Check the cable, and bring the network interface of %s up."
                    .formatted(first.device())
                : "Check the cable of %s, and that a subnet manager (opensm) runs on the fabric."
                    .formatted(first.device());
    String command =
        hasInterface ? "ip link set %s up".formatted(first.interfaces().getFirst()) : "";
    return inactive.size() < ports.size()
        ? CheckResult.warning(this, sentence, remedy, command)
        : CheckResult.failure(this, sentence, remedy, command);
  }
}

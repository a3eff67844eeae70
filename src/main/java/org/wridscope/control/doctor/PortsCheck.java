// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.util.List;
import java.util.stream.Collectors;

/** Whether ports are active. */
final class PortsCheck implements Check {

  @Override
  public String title() {
    return "ports";
  }

  @Override
  public Finding look(Machine machine, Question question) {
    List<Sysfs.Port> ports = new Sysfs(machine).ports();
    if (ports.isEmpty()) {
      return Finding.note(this, "There are no ports to look at.");
    }
    List<Sysfs.Port> inactive = ports.stream().filter(port -> !port.active()).toList();
    if (inactive.isEmpty()) {
      return Finding.ok(
          this,
          ports.size() == 1
              ? "Its port is active."
              : "All %d ports are active.".formatted(ports.size()));
    }
    String sentence =
        inactive.stream()
            .map(port -> "%s is %s".formatted(port, port.state()))
            .collect(Collectors.joining(", ", "", "."));
    Sysfs.Port first = inactive.getFirst();
    boolean hasInterface = first.ethernet() && !first.interfaces().isEmpty();
    String remedy =
        hasInterface
            ? "Check the cable, and bring the interface up, as root."
            : first.ethernet()
                ? "Bring the network interface of %s up, and check the cable."
                    .formatted(first.device())
                : "Check the cable of %s, and that the fabric has a subnet manager (opensm)."
                    .formatted(first.device());
    String command =
        hasInterface ? "ip link set %s up".formatted(first.interfaces().getFirst()) : "";
    return inactive.size() < ports.size()
        ? Finding.warning(this, sentence, remedy, command)
        : Finding.failure(this, sentence, remedy, command);
  }
}

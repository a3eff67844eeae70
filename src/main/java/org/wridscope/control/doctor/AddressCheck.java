// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.wridscope.control.MigrationUri;

/** Checks that the migration address is reached through an RDMA device, whatever the peer is. */
final class AddressCheck implements Check {
  /** Looking up a route needs a port, but the result does not depend on it. */
  private static final int ANY_PORT = 4444;

  @Override
  public String title() {
    return "address";
  }

  @Override
  public CheckResult run(Machine machine, Question question) {
    MigrationUri uri = question.uri();
    if (uri == null) {
      return CheckResult.note(
          this, "The address was not checked: give a migration URI, rdma:HOST:PORT, to check it.");
    }
    List<InetAddress> addresses;
    try {
      addresses = machine.resolve(uri.host());
    } catch (IOException e) {
      return CheckResult.failure(
          this,
          "The host name '%s' cannot be resolved.".formatted(uri.host()),
          "Check the spelling, or use the IP address instead.",
          "");
    }
    List<Sysfs.Port> ports = new Sysfs(machine).ports();
    CheckResult worst = null;
    for (InetAddress address : addresses) {
      CheckResult result = run(machine, ports, address);
      if (result.level() == Level.OK) {
        return result;
      }
      worst = worst == null || result.level().compareTo(worst.level()) < 0 ? result : worst;
    }
    return worst == null ? CheckResult.note(this, "The host has no address.") : worst;
  }

  private CheckResult run(Machine machine, List<Sysfs.Port> ports, InetAddress address) {
    String text = address.getHostAddress();
    if (address.isAnyLocalAddress()) {
      return CheckResult.ok(this, "%s means the addresses of all devices.".formatted(text));
    }
    InetAddress local;
    try {
      local = machine.localTowards(new InetSocketAddress(address, ANY_PORT));
    } catch (IOException e) {
      return CheckResult.failure(
          this,
          "There is no route to %s (%s).".formatted(text, e.getMessage()),
          "Check the address and the routing table.",
          "ip route get " + text);
    }
    Optional<String> owner = interfaceOf(machine, local);
    Optional<Sysfs.Port> port =
        ports.stream()
            .filter(it -> owner.isPresent() && it.interfaces().contains(owner.get()))
            .findFirst();
    if (port.isEmpty()) {
      return notOnADevice(machine, ports, address, local, owner);
    }
    if (address instanceof Inet6Address && port.get().ethernet()) {
      return CheckResult.warning(
          this,
          "%s is an IPv6 address on an Ethernet link (%s), which QEMU refuses; it works only between two Wridscopes."
              .formatted(text, port.get().device()),
          "To migrate from or to a QEMU, use an IPv4 address of the interface %s."
              .formatted(owner.orElse("")),
          "");
    }
    return CheckResult.ok(
        this, "%s is reached through the RDMA device %s.".formatted(text, port.get().device()));
  }

  private static Optional<String> interfaceOf(Machine machine, InetAddress local) {
    return machine.addresses().entrySet().stream()
        .filter(entry -> entry.getValue().contains(local))
        .map(entry -> entry.getKey())
        .findFirst();
  }

  private CheckResult notOnADevice(
      Machine machine,
      List<Sysfs.Port> ports,
      InetAddress address,
      InetAddress local,
      Optional<String> owner) {
    String sentence =
        "%s is reached through the interface %s, which has no RDMA device, so only the software device can be used."
            .formatted(address.getHostAddress(), owner.orElse("of " + local.getHostAddress()));
    String usable =
        ports.stream()
            .flatMap(port -> port.interfaces().stream())
            .distinct()
            .flatMap(name -> machine.addresses().getOrDefault(name, List.of()).stream())
            .filter(it -> !it.isLinkLocalAddress())
            .map(InetAddress::getHostAddress)
            .collect(Collectors.joining(", "));
    if (!usable.isEmpty()) {
      return CheckResult.failure(
          this,
          sentence,
          "Use an address on an RDMA device; this machine has %s.".formatted(usable),
          "");
    }
    return local.isLoopbackAddress() || owner.isEmpty()
        ? CheckResult.failure(
            this,
            sentence,
            "Use the address of an interface with an RDMA device; the loopback interface never has"
                + " one.",
            "")
        : CheckResult.failure(
            this,
            sentence,
            "Create a soft-RoCE device on that interface, as root.",
            "rdma link add rxe0 type rxe netdev " + owner.get());
  }
}

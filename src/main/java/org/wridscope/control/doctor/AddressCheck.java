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

/** Whether an address is reached through an RDMA device, and with every peer. */
final class AddressCheck implements Check {
  /** A route does not depend on the port, but there must be one to ask for it. */
  private static final int ANY_PORT = 4444;

  @Override
  public String title() {
    return "address";
  }

  @Override
  public Finding look(Machine machine, Question question) {
    MigrationUri uri = question.uri();
    if (uri == null) {
      return Finding.note(
          this, "Name a migration URI, rdma:HOST:PORT, to have its address checked.");
    }
    List<InetAddress> addresses;
    try {
      addresses = machine.resolve(uri.host());
    } catch (IOException e) {
      return Finding.failure(
          this,
          "The host '%s' is not known.".formatted(uri.host()),
          "Check its name, or write its IP address.",
          "");
    }
    List<Sysfs.Port> ports = new Sysfs(machine).ports();
    Finding worst = null;
    for (InetAddress address : addresses) {
      Finding finding = look(machine, ports, address);
      if (finding.level() == Level.OK) {
        return finding;
      }
      worst = worst == null || finding.level().compareTo(worst.level()) < 0 ? finding : worst;
    }
    return worst == null ? Finding.note(this, "The host has no address.") : worst;
  }

  private Finding look(Machine machine, List<Sysfs.Port> ports, InetAddress address) {
    String text = address.getHostAddress();
    if (address.isAnyLocalAddress()) {
      return Finding.ok(this, "%s stands for the addresses of all devices.".formatted(text));
    }
    InetAddress local;
    try {
      local = machine.localTowards(new InetSocketAddress(address, ANY_PORT));
    } catch (IOException e) {
      return Finding.failure(
          this,
          "There is no route to %s (%s).".formatted(text, e.getMessage()),
          "Check the address, and the network's routes.",
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
      return Finding.warning(
          this,
          "%s is an IPv6 address on an Ethernet link (%s), which QEMU refuses; between two Wridscopes it works."
              .formatted(text, port.get().device()),
          "Use an IPv4 address of the interface %s.".formatted(owner.orElse("")),
          "");
    }
    return Finding.ok(
        this, "%s is reached through the RDMA device %s.".formatted(text, port.get().device()));
  }

  private static Optional<String> interfaceOf(Machine machine, InetAddress local) {
    return machine.addresses().entrySet().stream()
        .filter(entry -> entry.getValue().contains(local))
        .map(entry -> entry.getKey())
        .findFirst();
  }

  private Finding notOnADevice(
      Machine machine,
      List<Sysfs.Port> ports,
      InetAddress address,
      InetAddress local,
      Optional<String> owner) {
    String sentence =
        "%s is reached through the interface %s, which no RDMA device is on, so that only the software device can be used."
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
      return Finding.failure(
          this,
          sentence,
          "Use an address that an RDMA device carries; here these are: %s.".formatted(usable),
          "");
    }
    return local.isLoopbackAddress() || owner.isEmpty()
        ? Finding.failure(
            this,
            sentence,
            "Use the address of an interface that an RDMA device is on; loopback never has one.",
            "")
        : Finding.failure(
            this,
            sentence,
            "Make a soft-RoCE device on it, as root.",
            "rdma link add rxe0 type rxe netdev " + owner.get());
  }
}

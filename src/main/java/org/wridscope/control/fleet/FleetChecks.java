// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.doctor.CheckResult;
import org.wridscope.control.doctor.Level;
import org.wridscope.libvirt.ReturnPath;
import org.wridscope.libvirt.VirtConnector;
import org.wridscope.libvirt.VirtDomain;
import org.wridscope.libvirt.VirtException;
import org.wridscope.libvirt.VirtHost;
import org.wridscope.libvirt.VirtMigration;
import org.wridscope.libvirt.VirtUri;
import org.wridscope.text.Format;

/** Checks whether two hosts can migrate domains over RDMA. */
public final class FleetChecks {
  /** What QEMU needs besides the guest's RAM. */
  private static final long OVERHEAD = 1L << 30;

  private final VirtConnector connector;
  private final HostProbe probe;

  /**
   * @param connector opens the connections
   */
  public FleetChecks(VirtConnector connector) {
    this(connector, new ShellProbe());
  }

  FleetChecks(VirtConnector connector, HostProbe probe) {
    this.connector = connector;
    this.probe = probe;
  }

  /** The needs of a domain, from its description. */
  private record Need(VirtDomain domain, long ramBytes, OptionalLong hardLimit, String emulator) {}

  /** An end of the migration. */
  private record End(VirtUri uri, VirtHost.Identity identity, @Nullable HostFacts facts) {
    String name() {
      return identity.name();
    }
  }

  /**
   * Checks both hosts. Waits for them.
   *
   * @param domains at least one
   * @throws VirtException if one of them cannot be asked
   */
  public Readiness examine(VirtUri source, VirtUri destination, List<VirtDomain> domains)
      throws VirtException {
    var checks = new ArrayList<FleetCheck>();
    var needs = new ArrayList<Need>();
    End from;
    End to;
    try (VirtHost host = connector.open(source)) {
      for (VirtDomain domain : domains) {
        needs.add(need(host, domain));
      }
      from = look(source, host, needs, checks);
    }
    for (Need need : needs) {
      checks.add(new FleetCheck(from.name(), hardLimit(need, source)));
    }
    try (VirtHost host = connector.open(destination)) {
      to = look(destination, host, needs, checks);
    }
    locked(from, needs, checks);
    locked(to, needs, checks);
    returnPath(from, to, checks);
    String address =
        from.facts() == null || to.facts() == null
            ? ""
            : to.facts().devices().stream()
                .filter(HostFacts.Device::usable)
                .findFirst()
                .map(device -> device.addresses().getFirst())
                .orElse("");
    return new Readiness(checks, address.isEmpty() ? "" : VirtMigration.RDMA + bracketed(address));
  }

  private static String bracketed(String address) {
    return address.indexOf(':') < 0 ? address : "[" + address + "]";
  }

  private static Need need(VirtHost host, VirtDomain domain) throws VirtException {
    VirtXml xml = VirtXml.parse(host.domainXml(domain.id()));
    return new Need(
        domain,
        xml.bytes("memory").orElse(domain.memoryBytes()),
        xml.bytes("hard_limit"),
        xml.text("emulator").orElse(""));
  }

  private End look(VirtUri uri, VirtHost host, List<Need> needs, List<FleetCheck> checks)
      throws VirtException {
    VirtHost.Identity identity = host.identity();
    String name = identity.name();
    checks.add(new FleetCheck(name, transports(host)));
    try {
      HostFacts facts = probe.look(uri, needs.getFirst().emulator());
      checks.add(new FleetCheck(name, qemu(facts, needs.getFirst().emulator())));
      checks.add(new FleetCheck(name, devices(facts)));
      return new End(uri, identity, facts);
    } catch (IOException e) {
      checks.add(
          new FleetCheck(
              name,
              new CheckResult("RDMA device", Level.NOTE, String.valueOf(e.getMessage()), "", "")));
      return new End(uri, identity, null);
    }
  }

  private static CheckResult transports(VirtHost host) throws VirtException {
    boolean rdma = VirtXml.parse(host.capabilitiesXml()).texts("uri_transport").contains("rdma");
    return rdma
        ? new CheckResult("libvirt", Level.OK, "Its libvirt migrates over tcp and rdma.", "", "")
        : new CheckResult(
            "libvirt",
            Level.FAILURE,
            "Its libvirt does not migrate over rdma.",
            "Connect the libvirt of a QEMU, version 1.2 or later.",
            "");
  }

  private static CheckResult qemu(HostFacts facts, String emulator) {
    String check = "QEMU";
    if (facts.qemuHasRdma().isEmpty()) {
      return new CheckResult(
          check,
          Level.NOTE,
          "It is not known whether %s was built with RDMA: the file cannot be read."
              .formatted(emulator.isEmpty() ? "its QEMU" : emulator),
          "",
          "");
    }
    return facts.qemuHasRdma().get()
        ? new CheckResult(check, Level.OK, "%s was built with RDMA.".formatted(emulator), "", "")
        : new CheckResult(
            check,
            Level.FAILURE,
            "%s was built without RDMA.".formatted(emulator),
            "Install a QEMU with RDMA, such as Debian's or Ubuntu's, or migrate over TCP.",
            "");
  }

  private static CheckResult devices(HostFacts facts) {
    String check = "RDMA device";
    if (facts.devices().isEmpty()) {
      return new CheckResult(
          check,
          Level.FAILURE,
          "It has no RDMA device.",
          "Install an RDMA adapter, or create a soft-RoCE device, as root, on its interface.",
          "modprobe rdma_rxe && rdma link add rxe0 type rxe netdev INTERFACE");
    }
    String usable =
        facts.devices().stream()
            .filter(HostFacts.Device::usable)
            .map(device ->
                "%s with %s".formatted(device.name(), String.join(", ", device.addresses())))
            .collect(Collectors.joining("; "));
    if (!usable.isEmpty()) {
      return new CheckResult(
          check, Level.OK, "It has a device that is up: %s.".formatted(usable), "", "");
    }
    HostFacts.Device first = facts.devices().getFirst();
    return first.up()
        ? new CheckResult(
            check,
            Level.FAILURE,
            "The RDMA device %s is up and has no address.".formatted(first.name()),
            "Give its network interface an address, as root.",
            "ip address add ADDRESS/PREFIX dev " + (first.link().isEmpty() ? "LINK" : first.link()))
        : new CheckResult(
            check,
            Level.FAILURE,
            "The RDMA device %s is not up.".formatted(first.name()),
            "Bring its link up: the cable, the switch and the network interface.",
            "ip link set %s up".formatted(first.link().isEmpty() ? "LINK" : first.link()));
  }

  /** libvirt refuses an RDMA migration without the limit, and locks that much memory for it. */
  private static CheckResult hardLimit(Need need, VirtUri host) {
    String check = "hard_limit";
    String name = need.domain().name();
    long enough = need.ramBytes() + OVERHEAD;
    String command =
        "virsh -c '%s' memtune %s --hard-limit %d --live --config"
            .formatted(host, need.domain().id(), enough >> 10);
    if (need.hardLimit().isEmpty()) {
      return new CheckResult(
          check,
          Level.FAILURE,
          "%s has no hard_limit, without which libvirt migrates nothing over RDMA.".formatted(name),
          "Set it to the RAM of the guest and what QEMU needs beside it.",
          command);
    }
    long limit = need.hardLimit().getAsLong();
    return limit > need.ramBytes()
        ? new CheckResult(
            check,
            Level.OK,
            "%s may lock %s, for %s of RAM."
                .formatted(name, Format.bytes(limit), Format.bytes(need.ramBytes())),
            "",
            "")
        : new CheckResult(
            check,
            Level.FAILURE,
            "%s may lock %s, and has %s of RAM, which a device must be able to pin."
                .formatted(name, Format.bytes(limit), Format.bytes(need.ramBytes())),
            "Set its hard_limit to the RAM of the guest and what QEMU needs beside it.",
            command);
  }

  /** An old QEMU needs post-copy to be allowed, for which the destination's prepares itself. */
  private static void returnPath(End from, End to, List<FleetCheck> checks) {
    if (!ReturnPath.needsPostCopy(
        from.identity().hypervisorVersion(), to.identity().hypervisorVersion())) {
      return;
    }
    String check = "return path";
    boolean refused = to.facts() != null && !to.facts().userfaultfd().orElse(true);
    checks.add(
        new FleetCheck(
            to.name(),
            refused
                ? new CheckResult(
                    check,
                    Level.FAILURE,
                    "A QEMU before 8.0 migrates over RDMA only if post-copy is allowed, and its"
                        + " kernel does not let QEMU prepare for that.",
                    "Let QEMU use userfaultfd, as root; libvirt's packages do so in"
                        + " /usr/lib/sysctl.d.",
                    "sysctl vm.unprivileged_userfaultfd=1")
                : new CheckResult(
                    check,
                    Level.OK,
                    "A QEMU before 8.0 migrates over RDMA only if post-copy is allowed; it will be"
                        + " allowed, and not begin.",
                    "",
                    "")));
  }

  /** libvirt of the system raises the limit for its QEMU; that of a user may not. */
  private static void locked(End end, List<Need> needs, List<FleetCheck> checks) {
    HostFacts facts = end.facts();
    if (facts == null || !end.uri().session()) {
      return;
    }
    String check = "locked memory";
    long most =
        needs.stream().mapToLong(need -> need.hardLimit().orElse(need.ramBytes())).max().orElse(0);
    boolean enough = facts.lockableBytes().isEmpty() || facts.lockableBytes().getAsLong() >= most;
    checks.add(
        new FleetCheck(
            end.name(),
            enough
                ? new CheckResult(check, Level.OK, "The user may lock enough memory.", "", "")
                : new CheckResult(
                    check,
                    Level.FAILURE,
                    "The user may lock %s, and libvirt would lock %s."
                        .formatted(
                            Format.bytes(facts.lockableBytes().getAsLong()), Format.bytes(most)),
                    "Add \"USER - memlock unlimited\" to /etc/security/limits.conf and log in"
                        + " again, or use qemu:///system.",
                    "ulimit -l unlimited")));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.wridscope.verbs.rdma.KernelFiles;
import org.wridscope.verbs.rdma.NetworkInterfaces;

/** Reads RDMA devices and network interfaces from sysfs. */
final class Sysfs {
  /** {@code ARPHRD_ETHER} of linux/if_arp.h. */
  private static final String ETHERNET_TYPE = "1";

  private final Path root;
  private final Path infiniband;
  private final NetworkInterfaces interfaces;

  Sysfs(Machine machine) {
    root = machine.root();
    infiniband = root.resolve("sys/class/infiniband");
    interfaces = new NetworkInterfaces(infiniband);
  }

  /**
   * A port of an RDMA device.
   *
   * @param state as the kernel names it, for example {@code ACTIVE}
   * @param interfaces network interfaces with the port's addresses
   */
  record Port(String device, int number, String state, boolean ethernet, List<String> interfaces) {

    boolean active() {
      return state.equals("ACTIVE");
    }

    @Override
    public String toString() {
      return device + " port " + number;
    }
  }

  boolean hasRdma() {
    return Files.isDirectory(infiniband);
  }

  List<String> devices() {
    return interfaces.devices();
  }

  List<Port> ports() {
    List<Port> ports = new ArrayList<>();
    for (String device : devices()) {
      for (int number : interfaces.ports(device)) {
        Path port = infiniband.resolve(device, "ports", Integer.toString(number));
        String state = KernelFiles.read(port.resolve("state")).orElse("unknown");
        ports.add(
            new Port(
                device,
                number,
                // "4: ACTIVE", see Documentation/ABI/stable/sysfs-class-infiniband.
                state.substring(state.indexOf(':') + 1).strip(),
                KernelFiles.read(port.resolve("link_layer")).orElse("").equals("Ethernet"),
                interfacesOf(device, number)));
      }
    }
    return ports;
  }

  private List<String> interfacesOf(String device, int port) {
    List<String> names = interfaces.of(device, port);
    return names.isEmpty()
        ? KernelFiles.read(infiniband.resolve(device, "parent")).stream().toList()
        : names;
  }

  /** Ethernet interfaces; those that are up come first. */
  List<String> ethernetInterfaces() {
    List<String> up = new ArrayList<>();
    List<String> down = new ArrayList<>();
    Path all = root.resolve("sys/class/net");
    for (String name : KernelFiles.list(all)) {
      Path directory = all.resolve(name);
      if (KernelFiles.read(directory.resolve("type")).orElse("").equals(ETHERNET_TYPE)) {
        boolean isUp = KernelFiles.read(directory.resolve("operstate")).orElse("").equals("up");
        (isUp ? up : down).add(name);
      }
    }
    up.addAll(down);
    return up;
  }
}

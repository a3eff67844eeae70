// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The network interfaces of a device's ports, from sysfs. */
public final class NetworkInterfaces {
  private final Path devices;

  /**
   * @param devices the directory with an entry for each RDMA device
   */
  public NetworkInterfaces(Path devices) {
    this.devices = devices;
  }

  static NetworkInterfaces ofThisMachine() {
    return new NetworkInterfaces(Path.of("/sys/class/infiniband"));
  }

  /** Names of the devices. */
  public List<String> devices() {
    return KernelFiles.list(devices);
  }

  /** Interfaces of a port, in the order of its GID table, without duplicates. */
  public List<String> of(String device, int port) {
    List<String> names = ofGids(device, port).distinct().toList();
    return names.isEmpty() ? ofAdapter(device, port) : names;
  }

  /** Whether an interface is one of a port's. */
  boolean belongs(String interfaceName, String device, int port) {
    boolean any = false;
    for (Iterator<String> names = ofGids(device, port).iterator(); names.hasNext(); any = true) {
      if (names.next().equals(interfaceName)) {
        return true;
      }
    }
    return !any && ofAdapter(device, port).contains(interfaceName);
  }

  /** Read when they are asked for: a table of 1,024 entries whose first one is used is common. */
  private Stream<String> ofGids(String device, int port) {
    Path table = devices.resolve(device, "ports", Integer.toString(port), "gid_attrs", "ndevs");
    return KernelFiles.list(table).stream()
        .sorted(Comparator.comparingInt(Integer::parseInt))
        // Reading the entry of an unused identifier fails.
        .flatMap(index -> KernelFiles.read(table.resolve(index)).stream());
  }

  /** On InfiniBand the GID table names no interface: takes the interfaces of the same adapter. */
  List<String> ofAdapter(String device, int port) {
    Path interfaces = devices.resolve(device, "device", "net");
    List<String> names = new ArrayList<>();
    for (String name : KernelFiles.list(interfaces)) {
      // Counted from 0, see Documentation/ABI/testing/sysfs-class-net.
      Optional<String> devicePort = KernelFiles.read(interfaces.resolve(name, "dev_port"));
      if (devicePort.isEmpty() || devicePort.get().equals(Integer.toString(port - 1))) {
        names.add(name);
      }
    }
    return names;
  }

  /** Ports of a device. */
  public List<Integer> ports(String device) {
    return KernelFiles.list(devices.resolve(device, "ports")).stream()
        .map(Integer::valueOf)
        .sorted()
        .toList();
  }

  /** The name of the interface with this number; empty when there is none. */
  static Optional<String> name(int number) {
    try {
      return number <= 0
          ? Optional.empty()
          : Optional.ofNullable(NetworkInterface.getByIndex(number)).map(NetworkInterface::getName);
    } catch (SocketException e) {
      return Optional.empty();
    }
  }

  /** IP addresses of an interface; none when it is gone. */
  static List<InetAddress> addresses(String interfaceName) {
    try {
      NetworkInterface found = NetworkInterface.getByName(interfaceName);
      return found == null ? List.of() : Collections.list(found.getInetAddresses());
    } catch (SocketException e) {
      return List.of();
    }
  }
}

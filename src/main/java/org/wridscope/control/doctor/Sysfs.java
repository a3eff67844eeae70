// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;

/** Reads RDMA devices and network interfaces from sysfs. */
final class Sysfs {
  /** {@code ARPHRD_ETHER} of linux/if_arp.h. */
  private static final String ETHERNET_TYPE = "1";

  private final Path root;

  Sysfs(Machine machine) {
    root = machine.root();
  }

  /**
   * A port of an RDMA device.
   *
   * @param state as the kernel names it, for example {@code ACTIVE}
   * @param interfaces network interfaces with the port's addresses
   */
  record Port(
      String device, String number, String state, boolean ethernet, List<String> interfaces) {

    boolean active() {
      return state.equals("ACTIVE");
    }

    @Override
    public String toString() {
      return device + " port " + number;
    }
  }

  boolean hasRdma() {
    return Files.isDirectory(infiniband());
  }

  List<String> devices() {
    return list(infiniband());
  }

  private Path infiniband() {
    return root.resolve("sys/class/infiniband");
  }

  List<Port> ports() {
    List<Port> ports = new ArrayList<>();
    for (String device : devices()) {
      Path directory = infiniband().resolve(device);
      for (String number : list(directory.resolve("ports"))) {
        Path port = directory.resolve("ports").resolve(number);
        String state = read(port.resolve("state")).orElse("unknown");
        ports.add(
            new Port(
                device,
                number,
                // "4: ACTIVE", see Documentation/ABI/stable/sysfs-class-infiniband.
                state.substring(state.indexOf(':') + 1).strip(),
                read(port.resolve("link_layer")).orElse("").equals("Ethernet"),
                interfaces(directory, port)));
      }
    }
    return ports;
  }

  private static List<String> interfaces(Path device, Path port) {
    SequencedSet<String> names = new LinkedHashSet<>();
    Path table = port.resolve("gid_attrs/ndevs");
    for (String index : list(table)) {
      // Reading the entry of an unused GID index fails.
      read(table.resolve(index)).ifPresent(names::add);
    }
    if (names.isEmpty()) {
      // On InfiniBand the table is empty; the adapter's own interfaces have the IP addresses.
      names.addAll(list(device.resolve("device/net")));
    }
    if (names.isEmpty()) {
      read(device.resolve("parent")).ifPresent(names::add);
    }
    return List.copyOf(names);
  }

  /** Ethernet interfaces; those that are up come first. */
  List<String> ethernetInterfaces() {
    List<String> up = new ArrayList<>();
    List<String> down = new ArrayList<>();
    Path interfaces = root.resolve("sys/class/net");
    for (String name : list(interfaces)) {
      Path directory = interfaces.resolve(name);
      if (read(directory.resolve("type")).orElse("").equals(ETHERNET_TYPE)) {
        boolean isUp = read(directory.resolve("operstate")).orElse("").equals("up");
        (isUp ? up : down).add(name);
      }
    }
    up.addAll(down);
    return up;
  }

  static List<String> list(Path directory) {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        names.add(String.valueOf(entry.getFileName()));
      }
    } catch (IOException e) {
      return List.of();
    }
    Collections.sort(names);
    return names;
  }

  static Optional<String> read(Path file) {
    try {
      String text = Files.readString(file).strip();
      return text.isEmpty() ? Optional.empty() : Optional.of(text);
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.wridscope.telemetry.Format;
import org.wridscope.verbs.DeviceCapabilities;
import org.wridscope.verbs.DeviceDescription;
import org.wridscope.verbs.PortDescription;

/** Devices as people read them: a row for each port, and details below. */
public final class DeviceTable {
  private static final String NONE = "-";

  private DeviceTable() {}

  /**
   * A port of a device; a device without ports has one row all the same.
   *
   * @param addresses IP addresses, with commas between
   */
  public record Row(
      DeviceDescription device,
      String port,
      String state,
      String linkLayer,
      String mtu,
      String lid,
      String networkInterface,
      String addresses) {}

  /** A detail and what it is, such as {@code GID}. */
  public record Detail(String name, String value) {}

  /** All ports, those of the machine's devices first. */
  public static List<Row> rows(DeviceListing listing) {
    List<Row> rows = new ArrayList<>();
    for (DeviceDescription device : listing.installed()) {
      device.ports().forEach(port -> rows.add(row(device, port)));
      if (device.ports().isEmpty()) {
        rows.add(new Row(device, NONE, NONE, NONE, NONE, NONE, NONE, NONE));
      }
    }
    rows.add(
        new Row(listing.software(), NONE, "active", "tcp", NONE, NONE, "every one", "every one"));
    return rows;
  }

  private static Row row(DeviceDescription device, PortDescription port) {
    return new Row(
        device,
        Integer.toString(port.number()),
        lower(port.state()),
        lower(port.linkLayer()),
        Integer.toString(port.activeMtu()),
        port.lid() == 0 ? NONE : Integer.toString(port.lid()),
        port.networkInterface().isEmpty() ? NONE : port.networkInterface(),
        port.addresses().isEmpty()
            ? NONE
            : port.addresses().stream()
                .map(InetAddress::getHostAddress)
                .collect(Collectors.joining(", ")));
  }

  /** Identifiers, addresses and limits of a device. */
  public static List<Detail> details(DeviceDescription device) {
    List<Detail> details = new ArrayList<>();
    if (!device.nodeGuid().isEmpty()) {
      details.add(new Detail("node GUID", device.nodeGuid()));
    }
    if (!device.firmware().isEmpty()) {
      details.add(new Detail("firmware", device.firmware()));
    }
    for (PortDescription port : device.ports()) {
      String where = device.ports().size() == 1 ? "" : " (port %d)".formatted(port.number());
      for (InetAddress address : port.addresses()) {
        details.add(new Detail("address", address.getHostAddress() + where));
      }
      port.gids().forEach(gid -> details.add(new Detail("GID", gid + where)));
    }
    DeviceCapabilities limits = device.capabilities();
    details.add(
        new Detail(
            "limits",
            "%s queue pairs, each of %s work requests"
                .formatted(
                    Format.count(limits.maxQueuePairs()),
                    Format.count(limits.maxQueuePairWorkRequests()))));
    details.add(
        new Detail(
            "",
            "%s entries in a completion queue"
                .formatted(Format.count(limits.maxCompletionQueueEntries()))));
    details.add(
        new Detail(
            "",
            "%s memory regions %s"
                .formatted(
                    Format.count(limits.maxMemoryRegions()),
                    // Devices say "as long as there are addresses" with all bits, or nearly all.
                    limits.maxMemoryRegionSize() < 0 || limits.maxMemoryRegionSize() >= 1L << 62
                        ? "of any size"
                        : "of at most " + Format.bytes(limits.maxMemoryRegionSize()))));
    details.add(new Detail("", "messages of at most " + Format.bytes(limits.maxMessageSize())));
    return details;
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.wridscope.text.Format;
import org.wridscope.verbs.DeviceCapabilities;
import org.wridscope.verbs.DeviceDescription;
import org.wridscope.verbs.PortDescription;

/** Text for tables of devices: a row for each port, and details of each device. */
public final class DeviceTable {
  private static final String NONE = "-";

  private DeviceTable() {}

  /**
   * A port of a device. A device without ports has one row, too.
   *
   * @param addresses IP addresses, separated by commas
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

  /** A detail of a device and its name, for example {@code GID}. */
  public record Detail(String name, String value) {}

  /** A row for each port, those of the installed devices first. */
  public static List<Row> rows(DeviceListing listing) {
    List<Row> rows = new ArrayList<>();
    for (DeviceDescription device : listing.installed()) {
      device.ports().forEach(port -> rows.add(row(device, port)));
      if (device.ports().isEmpty()) {
        rows.add(new Row(device, NONE, NONE, NONE, NONE, NONE, NONE, NONE));
      }
    }
    rows.add(new Row(listing.software(), NONE, "active", "tcp", NONE, NONE, "all", "all"));
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
            "%s queue pairs with %s work requests each"
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
                    // Devices without a limit report a number with all bits set, or nearly all.
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

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import com.google.gson.Gson;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.wridscope.control.DeviceListing;
import org.wridscope.control.SessionManager;
import org.wridscope.telemetry.Format;
import org.wridscope.verbs.DeviceCapabilities;
import org.wridscope.verbs.DeviceDescription;
import org.wridscope.verbs.PortDescription;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code wridscope devices}: the devices that sessions can use. */
@Command(
    name = "devices",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description =
        "Lists the RDMA devices of this machine with their ports, addresses and limits, and the"
            + " software device, which is always there.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"  0:listed; standard error says what could not be looked at"})
final class DevicesCommand implements Callable<Integer> {
  private static final Gson GSON =
      ReportJson.GSON
          .newBuilder()
          .registerTypeHierarchyAdapter(
              InetAddress.class,
              (JsonSerializer<InetAddress>)
                  (address, _, _) -> new JsonPrimitive(address.getHostAddress()))
          .create();

  private final Supplier<SessionManager> managers;
  private final Terminal terminal;

  @Option(names = "--json", description = "Print the list as JSON")
  private boolean json;

  DevicesCommand(Supplier<SessionManager> managers, Terminal terminal) {
    this.managers = managers;
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    DeviceListing listing;
    try (SessionManager manager = managers.get()) {
      listing = manager.devices();
    } catch (IOException e) {
      terminal.message("wridscope: " + e.getMessage());
      return ExitCode.FAILED.number();
    }
    if (json) {
      terminal.result(GSON.toJson(listing));
    } else {
      show(listing);
    }
    if (listing.problem() != null) {
      terminal.message("wridscope: " + listing.problem());
    }
    return ExitCode.COMPLETED.number();
  }

  private void show(DeviceListing listing) {
    row("DEVICE", "PORT", "STATE", "LINK LAYER", "MTU", "LID", "INTERFACE");
    for (DeviceDescription device : listing.installed()) {
      for (PortDescription port : device.ports()) {
        row(
            device.name(),
            Integer.toString(port.number()),
            lower(port.state()),
            lower(port.linkLayer()),
            Integer.toString(port.activeMtu()),
            port.lid() == 0 ? "-" : Integer.toString(port.lid()),
            port.networkInterface().isEmpty() ? "-" : port.networkInterface());
      }
      if (device.ports().isEmpty()) {
        row(device.name(), "-", "-", "-", "-", "-", "-");
      }
    }
    row(listing.software().name(), "-", "active", "tcp", "-", "-", "every one");
    listing.all().forEach(this::details);
  }

  private void row(String... columns) {
    terminal.result(String.format(
            Locale.ROOT, "%-10s %4s  %-8s %-11s %5s %6s  %s", (Object[]) columns));
  }

  private void details(DeviceDescription device) {
    terminal.result("");
    terminal.result(device.name());
    if (!device.nodeGuid().isEmpty()) {
      detail("node GUID", device.nodeGuid());
    }
    if (!device.firmware().isEmpty()) {
      detail("firmware", device.firmware());
    }
    for (PortDescription port : device.ports()) {
      String where = device.ports().size() == 1 ? "" : " (port %d)".formatted(port.number());
      port.addresses().forEach(address -> detail("address", address.getHostAddress() + where));
      port.gids().forEach(gid -> detail("GID", gid + where));
    }
    limits(device.capabilities()).forEach(limit -> detail("limit", limit));
  }

  private static List<String> limits(DeviceCapabilities limits) {
    return List.of(
        "queue pairs: %s, of %s work requests"
            .formatted(
                Format.count(limits.maxQueuePairs()),
                Format.count(limits.maxQueuePairWorkRequests())),
        "completion queue: %s entries"
            .formatted(Format.count(limits.maxCompletionQueueEntries())),
        "memory regions: %s%s"
            .formatted(
                Format.count(limits.maxMemoryRegions()),
                // Devices say "as long as there are addresses" with all bits, or nearly all.
                limits.maxMemoryRegionSize() < 0 || limits.maxMemoryRegionSize() >= 1L << 62
                    ? ", of any size"
                    : ", up to " + Format.bytes(limits.maxMemoryRegionSize())),
        "message: up to " + Format.bytes(limits.maxMessageSize()));
  }

  private void detail(String name, String value) {
    terminal.result("  %-9s %s".formatted(name, value));
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}

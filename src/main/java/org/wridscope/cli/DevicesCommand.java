// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import com.google.gson.Gson;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Locale;
import java.util.function.Supplier;
import org.wridscope.control.DeviceListing;
import org.wridscope.control.DeviceTable;
import org.wridscope.control.SessionManager;
import org.wridscope.verbs.DeviceDescription;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code wridscope devices}: lists the devices that sessions can use. */
@Command(
    description =
        "Lists the RDMA devices of this machine with their ports, addresses and limits, and the"
            + " embedded software device.",
    exitCodeList = {"  0:listed; standard error says if RDMA devices could not be listed"})
final class DevicesCommand extends TerminalCommand {
  private static final Gson GSON =
      ReportJson.GSON
          .newBuilder()
          .registerTypeHierarchyAdapter(
              InetAddress.class,
              (JsonSerializer<InetAddress>)
                  (address, _, _) -> new JsonPrimitive(address.getHostAddress()))
          .create();

  private final Supplier<SessionManager> managers;

  @Option(names = "--json", description = "Print the list as JSON")
  private boolean json;

  DevicesCommand(Supplier<SessionManager> managers, Terminal terminal) {
    super(terminal);
    this.managers = managers;
  }

  @Override
  ExitCode execute() throws IOException {
    DeviceListing listing;
    try (SessionManager manager = managers.get()) {
      listing = manager.devices();
    }
    if (json) {
      terminal.result(GSON.toJson(listing));
    } else {
      show(listing);
    }
    if (listing.problem() != null) {
      terminal.problem(listing.problem());
    }
    return ExitCode.COMPLETED;
  }

  private void show(DeviceListing listing) {
    row("DEVICE", "PORT", "STATE", "LINK LAYER", "MTU", "LID", "INTERFACE");
    for (DeviceTable.Row row : DeviceTable.rows(listing)) {
      row(
          row.device().name(),
          row.port(),
          row.state(),
          row.linkLayer(),
          row.mtu(),
          row.lid(),
          row.networkInterface());
    }
    for (DeviceDescription device : listing.all()) {
      terminal.result("");
      terminal.result(device.name());
      for (DeviceTable.Detail detail : DeviceTable.details(device)) {
        terminal.result("  %-9s  %s".formatted(detail.name(), detail.value()));
      }
    }
  }

  private void row(String... columns) {
    terminal.result(
        String.format(Locale.ROOT, "%-12s %4s  %-8s %-11s %5s %6s  %s", (Object[]) columns));
  }
}

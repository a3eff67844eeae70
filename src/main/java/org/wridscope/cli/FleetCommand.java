// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.fleet.Fleet;
import org.wridscope.control.fleet.FleetHost;
import org.wridscope.libvirt.VirtConnector;
import org.wridscope.libvirt.VirtDomain;
import org.wridscope.libvirt.VirtHost;
import org.wridscope.libvirt.VirtUri;
import org.wridscope.text.Format;
import org.wridscope.units.Parse;
import org.wridscope.verbs.common.Uninterrupted;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code wridscope fleet}: lists hosts and their domains. */
@Command(
    description = "Lists hosts, through libvirt, with their domains (docs/fleet.md).",
    exitCodeList = {
      "  0:every host has answered",
      "  1:a host could not be asked",
      "  2:bad input: an option or an address"
    })
final class FleetCommand extends TerminalCommand {
  private static final Duration FRAME = Duration.ofMillis(50);

  private static final Gson GSON =
      new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

  private final VirtConnector libvirt;

  @Parameters(
      arity = "1..*",
      paramLabel = "URI",
      description =
          "Addresses of libvirts, such as qemu+ssh://HOST/system, qemu:///system or"
              + " qemu:///session")
  private List<String> addresses = new ArrayList<>();

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description = "Give up a host after this time. Default: ${DEFAULT-VALUE}")
  private String timeout = "30s";

  @Option(names = "--json", description = "Print the hosts and domains as JSON")
  private boolean json;

  FleetCommand(VirtConnector libvirt, Terminal terminal) {
    super(terminal);
    this.libvirt = libvirt;
  }

  /** A host in JSON. */
  private record HostJson(
      String uri,
      @Nullable String host,
      @Nullable String hypervisor,
      @Nullable String libvirt,
      List<DomainJson> domains,
      @Nullable String problem) {}

  /** A domain in JSON; memory in bytes. */
  private record DomainJson(String name, String id, String state, long memory, int processors) {}

  @Override
  ExitCode execute() throws InputException, IOException {
    var uris = new ArrayList<VirtUri>();
    for (String address : addresses) {
      uris.add(InputException.checked(() -> VirtUri.parse(address)));
    }
    long limit = InputException.checked(() -> Parse.duration("--timeout", timeout)).toNanos();
    try (var fleet = new Fleet(libvirt)) {
      uris.forEach(fleet::connect);
      long begin = System.nanoTime();
      while (fleet.list().stream().anyMatch(host -> host.phase() == FleetHost.Phase.CONNECTING)
          && System.nanoTime() - begin < limit) {
        Uninterrupted.sleep(FRAME);
      }
      List<FleetHost> hosts = fleet.list();
      if (json) {
        terminal.result(GSON.toJson(hosts.stream().map(FleetCommand::asJson).toList()));
      } else {
        hosts.forEach(this::show);
      }
      return hosts.stream().allMatch(host -> host.phase() == FleetHost.Phase.CONNECTED)
          ? ExitCode.COMPLETED
          : ExitCode.FAILED;
    }
  }

  private static String problem(FleetHost host) {
    return host.message().isEmpty()
        ? "%s has not answered within the time limit.".formatted(host.uri())
        : host.message();
  }

  private static HostJson asJson(FleetHost host) {
    VirtHost.Identity identity = host.identity();
    return new HostJson(
        host.uri().toString(),
        identity == null ? null : identity.name(),
        identity == null ? null : identity.hypervisor(),
        identity == null ? null : identity.libvirt(),
        host.domains().stream().map(FleetCommand::asJson).toList(),
        host.phase() == FleetHost.Phase.CONNECTED ? null : problem(host));
  }

  private static DomainJson asJson(VirtDomain domain) {
    return new DomainJson(
        domain.name(),
        domain.id().toString(),
        domain.state().text(),
        domain.memoryBytes(),
        domain.processors());
  }

  private void show(FleetHost host) {
    VirtHost.Identity identity = host.identity();
    if (identity == null || host.phase() != FleetHost.Phase.CONNECTED) {
      terminal.problem(problem(host));
      return;
    }
    terminal.result(
        "%s  %s, %s, libvirt %s, %s, %s"
            .formatted(
                identity.name(),
                host.uri(),
                identity.hypervisor(),
                identity.libvirt(),
                Format.bytes(identity.memoryBytes()),
                Format.counted(identity.processors(), "CPU")));
    for (VirtDomain domain : host.domains()) {
      terminal.result(
          "  %-20s %-10s %10s  %s"
              .formatted(
                  domain.name(),
                  domain.state().text(),
                  Format.bytes(domain.memoryBytes()),
                  Format.counted(domain.processors(), "CPU")));
    }
  }
}

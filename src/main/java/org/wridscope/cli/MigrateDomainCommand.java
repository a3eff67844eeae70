// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionManager;
import org.wridscope.control.SessionPair;
import org.wridscope.control.fleet.FleetChecks;
import org.wridscope.control.fleet.FleetMigrations;
import org.wridscope.control.fleet.FleetPlan;
import org.wridscope.control.fleet.Readiness;
import org.wridscope.libvirt.VirtConnector;
import org.wridscope.libvirt.VirtDomain;
import org.wridscope.libvirt.VirtException;
import org.wridscope.libvirt.VirtHost;
import org.wridscope.libvirt.VirtMigration;
import org.wridscope.libvirt.VirtUri;
import org.wridscope.settings.Defaults;
import org.wridscope.settings.ManagedSetting;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Place;
import org.wridscope.settings.Settings;
import org.wridscope.units.Parse;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code wridscope migrate-domain}: migrates a domain by libvirt. */
@Command(
    description = {
      "Migrates a domain from one host to another through their libvirts (docs/fleet.md): over RDMA"
          + " if both hosts pass the checks, otherwise over TCP. libvirt and the QEMUs transfer the"
          + " guest by themselves; Wridscope starts that, shows it, and cancels it at Ctrl-C."
    },
    exitCodeList = {
      "  0:the migration completed; with --check: nothing prevents RDMA",
      "  1:the migration failed, or cannot be started; with --check: something prevents RDMA",
      "  2:bad input: an option or an address",
      "130:cancelled with Ctrl-C"
    })
final class MigrateDomainCommand extends TerminalCommand {
  private final MigrationRunner runner;
  private final VirtConnector libvirt;

  @Parameters(index = "0", paramLabel = "DOMAIN", description = "Name or UUID of the domain")
  private String domain = "";

  @Parameters(
      index = "1",
      paramLabel = "SOURCE",
      description = "The libvirt of the host where it runs, such as qemu:///system")
  private String source = "";

  @Parameters(
      index = "2",
      paramLabel = "DESTINATION",
      description = "The libvirt of the other host, such as qemu+ssh://HOST/system")
  private String destination = "";

  @Option(names = "--check", description = "Only check whether both hosts can migrate over RDMA")
  private boolean check;

  @Option(
      names = "--uri",
      paramLabel = "URI",
      description =
          "Where QEMU migrates to, rdma://HOST or tcp://HOST, without asking what the hosts can do")
  private @Nullable String uri;

  @Mixin
  private final SettingOptions settings = new SettingOptions(Defaults.SESSION, Place.LIBVIRT);

  @Mixin private final QmpOption qmp = new QmpOption();

  @Mixin private final OutputOptions outputs = new OutputOptions();

  MigrateDomainCommand(MigrationRunner runner, VirtConnector libvirt, Terminal terminal) {
    super(terminal);
    this.runner = runner;
    this.libvirt = libvirt;
  }

  @Override
  ExitCode execute() throws InputException, IOException, InterruptedException {
    VirtUri from = InputException.checked(() -> VirtUri.parse(source));
    VirtUri to = InputException.checked(() -> VirtUri.parse(destination));
    if (check) {
      Readiness readiness = readiness(from, to, find(from));
      readiness.checks().forEach(one -> CheckText.show(terminal, one.host(), one.result()));
      return readiness.rdma() ? ExitCode.COMPLETED : ExitCode.FAILED;
    }
    try (var migrations = new FleetMigrations(libvirt)) {
      return runner.run(() -> task(migrations, from, to), outputs, qmp);
    }
  }

  private MigrationRunner.Task task(FleetMigrations migrations, VirtUri from, VirtUri to)
      throws InputException, IOException {
    // Wrong options are told before a host is asked.
    Settings read = settings.read();
    VirtMigration typed = uri == null ? null : FleetPlan.how(uri, read);
    VirtDomain found = find(from);
    VirtMigration how = typed == null ? chosen(readiness(from, to, found), read) : typed;
    var plan =
        new FleetPlan(
            from, to, found.id(), found.name(), how, read.get(MigrationSetting.DOWNTIME_LIMIT));
    return new MigrationRunner.Task(
        "migrate %s from %s to %s over %s"
            .formatted(found.name(), from, to, how.uri().isEmpty() ? "tcp" : how.uri()),
        "asking libvirt",
        false,
        (manager, _) -> start(manager, migrations, plan),
        _ -> {},
        null);
  }

  private static SessionPair start(
      SessionManager manager, FleetMigrations migrations, FleetPlan plan) {
    var session = migrations.start(plan, ManagedSetting.AT_ONCE.usual()).session();
    manager.add(session);
    return new SessionPair(session, null);
  }

  private VirtDomain find(VirtUri host) throws VirtException {
    try (VirtHost connection = libvirt.open(host)) {
      return connection.domains().stream()
          .filter(one -> one.name().equals(domain) || one.id().toString().equals(domain))
          .findFirst()
          .orElseThrow(() ->
              new VirtException(
                  "There is no domain %s at %s; './wridscope fleet %s' lists them."
                      .formatted(Parse.quoted(domain), host, host)));
    }
  }

  private Readiness readiness(VirtUri from, VirtUri to, VirtDomain found) throws VirtException {
    return new FleetChecks(libvirt).examine(from, to, List.of(found));
  }

  /** RDMA if both hosts can. */
  private VirtMigration chosen(Readiness readiness, Settings read) throws InputException {
    if (readiness.rdma() && read.get(ManagedSetting.CONNECTIONS) == 0) {
      return FleetPlan.how(readiness.rdmaUri(), read);
    }
    readiness.checks().stream()
        .filter(one -> !one.result().remedy().isEmpty())
        .forEach(one -> terminal.message("%s: %s".formatted(one.host(), one.result().sentence())));
    if (read.get(MigrationSetting.PIN_ALL)) {
      throw new InputException(
          "--pin-all: these hosts cannot migrate over RDMA as far as is known; --check says why,"
              + " and --uri rdma://HOST tries it anyway.");
    }
    return FleetPlan.how("", read);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.cli.PeerBenchmark.Link;
import org.wridscope.control.Parse;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.telemetry.Format;
import org.wridscope.verbs.DeviceDescription;
import org.wridscope.verbs.PortDescription;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code wridscope bench}: how fast migrations are here, beside how fast memory is here. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {
      "Measures, in one run, a memory copy, a zero scan, and whole migrations of a synthetic guest"
          + " over the embedded software RDMA device.",
      "",
      "Each is given in GB/s, 10^9 bytes of RAM dealt with a second over the whole time, and as a"
          + " share of the memory copy; what a busy guest's pages cost again counts again."
          + " The median of the repetitions is shown.",
      "",
      "With --rdma or --tcp: migrations of RAM that is random, by QEMU and by Wridscope over the"
          + " same link, as a share of what the link itself carries (ib_write_bw of Debian's"
          + " perftest, or a plain loopback connection)."
    })
final class BenchCommand implements Callable<Integer> {
  private static final Duration PATIENCE = Duration.ofSeconds(15);
  private static final int MAX_REPEAT = 1000;

  private static final Gson GSON =
      new GsonBuilder()
          .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
          .setPrettyPrinting()
          .create();

  private final Supplier<SessionManager> managers;
  private final Terminal terminal;
  private final FreeMemory freeMemory;

  @Option(names = "--json", description = "Print the results as JSON")
  private boolean json;

  @Option(
      names = "--ram",
      paramLabel = "SIZE",
      defaultValue = LabCommand.DEFAULT_RAM,
      description = "RAM of the guest and of the copy. Default: ${DEFAULT-VALUE}")
  private String ram = LabCommand.DEFAULT_RAM;

  @Option(
      names = "--repeat",
      paramLabel = "NUMBER",
      defaultValue = "3",
      description = "How often to measure each. Default: ${DEFAULT-VALUE}")
  private String repeat = "3";

  @ArgGroup private @Nullable Peers peers;

  /** Which link is shared with a QEMU. */
  private static final class Peers {
    @Option(
        names = "--rdma",
        required = true,
        paramLabel = "DEVICE",
        arity = "0..1",
        fallbackValue = "",
        description =
            "Compare with QEMU and ib_write_bw on an RDMA device. Default: the first with an active"
                + " port and an IPv4 address")
    private @Nullable String rdma;

    @Option(
        names = "--tcp",
        required = true,
        description = "Compare the software device over TCP with QEMU's migration over TCP")
    private boolean tcp;
  }

  /**
   * @param managers opens what runs the sessions
   */
  BenchCommand(Supplier<SessionManager> managers, Terminal terminal, FreeMemory freeMemory) {
    this.managers = managers;
    this.terminal = terminal;
    this.freeMemory = freeMemory;
  }

  @Override
  public Integer call() throws InterruptedException {
    ExitCode code;
    try (Interruption interruption = new Interruption(PATIENCE)) {
      long ramBytes = ramBytes();
      int repetitions = repetitions();
      try (SessionManager manager = managers.get()) {
        interruption.onRequest(() -> manager.sessions().forEach(Session::cancel));
        Turns turns = new Turns(manager, interruption, terminal::message);
        if (peers == null) {
          show(new LabBenchmark(manager, ramBytes, turns).run(repetitions), ramBytes, repetitions);
        } else {
          try (var benchmark = new PeerBenchmark(manager, turns, link(manager, peers), ramBytes)) {
            show(benchmark.run(repetitions));
          }
        }
        code = ExitCode.COMPLETED;
      }
    } catch (InputException e) {
      terminal.message("wridscope: " + e.getMessage());
      code = ExitCode.USAGE;
    } catch (InterruptedBenchmarkException e) {
      terminal.message("wridscope: interrupted; there are no results.");
      code = ExitCode.INTERRUPTED;
    } catch (IOException e) {
      terminal.message("wridscope: " + e.getMessage());
      code = ExitCode.FAILED;
    }
    return code.number();
  }

  private static Link link(SessionManager manager, Peers peers) throws IOException, InputException {
    if (peers.tcp) {
      return Link.tcp();
    }
    String wanted = peers.rdma == null ? "" : peers.rdma;
    for (DeviceDescription device : manager.devices().installed()) {
      for (PortDescription port : device.ports()) {
        Optional<InetAddress> address =
            port.addresses().stream().filter(Inet4Address.class::isInstance).findFirst();
        if ((wanted.isEmpty() || wanted.equals(device.name()))
            && port.state() == PortDescription.PortState.ACTIVE
            && address.isPresent()) {
          return Link.rdma(device.name(), address.get().getHostAddress());
        }
      }
    }
    throw new InputException(
        wanted.isEmpty()
            ? "--rdma: no RDMA device has an active port with an IPv4 address; 'wridscope doctor'"
                + " says what to do."
            : "--rdma: device '%s' has no active port with an IPv4 address, or is not there; 'wridscope devices' lists them."
                .formatted(wanted));
  }

  private long ramBytes() throws InputException {
    try {
      long bytes = Parse.ram("--ram", ram);
      freeMemory.require("--ram", bytes);
      return bytes;
    } catch (IllegalArgumentException e) {
      throw new InputException(String.valueOf(e.getMessage()));
    }
  }

  private int repetitions() throws InputException {
    long number;
    try {
      number = Parse.number("--repeat", repeat);
    } catch (IllegalArgumentException e) {
      throw new InputException(String.valueOf(e.getMessage()));
    }
    if (number < 1 || number > MAX_REPEAT) {
      throw new InputException(
          "--repeat: %s is out of range; write 1 to %d.".formatted(repeat, MAX_REPEAT));
    }
    return (int) number;
  }

  private void show(LabBenchmark.Results results, long ramBytes, int repetitions) {
    if (json) {
      terminal.result(GSON.toJson(results));
      return;
    }
    terminal.result("%s of RAM, repetitions: %d".formatted(Format.bytes(ramBytes), repetitions));
    terminal.result("%-36s %8s %8s".formatted("", "GB/s", "of copy"));
    for (Turns.Result result : results.results()) {
      terminal.result(
          String.format(
              Locale.ROOT, "%-36s %8.2f %8.2f", result.name(), result.gbPerS(), result.ratio()));
    }
    terminal.result(
        String.format(
            Locale.ROOT,
            "monitoring costs %s, recording %s more; of %d pairs, with 95 %% confidence",
            text(results.monitoringCost()),
            text(results.recordingCost()),
            results.recordingCost().pairs()));
  }

  private static String text(Cost cost) {
    return String.format(
        Locale.ROOT, "%.1f %% of the time (%.1f to %.1f)", cost.percent(), cost.low(), cost.high());
  }

  private void show(PeerBenchmark.Results results) {
    if (json) {
      terminal.result(GSON.toJson(results));
      return;
    }
    terminal.result(
        "%s of RAM, none of it zero, over %s, repetitions: %d"
            .formatted(Format.bytes(results.ramBytes()), results.link(), results.repetitions()));
    terminal.result(
        "%-24s %8s %8s %24s".formatted("", "GB/s", "of link", "registration round trips"));
    for (PeerBenchmark.PeerResult result : results.results()) {
      Long trips = result.registrationRoundTrips();
      terminal.result(
          String.format(
              Locale.ROOT,
              "%-24s %8.3f %8.2f %24s",
              result.name(),
              result.gbPerS(),
              result.ratio(),
              trips == null ? "" : trips));
    }
  }
}

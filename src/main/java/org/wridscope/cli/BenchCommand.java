// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.bench.BenchmarkRounds;
import org.wridscope.bench.Cost;
import org.wridscope.bench.ExploreBenchmark;
import org.wridscope.bench.FrameBenchmark;
import org.wridscope.bench.InterruptedBenchmarkException;
import org.wridscope.bench.LabBenchmark;
import org.wridscope.bench.PeerBenchmark;
import org.wridscope.bench.PeerBenchmark.Link;
import org.wridscope.bench.ProgramLaunch;
import org.wridscope.bench.QemuBenchmark;
import org.wridscope.bench.ScaleBenchmark;
import org.wridscope.bench.StartBenchmark;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.qemu.CounterGuest;
import org.wridscope.settings.Defaults;
import org.wridscope.settings.GuestSetting;
import org.wridscope.text.Format;
import org.wridscope.units.Parse;
import org.wridscope.verbs.DeviceDescription;
import org.wridscope.verbs.PortDescription;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code wridscope bench}: compares the speed of migrations with that of memory or a link. */
@Command(
    description = {
      "Measures a memory copy, a pure read, a zero scan, and complete migrations of a synthetic"
          + " guest over the embedded software RDMA device.",
      "",
      "Prints the median of the repetitions in GB/s (10^9 bytes of RAM per second of the total"
          + " time) and relative to the memory copy. Pages that a busy guest dirties again count"
          + " again.",
      "",
      "With --rdma or --tcp: compares migrations of random RAM by QEMU and by Wridscope over the"
          + " same link, relative to the throughput of the link (ib_write_bw of Debian's package"
          + " perftest, or a plain loopback connection).",
      "",
      "With --qemu: starts pairs of QEMUs on this machine and migrates the running guest of one to"
          + " the other, by QEMU and by Wridscope, over TCP or with --rdma over an RDMA device."
          + " Prints medians of the total time, the downtime, and the speed of the guest's loop"
          + " meanwhile, all read from the guest's RAM.",
      "",
      "With --start: starts this program again and again, with the cache for fast starts and"
          + " without it. Prints medians of the time that --version takes, of the time from the"
          + " start until the first frame of the window is drawn and until the window answers"
          + " within 50 ms, and of the downtime of a process's first migration without that of the"
          + " last pages.",
      "",
      "With --window: opens the window, migrates a guest with each of its views open, one after the"
          + " other, --repeat times, and measures each frame of the window's thread. Prints how long"
          + " frames take, how many take over 50 ms, and what the thread does in those.",
      "",
      "With --explore: runs small random migrations, as lab --explore does. Prints medians of how"
          + " many end in a second under schedules, and in real time on the same machine.",
      "",
      "With --scale: migrates, records, captures and restores guests with more and more RAM, of"
          + " which they have touched a hundredth, or less if all copies would take more than half of"
          + " the memory, between sparse files in /dev/shm, or in the directory for temporary files"
          + " (java.io.tmpdir) if there is no room. Prints what each step takes, and the heap."
    })
final class BenchCommand extends TerminalCommand {
  private static final Duration PATIENCE = Duration.ofSeconds(15);
  private static final int MAX_REPEAT = 1000;
  private static final String DIRTY_RATE = "--dirty-rate";
  private static final String START = "--start";
  private static final String WINDOW = "--window";
  private static final String EXPLORE = "--explore";
  private static final String SCALE = "--scale";
  private static final String USUAL_DIRTY_RATE = "16MiB/s";
  private static final String RUNS = "--runs";

  /** Take about a second. */
  private static final int USUAL_RUNS = 2000;

  private static final int MAX_RUNS = 1_000_000;

  private static final Gson GSON =
      new GsonBuilder()
          .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
          .setPrettyPrinting()
          .create();

  private final Supplier<SessionManager> managers;
  private final Map<String, String> environment;
  private final FreeMemory freeMemory;

  @Option(names = "--json", description = "Print the results as JSON")
  private boolean json;

  @Option(
      names = "--ram",
      paramLabel = "SIZE",
      description = "RAM of the guest, and size of the memory copy. Default: ${DEFAULT-VALUE}")
  private String ram = GuestSetting.RAM.text(Defaults.SESSION);

  @Option(
      names = "--repeat",
      paramLabel = "NUMBER",
      defaultValue = "3",
      description = "Number of repetitions. Default: ${DEFAULT-VALUE}")
  private String repeat = "3";

  @Option(names = "--qemu", description = "Migrate the running guest of a QEMU to another QEMU")
  private boolean qemu;

  @Option(
      names = DIRTY_RATE,
      paramLabel = "RATE",
      description =
          "With --qemu: memory that the guest writes while it does not idle. Default: "
              + USUAL_DIRTY_RATE)
  private @Nullable String dirtyRate;

  @Option(
      names = START,
      description =
          "Measure starts of the program; the window opens on the display, or in memory if there is"
              + " none")
  private boolean start;

  @Option(
      names = WINDOW,
      description =
          "Measure the frames of the window while it shows migrations; it opens on the display, or"
              + " in memory if there is none")
  private boolean window;

  @Option(names = EXPLORE, description = "Measure how fast random migrations are explored")
  private boolean explore;

  @Option(
      names = RUNS,
      paramLabel = "NUMBER",
      description =
          "With --explore: how many of each round are under schedules; one for every 20 of them is"
              + " in real time. Default: "
              + USUAL_RUNS)
  private @Nullable String runs;

  @Option(
      names = SCALE,
      paramLabel = "SIZE",
      arity = "0..1",
      fallbackValue = "1TiB",
      description =
          "Measure what RAM costs that a guest never touched, up to this size. Default:"
              + " ${FALLBACK-VALUE}")
  private @Nullable String scale;

  @ArgGroup private @Nullable Peers peers;

  /** The link over which Wridscope is compared with QEMU. */
  private static final class Peers {
    @Option(
        names = "--rdma",
        required = true,
        paramLabel = "DEVICE",
        arity = "0..1",
        fallbackValue = "",
        description =
            "Compare with QEMU and ib_write_bw on an RDMA device. Default: the first device with an"
                + " active port and an IPv4 address")
    private @Nullable String rdma;

    @Option(
        names = "--tcp",
        required = true,
        description = "Compare the software device over TCP with QEMU's migration over TCP")
    private boolean tcp;
  }

  /**
   * @param managers opens the session manager
   * @param environment of the process, whose {@code PATH} leads to QEMU
   */
  BenchCommand(
      Supplier<SessionManager> managers,
      Map<String, String> environment,
      Terminal terminal,
      FreeMemory freeMemory) {
    super(terminal);
    this.managers = managers;
    this.environment = environment;
    this.freeMemory = freeMemory;
  }

  @Override
  ExitCode execute() throws InputException, IOException, InterruptedException {
    try (Interruption interruption = new Interruption(PATIENCE)) {
      long ramBytes = InputException.checked(() -> GuestSetting.RAM.parse("--ram", ram));
      freeMemory.require("--ram", ramBytes);
      requireOne();
      long largest = largest();
      long rate = dirtyRate(ramBytes);
      int exploredRuns = runs();
      int repetitions =
          InputException.checked(() -> (int) Parse.number("--repeat", repeat, 1, MAX_REPEAT));
      try (SessionManager manager = managers.get()) {
        interruption.onRequest(() -> manager.sessions().forEach(Session::cancel));
        BenchmarkRounds rounds =
            new BenchmarkRounds(manager, interruption::requested, terminal::message);
        if (start) {
          measureStarts(interruption, rounds, ramBytes, repetitions);
        } else if (window) {
          measureFrames(interruption, rounds, ramBytes, repetitions);
        } else if (largest > 0) {
          try (SessionManager destinations = managers.get()) {
            show(new ScaleBenchmark(manager, destinations, rounds).run(largest));
          }
        } else if (explore) {
          show(
              new ExploreBenchmark(managers, rounds, exploredRuns, interruption::onRequest)
                  .run(repetitions));
        } else if (qemu) {
          Link link = peers == null ? Link.tcp() : link(manager, peers);
          Path program = QemuLabRunner.program(environment);
          try (SessionManager destinations = managers.get()) {
            show(
                new QemuBenchmark(manager, destinations, rounds, link, program, ramBytes, rate)
                    .run(repetitions));
          }
        } else if (peers == null) {
          show(new LabBenchmark(manager, ramBytes, rounds).run(repetitions), ramBytes, repetitions);
        } else {
          try (var benchmark = new PeerBenchmark(manager, rounds, link(manager, peers), ramBytes)) {
            show(benchmark.run(repetitions));
          }
        }
        return ExitCode.COMPLETED;
      }
    } catch (InterruptedBenchmarkException e) {
      terminal.problem("interrupted; there are no results.");
      return ExitCode.INTERRUPTED;
    }
  }

  private void measureStarts(
      Interruption interruption, BenchmarkRounds rounds, long ramBytes, int repetitions)
      throws InputException, IOException, InterruptedException {
    ProgramLaunch plain = InputException.checked(ProgramLaunch::ofThisProgram);
    ProgramLaunch cached = InputException.checked(plain::cached);
    try (var benchmark =
        new StartBenchmark(rounds, plain, cached, Display.isNamed(environment), ramBytes)) {
      interruption.onRequest(benchmark::stop);
      show(benchmark.run(1, repetitions));
    }
  }

  /** Measurements of the program as a whole are made alone. */
  private void requireOne() throws InputException {
    List<String> alone = new ArrayList<>();
    if (start) {
      alone.add(START);
    }
    if (window) {
      alone.add(WINDOW);
    }
    if (explore) {
      alone.add(EXPLORE);
    }
    if (alone.isEmpty()) {
      return;
    }
    if (qemu || peers != null) {
      throw new InputException(
          "%s: it cannot be combined with --qemu, --rdma or --tcp; leave those out."
              .formatted(alone.getFirst()));
    }
    if (alone.size() > 1) {
      throw new InputException(
          "%s: leave it out with %s.".formatted(alone.getFirst(), alone.getLast()));
    }
  }

  private void measureFrames(
      Interruption interruption, BenchmarkRounds rounds, long ramBytes, int repetitions)
      throws IOException, InterruptedException {
    try (var benchmark =
        new FrameBenchmark(
            rounds, ProgramLaunch.asStarted(), Display.isNamed(environment), ramBytes)) {
      interruption.onRequest(benchmark::stop);
      FrameBenchmark.Results results = benchmark.run(repetitions);
      if (json) {
        terminal.result(GSON.toJson(results));
      } else {
        FrameBenchmark.table(results).forEach(terminal::result);
      }
    }
  }

  /** The largest RAM of --scale, in bytes; 0 without it. */
  private long largest() throws InputException, IOException {
    String text = scale;
    if (text == null) {
      return 0;
    }
    if (start || window || explore || qemu || peers != null) {
      throw new InputException(
          "%s: it cannot be combined with another benchmark; leave that out.".formatted(SCALE));
    }
    return InputException.checked(
        () -> Math.max(ScaleBenchmark.SMALLEST, GuestSetting.RAM.parse(SCALE, text)));
  }

  private void show(ScaleBenchmark.Results results) {
    if (json) {
      terminal.result(GSON.toJson(results));
    } else {
      ScaleBenchmark.table(results).forEach(terminal::result);
    }
  }

  /** How many migrations each round of --explore has under schedules. */
  private int runs() throws InputException, IOException {
    if (runs == null) {
      return USUAL_RUNS;
    }
    if (!explore) {
      throw new InputException(
          "%s: it has an effect only with %s; give that, too, or leave it out."
              .formatted(RUNS, EXPLORE));
    }
    String text = runs;
    return InputException.checked(
        () -> (int) Parse.number(RUNS, text, ExploreBenchmark.TIMES, MAX_RUNS));
  }

  /** The rate of a guest that a QEMU can have. */
  private long dirtyRate(long ramBytes) throws InputException, IOException {
    if (dirtyRate != null && !qemu) {
      throw new InputException(
          DIRTY_RATE + ": it has an effect only with --qemu; give that, too, or leave it out.");
    }
    String text = dirtyRate == null ? USUAL_DIRTY_RATE : dirtyRate;
    long rate = InputException.checked(() -> Parse.rate(DIRTY_RATE, text));
    return qemu
        ? InputException.checked(() -> new CounterGuest(ramBytes, rate, 0, true)).dirtyRate()
        : rate;
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
            : "--rdma: there is no device '%s' with an active port and an IPv4 address; 'wridscope devices' lists the devices."
                .formatted(wanted));
  }

  private void show(LabBenchmark.Results results, long ramBytes, int repetitions) {
    if (json) {
      terminal.result(GSON.toJson(results));
      return;
    }
    terminal.result("%s of RAM, repetitions: %d".formatted(Format.bytes(ramBytes), repetitions));
    terminal.result("%-36s %8s %8s".formatted("", "GB/s", "of copy"));
    for (BenchmarkRounds.Result result : results.results()) {
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

  private void show(QemuBenchmark.Results results) {
    if (json) {
      terminal.result(GSON.toJson(results));
      return;
    }
    terminal.result(
        String.format(
            Locale.ROOT,
            "a guest with %s of RAM, idle or writing %s, over %s (%.3f GB/s), repetitions: %d",
            Format.bytes(results.ramBytes()),
            Format.rate(results.dirtyRate()),
            results.link(),
            results.linkGbPerS(),
            results.repetitions()));
    terminal.result(
        "%-26s %10s %12s %8s %8s %12s %10s"
            .formatted("", "total ms", "downtime ms", "GB/s", "of link", "guest speed", "per CPU"));
    for (QemuBenchmark.QemuResult result : results.results()) {
      terminal.result(
          String.format(
              Locale.ROOT,
              "%-26s %10.0f %12.1f %8.3f %8.2f %12.3f %10.3f",
              result.name(),
              result.totalMillis(),
              result.downtimeMillis(),
              result.gbPerS(),
              result.ratio(),
              result.guestSpeed(),
              result.guestPace()));
    }
  }

  private void show(ExploreBenchmark.Results results) {
    if (json) {
      terminal.result(GSON.toJson(results));
      return;
    }
    terminal.result(
        "small random migrations on %s, repetitions: %d"
            .formatted(Format.counted(results.processors(), "processor"), results.repetitions()));
    terminal.result("%-18s %12s %8s".formatted("", "a second", "ratio"));
    for (ExploreBenchmark.Speed speed : results.results()) {
      terminal.result(
          String.format(
              Locale.ROOT, "%-18s %12.0f %8.1f", speed.name(), speed.perSecond(), speed.ratio()));
    }
  }

  private void show(StartBenchmark.Results results) {
    if (json) {
      terminal.result(GSON.toJson(results));
      return;
    }
    terminal.result(
        "starts without the cache and with it, the window %s, a guest with %s of RAM, repetitions: %d"
            .formatted(
                results.screen() ? "on a display" : "without a display",
                Format.bytes(results.ramBytes()),
                results.repetitions()));
    terminal.result(
        "%-34s %10s %10s %8s %8s".formatted("", "without ms", "with ms", "ratio", "goal ms"));
    for (StartBenchmark.Start start : results.results()) {
      terminal.result(
          String.format(
              Locale.ROOT,
              "%-34s %10.1f %10.1f %8.2f %8.0f",
              start.name(),
              start.plainMillis(),
              start.cachedMillis(),
              start.ratio(),
              start.goalMillis()));
    }
  }
}

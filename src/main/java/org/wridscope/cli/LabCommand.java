// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Parse;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.guest.GuestException;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.MigrationStatus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code wridscope lab}: a migration with both ends in this process, shown in the terminal. */
@Command(
    name = "lab",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {
      "Migrates a guest from a source to a destination in this process, over the embedded software"
          + " RDMA device, and verifies that the RAM arrived as it was.",
      "",
      "The guest is a synthetic one with a workload that writes to its memory, or the content of"
          + " a file (--image). Sizes: 512MiB, 2GiB, 4096. Rates: 200MiB/s, 10Gbit/s. Times:"
          + " 300ms, 1.5s, 2min."
    })
final class LabCommand implements Callable<Integer> {
  static final String DEFAULT_RAM = "2GiB";

  private static final Duration FRAME = Duration.ofMillis(50);

  /** How long a destination may take to end after its source did. */
  private static final Duration DESTINATION_PATIENCE = Duration.ofSeconds(10);

  /** How long a cancelled migration may take to end. */
  private static final Duration CANCEL_PATIENCE = Duration.ofSeconds(20);

  /** QEMU's {@code MAX_MIGRATE_DOWNTIME}. */
  private static final Duration MAX_DOWNTIME = Duration.ofSeconds(2000);

  private final Supplier<SessionManager> managers;
  private final Terminal terminal;
  private final FreeMemory freeMemory;

  @Option(
      names = "--ram",
      paramLabel = "SIZE",
      description = "RAM of the synthetic guest. Default: " + DEFAULT_RAM)
  private @Nullable String ram;

  @Option(
      names = "--dirty-rate",
      paramLabel = "RATE",
      description =
          "How fast its workload writes to memory, 0 for an idle guest. Default: 200MiB/s")
  private @Nullable String dirtyRate;

  @Option(
      names = "--working-set",
      paramLabel = "SIZE",
      description = "The part of its RAM that it writes to. Default: a quarter of the RAM")
  private @Nullable String workingSet;

  @Option(
      names = "--zero",
      paramLabel = "SHARE",
      description = "How much of its RAM is zero. Default: 40%%")
  private @Nullable String zero;

  @Option(
      names = "--seed",
      paramLabel = "NUMBER",
      description = "What its memory and its workload are made from. Default: 1")
  private @Nullable String seed;

  @Option(
      names = "--image",
      paramLabel = "FILE",
      description = "A file whose content is the guest's RAM instead; it is not changed")
  private @Nullable Path image;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "The file that gets what arrived; needed with --image")
  private @Nullable Path out;

  @Option(
      names = "--pin-all",
      description = "Register all RAM at the beginning, not a chunk at a time (rdma-pin-all)")
  private boolean pinAll;

  @Option(
      names = "--bandwidth",
      paramLabel = "RATE",
      defaultValue = "0",
      description = "Limit of the throughput, 0 for none. Default: ${DEFAULT-VALUE}")
  private String bandwidth = "0";

  @Option(
      names = "--downtime-limit",
      paramLabel = "TIME",
      defaultValue = "300ms",
      description = "How long the guest may stand still. Default: ${DEFAULT-VALUE}")
  private String downtimeLimit = "300ms";

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      defaultValue = "60s",
      description = "Give up after this time, 0 for never. Default: ${DEFAULT-VALUE}")
  private String timeout = "60s";

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = "Write a report as JSON, with the member names of QEMU's query-migrate")
  private @Nullable Path report;

  /**
   * @param managers opens what runs the sessions
   */
  LabCommand(Supplier<SessionManager> managers, Terminal terminal, FreeMemory freeMemory) {
    this.managers = managers;
    this.terminal = terminal;
    this.freeMemory = freeMemory;
  }

  @Override
  public Integer call() throws InterruptedException {
    ExitCode code;
    try (Interruption interruption = new Interruption(CANCEL_PATIENCE)) {
      LabSettings settings = settings();
      try (ReportFile reportFile = report == null ? null : ReportFile.create("--report", report)) {
        code = migrate(settings, reportFile, interruption);
      }
    } catch (InputException e) {
      terminal.message("wridscope: " + e.getMessage());
      code = ExitCode.USAGE;
    } catch (GuestException e) {
      // Its memory or its files are not as a guest needs them, which is for the user to change.
      terminal.message("wridscope: " + e.getMessage());
      code = ExitCode.USAGE;
    } catch (IOException e) {
      terminal.message("wridscope: " + e.getMessage());
      code = ExitCode.FAILED;
    }
    return code.number();
  }

  private ExitCode migrate(
      LabSettings settings, @Nullable ReportFile reportFile, Interruption interruption)
      throws IOException, InterruptedException {
    try (SessionManager manager = managers.get()) {
      Lab lab = start(manager, settings, interruption);
      interruption.onRequest(() -> lab.source().cancel());
      Progress progress = new Progress(terminal, System::nanoTime, lab.source().telemetry());
      do {
        progress.update();
      } while (!lab.source().await(FRAME));
      if (!lab.destination().await(DESTINATION_PATIENCE)) {
        terminal.message(
            "The destination did not end within %s after the source; it is given up."
                .formatted(Format.duration(DESTINATION_PATIENCE.toNanos())));
        lab.destination().cancel();
      }
      MigrationReport source = lab.source().report();
      MigrationReport destination = lab.destination().report();
      if (reportFile != null) {
        reportFile.write(ReportJson.of(source, destination));
      }
      ExitCode code = codeOf(lab, source, settings, interruption.requested());
      show(lab, source, destination, code);
      return code;
    }
  }

  /** Starts the lab, and shows meanwhile that memory takes its time to be made ready. */
  private Lab start(SessionManager manager, LabSettings settings, Interruption interruption)
      throws IOException, InterruptedException {
    terminal.message(description(settings.guest()));
    FutureTask<Lab> starting = new FutureTask<>(() -> manager.startLab(settings));
    Thread.ofPlatform().daemon().name("lab start").start(starting);
    long begin = System.nanoTime();
    while (true) {
      try {
        return starting.get(2 * FRAME.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        if (interruption.requested()) {
          throw new IOException("Cancelled before the migration began.");
        }
        if (terminal.redraws()) {
          double seconds = (System.nanoTime() - begin) / 1e9;
          terminal.redraw(
              List.of(String.format(Locale.ROOT, "making its memory ready: %.1f s", seconds)));
        }
      } catch (ExecutionException e) {
        switch (e.getCause()) {
          case IOException cause -> throw cause;
          case RuntimeException cause -> throw cause;
          case Error cause -> throw cause;
          case null, default -> throw new IllegalStateException(e);
        }
      }
    }
  }

  private static ExitCode codeOf(
      Lab lab, MigrationReport source, LabSettings settings, boolean interrupted) {
    if (lab.source().status() == MigrationStatus.COMPLETED) {
      return source.verified() && lab.destination().status() == MigrationStatus.COMPLETED
          ? ExitCode.COMPLETED
          : ExitCode.UNVERIFIED;
    }
    if (interrupted) {
      return ExitCode.INTERRUPTED;
    }
    return settings.timeout().isPositive() && source.totalTime() >= settings.timeout().toMillis()
        ? ExitCode.TIMED_OUT
        : ExitCode.FAILED;
  }

  private void show(Lab lab, MigrationReport source, MigrationReport destination, ExitCode code) {
    switch (code) {
      case COMPLETED ->
          terminal.result(Terminal.Colour.GOOD, "completed; verified: every RAM block is equal");
      case UNVERIFIED ->
          terminal.result(Terminal.Colour.DOUBTFUL, "completed, but not verified to be equal");
      default -> terminal.result(Terminal.Colour.BAD, withOutcome(source.status(), lab.source()));
    }
    if (lab.destination().status() != MigrationStatus.COMPLETED) {
      terminal.result(withOutcome("destination " + destination.status(), lab.destination()));
    }
    Summary.lines(source, destination).forEach(terminal::result);
  }

  private static String withOutcome(String status, Session session) {
    String outcome = session.outcome();
    return outcome == null ? status : status + ": " + outcome;
  }

  private LabSettings settings() throws InputException {
    try {
      Duration downtime = Parse.duration("--downtime-limit", downtimeLimit);
      if (downtime.isZero() || downtime.compareTo(MAX_DOWNTIME) > 0) {
        throw new InputException(
            "--downtime-limit: %s is out of range; write more than 0 and at most %s."
                .formatted(downtimeLimit, Format.exactDuration(MAX_DOWNTIME.toNanos())));
      }
      return new LabSettings(
          guest(),
          pinAll,
          Parse.rate("--bandwidth", bandwidth),
          downtime,
          Parse.duration("--timeout", timeout),
          true);
    } catch (IllegalArgumentException e) {
      // Parse's messages are sentences for the user.
      throw new InputException(String.valueOf(e.getMessage()));
    }
  }

  private GuestSettings guest() throws InputException {
    if (image == null && out == null) {
      return syntheticGuest();
    }
    if (image == null) {
      throw new InputException("--out: only with --image, the file whose content is migrated.");
    }
    if (out == null) {
      throw new InputException("--image: name the file that gets what arrived, with --out FILE.");
    }
    refuseWithImage("--ram", ram, "the guest has as much RAM as the file is long");
    refuseWithImage("--dirty-rate", dirtyRate, "nothing writes to a file's RAM");
    refuseWithImage("--working-set", workingSet, "nothing writes to a file's RAM");
    refuseWithImage("--zero", zero, "its RAM is what the file has");
    refuseWithImage("--seed", seed, "its RAM is what the file has");
    long length = ImageFile.check(image);
    refuseSame("--out", out, "the image", image);
    refuseSame("--report", report, "the image", image);
    refuseSame("--report", report, "the copy", out);
    return new GuestSettings.Image(image, out, length);
  }

  private static void refuseSame(String option, @Nullable Path path, String what, Path other)
      throws InputException {
    try {
      if (path != null
          && (path.toAbsolutePath().normalize().equals(other.toAbsolutePath().normalize())
              || (Files.exists(path) && Files.exists(other) && Files.isSameFile(path, other)))) {
        throw new InputException(
            "%s: %s is %s itself; name another file.".formatted(option, path, what));
      }
    } catch (IOException e) {
      throw OutputPlace.unwritable(option, path, e);
    }
  }

  private static void refuseWithImage(String option, @Nullable String value, String why)
      throws InputException {
    if (value != null) {
      throw new InputException("%s: leave it out with --image; %s.".formatted(option, why));
    }
  }

  private GuestSettings syntheticGuest() throws InputException {
    long ramBytes = Parse.ram("--ram", given(ram, DEFAULT_RAM));
    long workingSetBytes = workingSet == null ? 0 : Parse.ram("--working-set", workingSet);
    if (workingSetBytes > ramBytes) {
      throw new InputException(
          "--working-set: %s is more than the guest's RAM, %s."
              .formatted(workingSet, Format.exactBytes(ramBytes)));
    }
    freeMemory.require("--ram", ramBytes);
    return new GuestSettings.Synthetic(
        ramBytes,
        Parse.rate("--dirty-rate", given(dirtyRate, "200MiB/s")),
        workingSetBytes,
        Parse.share("--zero", given(zero, "40%")),
        Parse.number("--seed", given(seed, "1")));
  }

  private static String given(@Nullable String value, String otherwise) {
    return value == null ? otherwise : value;
  }

  private static String description(GuestSettings settings) {
    return switch (settings) {
      case GuestSettings.Synthetic guest ->
          "a synthetic guest: %s of RAM, %s of it zero, dirtied at %s"
              .formatted(
                  Format.bytes(guest.ramBytes()),
                  Format.percent(guest.zeroShare()),
                  Format.rate(guest.dirtyRate()));
      case GuestSettings.Image guest ->
          "a guest whose RAM is %s, %s".formatted(guest.file(), Format.bytes(guest.ramBytes()));
      case GuestSettings.Capture guest -> "a guest to be captured in " + guest.file();
      case GuestSettings.Restore guest -> "the guest in " + guest.file();
    };
  }
}

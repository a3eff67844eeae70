// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Ending;
import org.wridscope.analysis.Explanation.Verdict;
import org.wridscope.analysis.Finding;
import org.wridscope.analysis.Findings;
import org.wridscope.analysis.Requests;
import org.wridscope.control.CapturedFile;
import org.wridscope.control.Endings;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.export.Ends;
import org.wridscope.files.OutputException;
import org.wridscope.guest.GuestException;
import org.wridscope.recording.Recorder;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/**
 * Runs what a command of the command line starts: shows how it goes, heeds Ctrl-C, waits for the
 * end, and says what came of it.
 */
final class MigrationRunner {
  private static final Duration FRAME = Duration.ofMillis(50);

  private final Supplier<SessionManager> managers;
  private final Terminal terminal;

  /**
   * @param managers opens what runs the sessions
   */
  MigrationRunner(Supplier<SessionManager> managers, Terminal terminal) {
    this.managers = managers;
    this.terminal = terminal;
  }

  /**
   * What was started.
   *
   * @param leading the session whose end is the end
   * @param destination that of a migration with both ends here, else null
   */
  record Started(Session leading, @Nullable Session destination) {}

  /** Starts it; may take as long as memory takes to be made ready. */
  @FunctionalInterface
  interface Starter {
    Started start(SessionManager manager) throws IOException;
  }

  /**
   * What is to be done.
   *
   * @param guest what the guest is, for the first line that the user sees
   * @param timeout after which a session that did not complete counts as given up, zero for never
   * @param begun is told as soon as it was started
   */
  record Task(String guest, Duration timeout, Starter starter, Consumer<Session> begun) {}

  /** Makes a task of what the user gave. */
  @FunctionalInterface
  interface Preparation {

    /**
     * Makes it.
     *
     * @throws IllegalArgumentException with one sentence for the user
     */
    Task prepare() throws InputException, IOException;
  }

  /**
   * Does it all.
   *
   * @return what to exit with
   */
  int run(Preparation preparation, OutputOptions outputs) throws InterruptedException {
    ExitCode code;
    try (Interruption interruption = new Interruption(Session.END_PATIENCE)) {
      Task task =
          prepare(() -> {
            outputs.refuseSame();
            return preparation.prepare();
          });
      try (ReportFile reportFile = prepare(outputs::report);
          Exports exports = prepare(outputs::exports);
          Recorder recorder = prepare(outputs::recorder)) {
        code = migrate(task, reportFile, exports, recorder, interruption);
      }
      if (code == ExitCode.COMPLETED || code == ExitCode.UNVERIFIED) {
        interruption.completed(code);
      }
    } catch (InputException e) {
      terminal.message("wridscope: " + e.getMessage());
      code = ExitCode.USAGE;
    } catch (OutputException e) {
      terminal.message("wridscope: " + InputException.of(e).getMessage());
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

  /** Makes ready what was asked for. */
  @FunctionalInterface
  private interface Making<T extends @Nullable Object> {
    T make() throws InputException, IOException;
  }

  private static <T extends @Nullable Object> T prepare(Making<T> making)
      throws InputException, IOException {
    try {
      return making.make();
    } catch (IllegalArgumentException e) {
      // Those of Parse and its like are sentences for the user.
      throw InputException.of(e);
    }
  }

  private ExitCode migrate(
      Task task,
      @Nullable ReportFile reportFile,
      Exports exports,
      @Nullable Recorder recorder,
      Interruption interruption)
      throws IOException, InterruptedException {
    try (SessionManager manager = managers.get()) {
      Started started = start(manager, task, interruption);
      Session leading = started.leading();
      if (recorder != null) {
        recorder.add(leading);
      }
      if (recorder != null && started.destination() != null) {
        recorder.add(started.destination());
      }
      interruption.holdWhile(() -> manager.sessions().stream().anyMatch(Session::mustFinish));
      interruption.onRequest(leading::cancel);
      task.begun().accept(leading);
      Progress progress = new Progress(terminal, System::nanoTime, leading.telemetry());
      var convergence = new ConvergenceNotice(System::nanoTime, leading.telemetry());
      boolean told = false;
      do {
        progress.update();
        convergence.next().ifPresent(terminal::message);
        if (!told && interruption.requested() && leading.mustFinish()) {
          told = true;
          terminal.message(Unfinished.sentence(leading));
        }
      } while (!leading.await(FRAME));
      Session destination = started.destination();
      while (destination != null
          && !destination.await(Session.END_PATIENCE)
          && destination.mustFinish()) {
        terminal.message(Unfinished.sentence(destination));
      }
      if (destination != null && !destination.status().isEnd()) {
        terminal.message(
            "The destination did not end within %s after the source; it is given up."
                .formatted(Format.duration(Session.END_PATIENCE.toNanos())));
        destination.cancel();
        // What is reported and recorded of it is to have its end.
        boolean _ = destination.await(Session.END_PATIENCE);
      }
      MigrationReport report = leading.report();
      MigrationReport destinationReport = destination == null ? null : destination.report();
      List<Finding> findings = findings(leading, report);
      List<Finding> destinationFindings =
          destination == null || destinationReport == null
              ? List.of()
              : findings(destination, destinationReport);
      Ends ends = ends(started);
      Ending ending = Endings.of(ends.source(), ends.destination());
      ExitCode code = codeOf(started, ending, report, task.timeout(), interruption.requested());
      show(started, ending, report, code);
      Summary.lines(report, destinationReport).forEach(terminal::result);
      Summary.lines(findings, destinationFindings).forEach(terminal::result);
      ends.sessions().forEach(end -> end.captured().ifPresent(this::show));
      if (recorder != null) {
        recorder.close();
        terminal.message(RecordingSummary.of(recorder));
      }
      // What came of the migration is told by now, and does not depend on these.
      if (reportFile != null) {
        write(reportFile, ReportJson.of(report, findings, destinationReport, destinationFindings));
      }
      exports.write(ends, terminal, () -> true).forEach(this::tell);
      return code;
    }
  }

  private void write(ReportFile file, String report) {
    try {
      file.write(report);
      String displaced = file.displaced();
      if (displaced != null) {
        terminal.message(displaced);
      }
    } catch (IOException e) {
      tell(e);
    }
  }

  /** Tells of a file that could not be written; the status stays that of the migration. */
  private void tell(IOException failure) {
    terminal.message("wridscope: " + failure.getMessage());
  }

  private static Ends ends(Started started) {
    Session leading = started.leading();
    return leading.role() == Role.SOURCE
        ? new Ends(leading, started.destination())
        : new Ends(null, leading);
  }

  /** Starts it, and shows meanwhile that memory takes its time to be made ready. */
  private Started start(SessionManager manager, Task task, Interruption interruption)
      throws IOException, InterruptedException {
    terminal.message(task.guest());
    FutureTask<Started> starting = new FutureTask<>(() -> task.starter().start(manager));
    Thread thread = Thread.ofPlatform().daemon().name("start").start(starting);
    long begin = System.nanoTime();
    while (true) {
      try {
        return starting.get(2 * FRAME.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        if (interruption.requested()) {
          // What it made, such as a file, is given back by it or with the manager.
          thread.interrupt();
          thread.join();
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

  /** What its events and counters tell; without events, the counters alone. */
  private static List<Finding> findings(Session session, MigrationReport report) {
    return Findings.of(new Requests(session.telemetry()).readAll(), report.downtimePhases());
  }

  private static ExitCode codeOf(
      Started started,
      @Nullable Ending ending,
      MigrationReport report,
      Duration timeout,
      boolean interrupted) {
    if (started.leading().status() == MigrationStatus.COMPLETED) {
      return ending != null && ending.verdict() == Verdict.COMPLETED
          ? ExitCode.COMPLETED
          : ExitCode.UNVERIFIED;
    }
    if (interrupted) {
      return ExitCode.INTERRUPTED;
    }
    return timeout.isPositive() && report.totalTime() >= timeout.toMillis()
        ? ExitCode.TIMED_OUT
        : ExitCode.FAILED;
  }

  /** Says how a captured guest is started again. */
  private void show(CapturedFile file) {
    terminal.result("To start the guest, add this to the command line of a QEMU with its machine:");
    terminal.result("  " + file.qemuOption());
    terminal.result("or send it to a destination:");
    terminal.result("  " + file.restoreCommand());
  }

  private void show(
      Started started, @Nullable Ending ending, MigrationReport report, ExitCode code) {
    String said = ending == null ? "" : ending.sentence();
    switch (code) {
      case COMPLETED -> {
        terminal.result(
            Terminal.Colour.GOOD,
            report.verified()
                ? "completed; verified: every RAM block is equal"
                : "completed; a QEMU cannot tell whether every RAM block is equal");
        terminal.result(said);
      }
      case UNVERIFIED ->
          terminal.result(Terminal.Colour.DOUBTFUL, "completed, but not sound: " + said);
      default -> terminal.result(Terminal.Colour.BAD, report.status() + ": " + said);
    }
    Session destination = started.destination();
    if (destination != null && destination.status() != MigrationStatus.COMPLETED) {
      terminal.result(withOutcome("destination " + destination.report().status(), destination));
    }
  }

  private static String withOutcome(String status, Session session) {
    String outcome = session.outcome();
    return outcome == null ? status : status + ": " + outcome;
  }
}

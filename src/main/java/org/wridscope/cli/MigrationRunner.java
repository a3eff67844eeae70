// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Ending;
import org.wridscope.analysis.Explanation.State;
import org.wridscope.analysis.Finding;
import org.wridscope.analysis.Findings;
import org.wridscope.analysis.Requests;
import org.wridscope.control.CapturedFile;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.PredictedHarm;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.SessionPair;
import org.wridscope.guest.GuestException;
import org.wridscope.guest.qemu.Journals;
import org.wridscope.recording.Recorder;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionOutcome.Origin;
import org.wridscope.text.Format;

/**
 * Runs a migration, or one end of it, for a command: shows its progress, handles Ctrl-C, waits for
 * the end, and prints the results.
 */
final class MigrationRunner {
  private static final Duration FRAME = Duration.ofMillis(50);

  private final Supplier<SessionManager> managers;
  private final Terminal terminal;

  /**
   * @param managers opens the session manager
   */
  MigrationRunner(Supplier<SessionManager> managers, Terminal terminal) {
    this.managers = managers;
    this.terminal = terminal;
  }

  /** Starts the sessions. May take a while, because memory is allocated. */
  @FunctionalInterface
  interface Starter {
    SessionPair start(SessionManager manager, DeferredStart deferred)
        throws IOException, InterruptedException;
  }

  /** Starts the sessions of a migration by this program's engine, which is made ready before. */
  static Starter expecting(Starter starter) {
    return (manager, deferred) -> {
      manager.expectMigration();
      return starter.start(manager, deferred);
    };
  }

  /**
   * The migration to run.
   *
   * @param guest description of the guest, the first line that the user sees
   * @param preparing what takes a while before the sessions have started
   * @param pauses whether the source waits for the user before it switches over
   * @param begun called with the leading session as soon as it was started
   * @param deferred the end that a client starts; null if the command does
   */
  record Task(
      String guest,
      String preparing,
      boolean pauses,
      Starter starter,
      Consumer<Session> begun,
      @Nullable Role deferred) {
    /** A migration for which RAM has to be prepared. */
    Task(String guest, boolean pauses, Starter starter, Consumer<Session> begun) {
      this(guest, "preparing RAM", pauses, expecting(starter), begun, null);
    }
  }

  /**
   * Runs a migration.
   *
   * @param task reads the task from the user's options
   * @param qmp whether and how other programs may control it
   * @return the status with which the process exits
   */
  ExitCode run(InputException.Check<Task> task, OutputOptions outputs, QmpOption qmp)
      throws InputException, IOException, InterruptedException {
    try {
      return migrate(task, outputs, qmp);
    } catch (GuestException e) {
      // The user has to change the guest's size or files.
      throw InputException.of(e);
    }
  }

  private ExitCode migrate(
      InputException.Check<Task> preparation, OutputOptions outputs, QmpOption qmp)
      throws InputException, IOException, InterruptedException {
    Journals.ofUser().sentences().forEach(terminal::message);
    try (Interruption interruption = new Interruption(Session.END_PATIENCE)) {
      Task task =
          InputException.checked(() -> {
            outputs.refuseSame();
            Task read = preparation.check();
            if (read.pauses() && !terminal.hears() && !qmp.isGiven()) {
              throw new InputException(
                  MigrationSetting.PAUSE_BEFORE_SWITCHOVER.option()
                      + ": nobody can press Enter, because standard input is a file; leave it out,"
                      + " or run this in a terminal or with a pipe.");
            }
            return read;
          });
      try (ReportFile reportFile = InputException.checked(outputs::report);
          Exports exports = InputException.checked(outputs::exports);
          Recorder recorder = InputException.checked(outputs::recorder);
          MetricsOutput metrics = InputException.checked(() -> outputs.metrics(terminal))) {
        return migrate(task, qmp, reportFile, exports, recorder, metrics, interruption);
      }
    }
  }

  private ExitCode migrate(
      Task task,
      QmpOption qmpOption,
      @Nullable ReportFile reportFile,
      Exports exports,
      @Nullable Recorder recorder,
      MetricsOutput metrics,
      Interruption interruption)
      throws InputException, IOException, InterruptedException {
    var deferred = new DeferredStart(task.deferred());
    try (SessionManager manager = managers.get();
        QmpHost qmp = new QmpHost(qmpOption, manager, deferred, terminal)) {
      metrics.show(manager::sessions);
      SessionPair ends =
          start(manager, task, deferred, () -> interruption.requested() || qmp.hasQuit());
      Session leading = ends.leading();
      if (recorder != null) {
        ends.sessions().forEach(recorder::add);
      }
      interruption.holdWhile(() -> manager.sessions().stream().anyMatch(Session::mustFinish));
      interruption.onRequest(() -> {
        leading.cancel();
        qmp.end();
      });
      qmp.onQuit(leading::cancel);
      task.begun().accept(leading);
      var progress = new ProgressDisplay(terminal, System::nanoTime, leading);
      var convergence = new ConvergenceNotice(System::nanoTime, leading);
      var question = new SwitchoverQuestion(terminal, leading);
      boolean saidUnfinished = false;
      do {
        progress.update();
        convergence.next().ifPresent(terminal::message);
        if (task.pauses()) {
          question.update();
        }
        if (!saidUnfinished && interruption.requested() && leading.mustFinish()) {
          saidUnfinished = true;
          terminal.message(Unfinished.sentence(leading));
        }
      } while (!leading.await(FRAME));
      Session destination = ends.following();
      if (destination != null
          && leading.status() != MigrationStatus.COMPLETED
          && destination.status() == MigrationStatus.NONE) {
        // The source failed before it connected, so nobody will come.
        destination.cancel();
      }
      while (destination != null
          && !destination.await(Session.END_PATIENCE)
          && destination.mustFinish()) {
        terminal.message(Unfinished.sentence(destination));
      }
      if (destination != null && !destination.status().isEnd()) {
        terminal.message(
            "The destination did not end within %s after the source, so it is cancelled."
                .formatted(Format.duration(Session.END_PATIENCE.toNanos())));
        destination.cancel();
        // So that its report and its recording contain its end.
        boolean _ = destination.await(Session.END_PATIENCE);
      }
      PredictedHarm.await(ends.sessions(), () -> !interruption.requested());
      MigrationReport report = leading.report();
      MigrationReport destinationReport = destination == null ? null : destination.report();
      Requests requests = new Requests(leading.telemetry()).readAll();
      Requests destinationRequests =
          destination == null ? null : new Requests(destination.telemetry()).readAll();
      // What the events and counters show; without events, only the counters.
      List<Finding> findings = Findings.of(requests, report.downtimePhases());
      List<Finding> destinationFindings =
          destinationRequests == null || destinationReport == null
              ? List.of()
              : Findings.of(destinationRequests, destinationReport.downtimePhases());
      Ending ending = ends.ending();
      ExitCode code = codeOf(leading, ending, interruption.requested());
      show(leading, destination, ending, report, code);
      Summary.lines(report, destinationReport).forEach(terminal::result);
      DeviceSummary.lines(
              Stream.of(requests, destinationRequests).filter(Objects::nonNull).toList())
          .forEach(terminal::result);
      Summary.lines(findings, destinationFindings).forEach(terminal::result);
      ends.sessions().forEach(end -> end.notes().forEach(terminal::message));
      ends.sessions().forEach(end -> end.captured().ifPresent(this::show));
      boolean open = leading.doubt().isPresent();
      if (!open) {
        finish(recorder);
      }
      // A failure to write these files does not affect the result, which was printed above.
      if (reportFile != null) {
        write(reportFile, ReportJson.of(report, findings, destinationReport, destinationFindings));
      }
      exports.write(ends, terminal, () -> true).forEach(this::showFailure);
      metrics.write(manager.sessions(), terminal);
      if (code == ExitCode.COMPLETED || code == ExitCode.UNVERIFIED) {
        interruption.completed(code);
      }
      qmp.awaitEnd(terminal);
      metrics.stay(interruption::requested);
      if (open) {
        // Clients may have led out of it.
        finish(recorder);
        return codeOf(leading, ends.ending(), interruption.requested());
      }
      return code;
    }
  }

  private void finish(@Nullable Recorder recorder) {
    if (recorder != null) {
      recorder.close();
      terminal.message(RecordingSummary.of(recorder));
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
      showFailure(e);
    }
  }

  /** Reports a file that could not be written; the exit code remains that of the migration. */
  private void showFailure(IOException failure) {
    terminal.problem(String.valueOf(failure.getMessage()));
  }

  /** Starts the sessions, and shows how long the allocation of memory takes. */
  private SessionPair start(
      SessionManager manager, Task task, DeferredStart deferred, BooleanSupplier cancelled)
      throws IOException, InterruptedException {
    terminal.message(task.guest());
    FutureTask<SessionPair> starting =
        new FutureTask<>(() -> task.starter().start(manager, deferred));
    Thread thread = Thread.ofPlatform().daemon().name("start").start(starting);
    long begin = System.nanoTime();
    while (true) {
      try {
        return starting.get(2 * FRAME.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        if (cancelled.getAsBoolean()) {
          // The starter or the manager releases what was allocated until now.
          thread.interrupt();
          thread.join();
          throw new IOException("Cancelled before the migration began.");
        }
        if (terminal.redraws()) {
          double seconds = (System.nanoTime() - begin) / 1e9;
          String ready = manager.ramProgress().text();
          terminal.redraw(
              List.of(
                  String.format(
                      Locale.ROOT,
                      "%s: %s%.1f s",
                      task.preparing(),
                      ready.isEmpty() ? "" : ready + ", ",
                      seconds)));
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

  private static ExitCode codeOf(Session leading, @Nullable Ending ending, boolean interrupted) {
    if (leading.status() == MigrationStatus.COMPLETED) {
      return ending != null && ending.state() == State.COMPLETED
          ? ExitCode.COMPLETED
          : ExitCode.UNVERIFIED;
    }
    if (leading.status() == MigrationStatus.UNDECIDED) {
      return ExitCode.UNDECIDED;
    }
    if (interrupted) {
      return ExitCode.INTERRUPTED;
    }
    SessionOutcome outcome = leading.result();
    return outcome != null && outcome.origin() == Origin.LIMIT ? ExitCode.LIMIT : ExitCode.FAILED;
  }

  /** Shows how to start a captured guest. */
  private void show(CapturedFile file) {
    terminal.result(
        "To start the guest, add this to the command line of a QEMU with the same machine type:");
    terminal.result("  " + file.qemuOption());
    terminal.result("or migrate it to a destination:");
    terminal.result("  " + file.restoreCommand());
  }

  private void show(
      Session leading,
      @Nullable Session destination,
      @Nullable Ending ending,
      MigrationReport report,
      ExitCode code) {
    String headline = ending == null ? withOutcome(report.status(), leading) : ending.headline();
    switch (code) {
      case COMPLETED -> {
        terminal.result(Terminal.Colour.GOOD, completed(report));
        terminal.result(ending == null ? "" : ending.sentence());
      }
      case UNVERIFIED -> terminal.result(Terminal.Colour.DOUBTFUL, headline);
      default -> terminal.result(Terminal.Colour.BAD, headline);
    }
    if (destination != null && destination.status() != MigrationStatus.COMPLETED) {
      terminal.result(withOutcome("destination " + destination.report().status(), destination));
    }
  }

  /** That it completed, and whether the RAM of both ends was compared. */
  static String completed(MigrationReport report) {
    if (report.verified()) {
      return "completed; verified: every RAM block is equal";
    }
    String reason;
    // Nothing is seen of the requests of QEMU's own engine.
    if (report.completions() == null) {
      reason = "QEMU's own engine does not compare the RAM of both ends";
    } else if (report.uncompared()) {
      reason = "the destination was started without --verify";
    } else {
      reason = "a QEMU does not send digests of its RAM";
    }
    return "completed; not verified, because " + reason;
  }

  private static String withOutcome(String status, Session session) {
    String outcome = session.outcome();
    return outcome == null ? status : status + ": " + outcome;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Ending;
import org.wridscope.analysis.Explanation.State;
import org.wridscope.control.Endings;
import org.wridscope.control.Lab;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.QueuePairEvents;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.ScenarioException;
import org.wridscope.control.scenario.Scenarios;
import org.wridscope.control.scenario.Schedule;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.control.schedule.ChoiceTeller;
import org.wridscope.control.schedule.ScheduledRun;
import org.wridscope.recording.Recorder;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.text.Format;
import org.wridscope.text.Wrap;
import org.wridscope.time.Time;
import org.wridscope.verbs.soft.WireTap;

/** Runs scenarios in the terminal, and says whether each ended as expected. */
final class ScenarioRunner {

  /** Columns of a terminal of the usual width. */
  private static final int LIST_WIDTH = 80;

  private final Supplier<SessionManager> managers;
  private final Terminal terminal;
  private final FreeMemory freeMemory;

  /** The source of the run before, if the scenario expects a queue pair number. */
  private @Nullable SessionTelemetry former;

  ScenarioRunner(Supplier<SessionManager> managers, Terminal terminal, FreeMemory freeMemory) {
    this.managers = managers;
    this.terminal = terminal;
    this.freeMemory = freeMemory;
  }

  /** Lists the scenarios. */
  ExitCode list() {
    List<Scenario> shipped = Scenarios.shipped();
    int width = shipped.stream().mapToInt(scenario -> scenario.name().length()).max().orElse(0) + 2;
    for (Scenario scenario : shipped) {
      List<String> lines = Wrap.lines(scenario.about(), LIST_WIDTH - width);
      terminal.result(
          scenario.name() + " ".repeat(width - scenario.name().length()) + lines.get(0));
      lines.stream().skip(1).forEach(line -> terminal.result(" ".repeat(width) + line));
    }
    return ExitCode.COMPLETED;
  }

  /**
   * Runs a scenario.
   *
   * @param realTime whether the machine decides the order, and not the scenario's schedule
   * @param outputs whose options say whether to record all runs, and where metrics go
   * @param pcap whether to write what the devices carry
   * @param option whether to write the verdict
   * @return the status with which the process exits: 0 if each run ended as expected
   */
  ExitCode run(
      Scenario scenario,
      boolean realTime,
      OutputOptions outputs,
      PcapOption pcap,
      VerdictOption option)
      throws InputException, IOException, InterruptedException {
    outputs.refuseSame();
    option.refuseSame(outputs);
    var chooser = new ChoiceTeller(scenario.schedule());
    var verdicts = new VerdictJson(scenario, !realTime);
    try (Interruption interruption = new Interruption(Session.END_PATIENCE);
        ReportFile file = option.create()) {
      freeMemory.require("guest.ram", scenario.ramBytes());
      var all = new All(scenario, realTime, outputs, interruption, chooser, verdicts);
      ExitCode code =
          realTime
              ? runAll(all, pcap)
              : ScheduledRun.under(
                  chooser, scenario.seed(), InputException.class, () -> runAll(all, pcap));
      if (file != null) {
        file.write(verdicts.text(interruption.requested(), chooser.texts()));
        String displaced = file.displaced();
        if (displaced != null) {
          terminal.message(displaced);
        }
      }
      return code;
    }
  }

  /**
   * All runs of a scenario.
   *
   * @param choices makes them
   * @param verdicts gets the verdict on each run
   */
  private record All(
      Scenario scenario,
      boolean realTime,
      OutputOptions outputs,
      Interruption interruption,
      ChoiceTeller choices,
      VerdictJson verdicts) {}

  /** Begins and ends within the schedule whatever has a thread. */
  private ExitCode runAll(All all, PcapOption pcap)
      throws InputException, IOException, InterruptedException {
    return pcap.during(
        all.outputs,
        terminal,
        tap -> {
          try (Recorder recorder = recorder(all.scenario, all.outputs);
              MetricsOutput metrics = InputException.checked(() -> all.outputs.metrics(terminal))) {
            return runAll(all, recorder, tap, metrics);
          }
        });
  }

  private ExitCode runAll(
      All all, @Nullable Recorder recorder, @Nullable WireTap tap, MetricsOutput metrics)
      throws IOException, InterruptedException {
    try (SessionManager manager = managers.get()) {
      all.choices.name(manager::sessions);
      metrics.show(manager::sessions);
      ExitCode code = runAll(all, manager, recorder, tap);
      metrics.write(manager.sessions(), terminal);
      metrics.stay(all.interruption::requested);
      return code;
    }
  }

  private ExitCode runAll(
      All all, SessionManager manager, @Nullable Recorder recorder, @Nullable WireTap tap)
      throws IOException, InterruptedException {
    Scenario scenario = all.scenario;
    int bad = 0;
    former = null;
    if (tap != null) {
      manager.tap(tap);
    }
    terminal.message(scenario.title());
    Wrap.lines(scenario.about(), LIST_WIDTH).forEach(terminal::message);
    if (!all.realTime) {
      Wrap.lines(order(scenario.schedule()), LIST_WIDTH).forEach(terminal::message);
    }
    for (int run = 0; run < scenario.runs() && !all.interruption.requested(); run++) {
      Verdict verdict = run(all, run, manager, recorder);
      bad += verdict.good() ? 0 : 1;
    }
    if (recorder != null) {
      recorder.close();
      terminal.message(RecordingSummary.of(recorder));
    }
    if (all.interruption.requested()) {
      return ExitCode.INTERRUPTED;
    }
    if (bad == 0) {
      terminal.result(Terminal.Colour.GOOD, "as expected: " + expected(scenario));
      return ExitCode.COMPLETED;
    }
    terminal.result(
        Terminal.Colour.BAD, "not as expected: %d of %d runs".formatted(bad, scenario.runs()));
    return ExitCode.FAILED;
  }

  /** How the order of events comes about, and what times mean then. */
  private static String order(Schedule schedule) {
    int choices = schedule.choices().size();
    return "Everything goes on %s%s. Times are of the lab's own clock, not of the machine's."
        .formatted(
            schedule.seed() == Schedule.IN_TURN
                ? "in its turn"
                : "in the random order of seed " + schedule.seed(),
            choices == 0 ? "" : ", but for " + Format.counted(choices, "choice"));
  }

  private static @Nullable Recorder recorder(Scenario scenario, OutputOptions outputs)
      throws IOException, InputException {
    int most = Recorder.MAX_SESSIONS / 2;
    if (outputs.isRecordGiven() && scenario.runs() > most) {
      throw new InputException(
          "--record: leave it out; %s has %d runs, and a recording can hold only %d."
              .formatted(scenario.name(), scenario.runs(), most));
    }
    return InputException.checked(outputs::recorder);
  }

  private static String expected(Scenario scenario) {
    return scenario.runs() == 1 ? "1 run" : scenario.runs() + " runs";
  }

  private Verdict run(All all, int run, SessionManager manager, @Nullable Recorder recorder)
      throws IOException, InterruptedException {
    Scenario scenario = all.scenario;
    long choices = all.choices.made();
    if (recorder == null) {
      // A recorder may still read it. The last run stays, for those who read metrics.
      manager.sessions().forEach(manager::remove);
    }
    Lab lab = manager.startLab(scenario.lab(), scenario.faults(run));
    if (recorder != null && run == 0 && !all.realTime) {
      recorder.add(lab, scenario);
    } else if (recorder != null) {
      recorder.add(lab.source());
      recorder.add(lab.destination());
    }
    var progress = new ProgressDisplay(terminal, Time::nanos, lab.source());
    Verdict verdict =
        Verdict.await(
            scenario,
            run,
            lab,
            () -> {
              // Here, because another thread would not belong to the schedule.
              if (all.interruption.requested()) {
                lab.source().cancel();
              }
              progress.update();
            });
    all.verdicts.add(lab, verdict, all.choices.made() - choices);
    String number = scenario.runs() == 1 ? "" : "run %d: ".formatted(run);
    String queuePair =
        scenario.expectation(run).queuePair() == 0
            ? ""
            : ", queue pair " + lab.source().telemetry().metrics().get(Metric.QUEUE_PAIR_NUMBER);
    Ending ending = Endings.of(lab.source(), lab.destination());
    boolean unsound = ending != null && ending.state() == State.UNSOUND;
    if (ending != null && unsound) {
      terminal.result(Terminal.Colour.DOUBTFUL, number + ending.headline());
    }
    terminal.result(number + "source " + ending(lab.source()) + queuePair);
    if (!queuePair.isEmpty()) {
      String events = QueuePairEvents.sentence(lab.source().telemetry(), former);
      if (events != null) {
        terminal.result(number + events);
      }
      former = lab.source().telemetry();
    }
    if (scenario.runs() == 1 || !verdict.good()) {
      terminal.result(number + "destination " + ending(lab.destination()));
    }
    if (verdict.good() && !unsound && scenario.runs() > 1) {
      // What the verdict expected, and the summary of a single run says.
      for (Session session : List.of(lab.source(), lab.destination())) {
        String released = session.report().releasedEarly();
        if (released != null) {
          terminal.result(number + released);
        }
      }
    }
    for (String problem : verdict.problems()) {
      terminal.result(Terminal.Colour.BAD, number + problem);
    }
    if (!verdict.good() || lab.source().status() != MigrationStatus.COMPLETED) {
      String differs = ChoiceTeller.sentence(scenario.schedule(), all.choices.texts());
      if (!all.realTime && !differs.isEmpty()) {
        terminal.result(number + differs);
      }
    }
    if (scenario.runs() == 1) {
      Summary.lines(lab.source().report(), lab.destination().report()).forEach(terminal::result);
    }
    return verdict;
  }

  /** How a session has ended. */
  static String ending(Session session) {
    String outcome = session.outcome();
    return session.status().name().toLowerCase(Locale.ROOT)
        + (session.report().verified() ? ", every RAM block is equal" : "")
        + (outcome == null ? "" : ": " + outcome)
        + " (%s)".formatted(Format.duration(session.report().totalTime() * 1_000_000));
  }

  /** Finds a scenario by its name or file. */
  static Scenario find(String nameOrFile) throws InputException {
    try {
      return Scenarios.find(nameOrFile);
    } catch (ScenarioException e) {
      throw new InputException(String.valueOf(e.getMessage()));
    }
  }
}

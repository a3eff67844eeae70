// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import javafx.scene.Node;
import javafx.stage.FileChooser;
import javafx.stage.Stage;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Lab;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.Recorded.ScenarioFile;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.ScenarioException;
import org.wridscope.control.scenario.ScenarioWriter;
import org.wridscope.control.scenario.Scenarios;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.control.schedule.ChoiceTeller;
import org.wridscope.control.schedule.HangStep;
import org.wridscope.control.schedule.Standing;
import org.wridscope.files.FileKind;
import org.wridscope.files.Folder;
import org.wridscope.files.Output;
import org.wridscope.files.WholeFile;
import org.wridscope.recording.ScheduledRecording;
import org.wridscope.ui.Selection;
import org.wridscope.ui.recording.Comparison;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.sessions.SessionsModel;
import org.wridscope.ui.stepping.StepPane;
import org.wridscope.ui.stepping.SteppedRun;
import org.wridscope.ui.stepping.Tour;

/** Begins, shows and ends runs that are stepped through. For the JavaFX thread only. */
final class SteppingActions {
  private final Stage stage;
  private final Executor background;
  private final BackgroundTasks tasks;
  private final Notices notices;
  private final SessionsModel sessions;
  private final RecordingActions recordings;
  private final Consumer<Migration> opened;
  private final Consumer<Comparison> compared;
  private final Map<Migration, SteppedRun> runs = new LinkedHashMap<>();
  private final StepPane pane;

  /** All that have begun, also those that have never stood still. */
  private final Set<SteppedRun> begun = new HashSet<>();

  private int number;

  /**
   * @param parts of the window; its sessions receive the runs
   * @param recordings open the futures that are compared
   * @param opened called with each run that begins
   * @param compared shows two futures
   * @param lead shows what the tour speaks of
   */
  SteppingActions(
      Parts parts,
      RecordingActions recordings,
      Selection selection,
      Consumer<Migration> opened,
      Consumer<Comparison> compared,
      Consumer<Tour.Sight> lead) {
    stage = parts.stage();
    background = parts.background();
    tasks = parts.tasks();
    notices = parts.notices();
    sessions = parts.sessions();
    this.recordings = recordings;
    this.opened = opened;
    this.compared = compared;
    pane = new StepPane(selection, this::save, this::compare, lead);
  }

  /** The controls of the shown run. */
  Node node() {
    return pane.node();
  }

  /** The sessions of all runs. */
  List<Session> sessions() {
    List<Session> all = new ArrayList<>();
    for (SteppedRun run : runs.values()) {
      SessionPair pair = run.pair();
      if (pair != null) {
        all.addAll(pair.sessions());
      }
    }
    return all;
  }

  // ------------------------------------------------------------------------------------- beginning

  /** Begins to step through a scenario's first run. */
  void begin(Scenario scenario) {
    begin(scenario, false);
  }

  /** Begins to step through the run of a recording. */
  void begin(ScenarioFile recorded) {
    try {
      begin(Scenarios.parse(recorded.name(), recorded.text()));
    } catch (ScenarioException e) {
      notices.tell(String.valueOf(e.getMessage()));
    }
  }

  /** Begins the tour that provokes a hang. */
  void beginTour() {
    begin(Scenarios.shipped(HangStep.SCENARIO), true);
  }

  private void begin(Scenario scenario, boolean withTour) {
    number++;
    var run =
        new SteppedRun(
            LocalSessions::new, scenario, "steps %d".formatted(number), background, withTour);
    begun.add(run);
    run.problemProperty().subscribe(problem -> notices.tell(problem));
    run.standingProperty()
        .subscribe(standing -> {
          if (standing != null) {
            stands(run, standing);
          }
        });
  }

  private void stands(SteppedRun run, Standing standing) {
    SessionPair pair = Objects.requireNonNull(run.pair(), "its sessions were started");
    Migration migration = migration(run);
    if (migration == null) {
      migration = sessions.addRun(pair, run.scenario().title());
      runs.put(migration, run);
      opened.accept(migration);
      pane.focus();
    } else if (!pair.equals(migration.pair())) {
      sessions.replace(migration, pair);
    }
    if (standing instanceof Standing.AtEnd end) {
      migration.judge(end.verdict());
    }
  }

  private @Nullable Migration migration(SteppedRun run) {
    return runs.entrySet().stream()
        .filter(entry -> entry.getValue().equals(run))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(null);
  }

  /** Shows the controls of a migration if it is stepped through. */
  void show(@Nullable Migration migration) {
    SteppedRun run = migration == null ? null : runs.get(migration);
    pane.show(run);
  }

  /** Ends a run that was removed from the list; returns whether it was one. */
  boolean remove(Migration migration) {
    SteppedRun run = runs.remove(migration);
    if (run != null) {
      begun.remove(run);
      run.close();
    }
    return run != null;
  }

  /** Ends all runs. */
  void close() {
    begun.forEach(SteppedRun::close);
    begun.clear();
    runs.clear();
  }

  // ------------------------------------------------------------------------------------------
  // files

  private void save(SteppedRun run) {
    var chooser = new FileChooser();
    chooser.setTitle("Save the scenario with its choices");
    chooser
        .getExtensionFilters()
        .add(new FileChooser.ExtensionFilter("Scenarios (*.json)", "*.json"));
    // The name may come from somebody's recording.
    chooser.setInitialFileName(
        run.scenario().name().replaceAll("[^\\p{L}\\p{N}_-]+", "-") + "-choices.json");
    File file = chooser.showSaveDialog(stage);
    if (file != null) {
      save(run, file.toPath());
    }
  }

  /** Saves the scenario with the choices made so far; the user has agreed to replace the file. */
  void save(SteppedRun run, Path path) {
    Scenario scenario = run.withSchedule();
    tasks.run(
        "Writing %s.".formatted(path.getFileName()),
        () -> {
          Output output = Output.of("Scenario", path, FileKind.SCENARIO).replacing();
          try (var file = WholeFile.create(output)) {
            byte[] text =
                ScenarioWriter.write(scenario, ChoiceTeller.tell(LocalSessions::new, scenario))
                    .getBytes(UTF_8);
            file.write(out -> out.write(text));
            return file.file();
          } catch (InterruptedException e) {
            throw new InterruptedIOException();
          }
        },
        written -> notices.tell(true, "Saved %s.".formatted(written)));
  }

  // ----------------------------------------------------------------------------------------
  // futures

  private void compare(SteppedRun run) {
    List<SteppedRun.Future> futures = run.futures();
    if (!futures.isEmpty() && !tasks.isBusy()) {
      tasks.run("Running both futures to their ends.", () -> recorded(futures), this::compare);
    }
  }

  /** A future that has been recorded. */
  private record Recorded(String name, SessionPair pair, Verdict verdict) {}

  private List<Recorded> recorded(List<SteppedRun.Future> futures) throws IOException {
    List<Recorded> all = new ArrayList<>();
    Path directory = Files.createTempDirectory("wridscope-futures");
    try {
      for (SteppedRun.Future future : futures) {
        Path file = directory.resolve("future " + (all.size() + 1));
        Verdict verdict =
            ScheduledRecording.make(
                LocalSessions::new,
                future.scenario(),
                Output.of("Recording", file, FileKind.RECORDING));
        all.add(new Recorded(future.name(), recordings.read(file), verdict));
      }
      return all;
    } catch (InterruptedException e) {
      close(all);
      throw new InterruptedIOException();
    } catch (IOException | RuntimeException e) {
      close(all);
      throw e;
    } finally {
      // What is open stays readable.
      Folder.delete(directory);
    }
  }

  private static void close(List<Recorded> futures) {
    for (Recorded future : futures) {
      future.pair.sessions().forEach(Session::close);
    }
  }

  private void compare(List<Recorded> futures) {
    List<Migration> shown = new ArrayList<>();
    boolean told = hangs(futures.getFirst()) != hangs(futures.getLast());
    for (Recorded future : futures) {
      Migration migration = sessions.addRecorded(future.pair);
      migration.rename(told ? (hangs(future) ? "hangs" : "does not hang") : future.name);
      migration.judge(future.verdict);
      shown.add(migration);
    }
    Comparison comparison = recordings.comparison(shown.getFirst(), shown.getLast());
    compared.accept(comparison);
    comparison.showFirstDifference();
  }

  private static boolean hangs(Recorded future) {
    Session source = future.pair.source();
    Session destination = future.pair.destination();
    return source != null
        && destination != null
        && Verdict.hang(new Lab(source, destination)) != null;
  }
}

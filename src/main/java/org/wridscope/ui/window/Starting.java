// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import javafx.application.Platform;
import javafx.stage.Stage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.Leftovers;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.SourceSettings;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.telemetry.Format;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.sessions.SessionsModel;
import org.wridscope.ui.settings.Listening;
import org.wridscope.ui.settings.SettingsForm;
import org.wridscope.ui.settings.StartDialog;
import org.wridscope.verbs.DeviceDescription;

/** Starts sessions, where need be after a dialog. While one is being made ready, nothing else. */
final class Starting {
  private static final Logger LOG = LoggerFactory.getLogger(Starting.class);

  private final Stage stage;
  private final SessionManager manager;
  private final Executor background;
  private final SessionsModel sessions;
  private final BackgroundTasks tasks;
  private final ScenarioRuns scenarioRuns;
  private final Consumer<Migration> labStarted;
  private final Consumer<Session> sessionStarted;
  private final Map<Migration, Runnable> again = new HashMap<>();

  /** What was last asked for, so that a dialog begins with it. */
  private SettingsForm lastSource = new SettingsForm(SettingsForm.Kind.SOURCE);

  private SettingsForm lastDestination = new SettingsForm(SettingsForm.Kind.DESTINATION);
  private LabSettings lastLab = new SettingsForm(SettingsForm.Kind.LAB).lab();

  /**
   * @param sessions where labs are entered
   * @param scenarioRuns tells what comes of scenarios
   */
  Starting(
      Stage stage,
      SessionManager manager,
      Executor background,
      SessionsModel sessions,
      BackgroundTasks tasks,
      ScenarioRuns scenarioRuns,
      Consumer<Migration> labStarted,
      Consumer<Session> sessionStarted) {
    this.stage = stage;
    this.manager = manager;
    this.background = background;
    this.sessions = sessions;
    this.tasks = tasks;
    this.scenarioRuns = scenarioRuns;
    this.labStarted = labStarted;
    this.sessionStarted = sessionStarted;
  }

  // --------------------------------------------------------------------------------------- labs

  /** Enters a migration that a click starts. */
  Migration addReady(String name) {
    return sessions.addReady(name, lastLab);
  }

  void newLab() {
    if (!tasks.isBusy()) {
      ask(lastLab, null);
    }
  }

  /** Starts the selected migration if it is ready, or else the last lab once more. */
  void repeatLast(@Nullable Migration selected) {
    LabSettings settings = selected == null ? null : selected.settings();
    if (!tasks.isBusy()) {
      start(settings == null ? lastLab : settings, settings == null ? null : selected);
    }
  }

  /** Whether {@link #repeat} can start it once more. */
  boolean canRepeat(Migration migration) {
    return again.containsKey(migration);
  }

  /** Starts the same migration once more, or the same end of one. */
  void repeat(Migration migration) {
    Runnable start = again.get(migration);
    if (start != null && !tasks.isBusy()) {
      start.run();
    }
  }

  /** Starts a migration that is ready, with other settings. */
  void changeReady(Migration migration) {
    LabSettings settings = migration.settings();
    if (settings != null) {
      ask(settings, migration);
    }
  }

  void startReady(Migration migration) {
    LabSettings settings = migration.settings();
    if (settings != null && !tasks.isBusy()) {
      start(settings, migration);
    }
  }

  /** The migration is removed. */
  void forget(Migration migration) {
    again.remove(migration);
  }

  private void ask(LabSettings settings, @Nullable Migration from) {
    new StartDialog<>(
            stage,
            SettingsForm.of(settings),
            SettingsForm::lab,
            background,
            "Start",
            (_, changed) -> start(changed, from))
        .show();
  }

  private void start(LabSettings settings, @Nullable Migration from) {
    lastLab = settings;
    start(settings, settings, from);
  }

  /**
   * @param settings as they are kept, to be repeated
   * @param agreed the same, or with what the user has agreed to have replaced this time
   */
  private void start(LabSettings settings, LabSettings agreed, @Nullable Migration from) {
    tasks.run(
        "Making " + memory(settings.guest()) + " ready for the guest, at both ends.",
        () -> manager.startLab(agreed),
        (Lab lab) -> {
          Migration migration = sessions.addLab(lab, from);
          again.put(migration, () -> start(settings, null));
          labStarted.accept(migration);
        },
        taken ->
            ReplaceQuestion.ask(
                stage,
                taken,
                () -> start(settings, settings.with(settings.guest().replacing()), from)));
  }

  /** Starts the next run of a scenario; false when another start is under way. */
  boolean startScenario(Scenario scenario) {
    if (tasks.isBusy()) {
      return false;
    }
    int run = scenarioRuns.next(scenario);
    tasks.run(
        "Starting %s.".formatted(scenario.title()),
        () -> manager.startLab(scenario.lab(), scenario.faults(run)),
        (Lab lab) -> {
          labStarted.accept(sessions.addLab(lab, null));
          scenarioRuns.watch(scenario, run, lab);
        });
    return true;
  }

  // -------------------------------------------------------------------------------- single ends

  /** Asks for a source, and knows the destinations that listen in this window. */
  void newSource() {
    if (tasks.isBusy()) {
      return;
    }
    SettingsForm form = lastSource.copy();
    List<Listening> destinations = Listening.in(manager.sessions());
    if (!destinations.isEmpty()) {
      destinations.getLast().fill(form);
    }
    var dialog =
        new StartDialog<>(
            stage,
            form,
            SettingsForm::source,
            background,
            "Start",
            (accepted, settings) -> {
              lastSource = accepted;
              startSource(settings);
            });
    dialog.offerDestinations(destinations);
    show(dialog);
  }

  private void startSource(SourceSettings settings) {
    tasks.run(
        "Making " + memory(settings.guest()) + " ready for the guest.",
        () -> manager.startSource(settings),
        (Session session) -> started(session, () -> startSource(settings)));
  }

  void newDestination() {
    if (tasks.isBusy()) {
      return;
    }
    show(
        new StartDialog<>(
            stage,
            lastDestination.copy(),
            SettingsForm::destination,
            background,
            "Listen",
            (accepted, settings) -> {
              lastDestination = accepted;
              startDestination(settings);
            }));
  }

  private void startDestination(DestinationSettings settings) {
    startDestination(settings, settings);
  }

  private void startDestination(DestinationSettings settings, DestinationSettings agreed) {
    List<String> leftovers = new ArrayList<>();
    tasks.run(
        "Making " + memory(settings.guest()) + " ready for the guest to come.",
        () -> {
          leftovers.addAll(Leftovers.beside(settings.guest()));
          return manager.startDestination(agreed);
        },
        (Session session) -> {
          started(session, () -> startDestination(settings));
          tasks.tell(String.join(" ", leftovers));
        },
        taken ->
            ReplaceQuestion.ask(
                stage,
                taken,
                () -> startDestination(settings, settings.with(settings.guest().replacing()))));
  }

  private void started(Session session, Runnable repeat) {
    sessionStarted.accept(session);
    Migration migration = sessions.find(session);
    // Two ends that were started one by one are repeated from their dialogs, which remember them.
    if (migration != null && again.remove(migration) == null) {
      again.put(migration, repeat);
    }
  }

  /** Shows a dialog, and offers it the devices as soon as they are known. */
  private void show(StartDialog<?> dialog) {
    dialog.show();
    background.execute(() -> {
      try {
        List<String> names =
            manager.devices().installed().stream().map(DeviceDescription::name).toList();
        Platform.runLater(() -> dialog.offerDevices(names));
      } catch (IOException e) {
        LOG.warn("devices cannot be listed: {}", e.getMessage());
      }
    });
  }

  private static String memory(GuestSettings guest) {
    return switch (guest) {
      case GuestSettings.Synthetic synthetic -> Format.bytes(synthetic.ramBytes()) + " of RAM";
      case GuestSettings.Image image -> Format.bytes(image.ramBytes()) + " of RAM";
      case GuestSettings.Capture capture -> "the file " + capture.out().path();
      case GuestSettings.Restore restore -> "the file " + restore.file();
    };
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.IOException;
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
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.telemetry.Format;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.sessions.SessionsModel;
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
  private final Errands errands;
  private final ScenarioRuns scenarioRuns;
  private final Consumer<Migration> labStarted;
  private final Consumer<Session> sessionStarted;
  private final Map<Migration, LabSettings> startedWith = new HashMap<>();
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
      Errands errands,
      ScenarioRuns scenarioRuns,
      Consumer<Migration> labStarted,
      Consumer<Session> sessionStarted) {
    this.stage = stage;
    this.manager = manager;
    this.background = background;
    this.sessions = sessions;
    this.errands = errands;
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
    if (!errands.isBusy()) {
      ask(lastLab, null);
    }
  }

  /** Starts the selected migration if it is ready, or else the last lab once more. */
  void repeatLast(@Nullable Migration selected) {
    LabSettings settings = selected == null ? null : selected.settings();
    if (!errands.isBusy()) {
      start(settings == null ? lastLab : settings, settings == null ? null : selected);
    }
  }

  /** Whether {@link #repeat} can start it once more. */
  boolean canRepeat(Migration migration) {
    return startedWith.containsKey(migration);
  }

  void repeat(Migration migration) {
    LabSettings settings = startedWith.get(migration);
    if (settings != null && !errands.isBusy()) {
      start(settings, null);
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
    if (settings != null && !errands.isBusy()) {
      start(settings, migration);
    }
  }

  /** The migration is removed. */
  void forget(Migration migration) {
    startedWith.remove(migration);
  }

  private void ask(LabSettings settings, @Nullable Migration from) {
    new StartDialog(stage, SettingsForm.of(settings), "Start", form -> start(form.lab(), from))
        .show();
  }

  private void start(LabSettings settings, @Nullable Migration from) {
    lastLab = settings;
    errands.run(
        "Making " + memory(settings.guest()) + " ready for the guest, at both ends.",
        () -> manager.startLab(settings),
        (Lab lab) -> {
          Migration migration = sessions.addLab(lab, from);
          startedWith.put(migration, settings);
          labStarted.accept(migration);
        });
  }

  void startScenario(Scenario scenario) {
    if (errands.isBusy()) {
      return;
    }
    int run = scenarioRuns.next(scenario);
    errands.run(
        "Starting %s.".formatted(scenario.title()),
        () -> manager.startLab(scenario.lab(), scenario.faults(run)),
        (Lab lab) -> {
          labStarted.accept(sessions.addLab(lab, null));
          scenarioRuns.watch(scenario, run, lab);
        });
  }

  // -------------------------------------------------------------------------------- single ends

  void newSource() {
    if (errands.isBusy()) {
      return;
    }
    show(
        new StartDialog(
            stage,
            new SettingsForm(SettingsForm.Kind.SOURCE),
            "Start",
            form -> {
              var settings = form.source();
              errands.run(
                  "Making " + memory(settings.guest()) + " ready for the guest.",
                  () -> manager.startSource(settings),
                  sessionStarted);
            }));
  }

  void newDestination() {
    if (errands.isBusy()) {
      return;
    }
    show(
        new StartDialog(
            stage,
            new SettingsForm(SettingsForm.Kind.DESTINATION),
            "Listen",
            form -> {
              var settings = form.destination();
              errands.run(
                  "Making " + memory(settings.guest()) + " ready for the guest to come.",
                  () -> manager.startDestination(settings),
                  sessionStarted);
            }));
  }

  /** Shows a dialog, and offers it the devices as soon as they are known. */
  private void show(StartDialog dialog) {
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
      case GuestSettings.Capture capture -> "the file " + capture.file();
      case GuestSettings.Restore restore -> "the file " + restore.file();
    };
  }
}

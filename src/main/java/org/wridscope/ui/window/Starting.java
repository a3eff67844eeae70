// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
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
import org.wridscope.control.QemuMigrationSettings;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.SourceSettings;
import org.wridscope.control.attach.AttachTarget;
import org.wridscope.control.attach.Attachment;
import org.wridscope.control.attach.RdmaProcess;
import org.wridscope.control.qemu.QemuConnections;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.recording.SessionPair;
import org.wridscope.text.Format;
import org.wridscope.ui.remembered.StoredJson;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.sessions.SessionsModel;
import org.wridscope.ui.settings.AttachDialog;
import org.wridscope.ui.settings.FormValues;
import org.wridscope.ui.settings.LastInputs;
import org.wridscope.ui.settings.Listening;
import org.wridscope.ui.settings.QemuMigrationDialog;
import org.wridscope.ui.settings.QemuMigrationForm;
import org.wridscope.ui.settings.SettingsForm;
import org.wridscope.ui.settings.SettingsForm.Kind;
import org.wridscope.ui.settings.StartDialog;
import org.wridscope.verbs.DeviceDescription;
import org.wridscope.watch.Watch;

/** Starts sessions, after a dialog where settings are needed; one start at a time. */
final class Starting {
  private static final Duration ATTACHED_SLICE = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger(Starting.class);

  /** Longer than anything runs. */
  private static final Duration ANY_TIME = Duration.ofDays(10_000);

  private final Stage stage;
  private final SessionManager manager;
  private final Executor background;
  private final SessionsModel sessions;
  private final BackgroundTasks tasks;
  private final ScenarioRuns scenarioRuns;
  private final Consumer<Migration> labStarted;
  private final Consumer<Session> sessionStarted;
  private final Map<Migration, Runnable> again = new HashMap<>();

  private final LastInputs lastInputs;

  /** The lab that was started last, or will be started first. */
  private LabSettings lastLab = new SettingsForm(Kind.LAB).values().lab();

  /**
   * @param sessions receives started labs
   * @param scenarioRuns reports the results of scenarios
   * @param store keeps what was entered into dialogs
   * @param labStarted called with each started lab
   * @param sessionStarted called with each source or destination that was started on its own
   */
  Starting(
      Stage stage,
      SessionManager manager,
      Executor background,
      SessionsModel sessions,
      BackgroundTasks tasks,
      ScenarioRuns scenarioRuns,
      StoredJson store,
      Consumer<Migration> labStarted,
      Consumer<Session> sessionStarted) {
    this.stage = stage;
    this.manager = manager;
    this.background = background;
    this.sessions = sessions;
    this.tasks = tasks;
    this.scenarioRuns = scenarioRuns;
    lastInputs = new LastInputs(store);
    this.labStarted = labStarted;
    this.sessionStarted = sessionStarted;
  }

  /** Adds a migration that is ready to start. */
  Migration addReady(String name) {
    return sessions.addReady(name, lastLab);
  }

  void newLab() {
    if (!tasks.isBusy()) {
      ask(lastInputs.form(Kind.LAB), null);
    }
  }

  /** Starts the selected migration if it is ready, otherwise the last lab again. */
  void repeatLast(@Nullable Migration selected) {
    LabSettings settings = selected == null ? null : selected.settings();
    if (!tasks.isBusy()) {
      start(settings == null ? lastLab : settings, settings == null ? null : selected);
    }
  }

  /** Whether {@link #repeat} can start this migration again. */
  boolean canRepeat(Migration migration) {
    return again.containsKey(migration);
  }

  /** Starts a migration again with the same settings, or its end in this process. */
  void repeat(Migration migration) {
    Runnable start = again.get(migration);
    if (start != null && !tasks.isBusy()) {
      start.run();
    }
  }

  /** Asks for other settings of a ready migration, and starts it with them. */
  void changeReady(Migration migration) {
    LabSettings settings = migration.settings();
    if (settings != null) {
      ask(SettingsForm.of(settings), migration);
    }
  }

  void startReady(Migration migration) {
    LabSettings settings = migration.settings();
    if (settings != null && !tasks.isBusy()) {
      start(settings, migration);
    }
  }

  /** Forgets how a removed migration was started. */
  void forget(Migration migration) {
    again.remove(migration);
  }

  private void ask(SettingsForm form, @Nullable Migration from) {
    new StartDialog<>(
            stage,
            form,
            FormValues::lab,
            background,
            "Start",
            (accepted, settings) -> {
              lastInputs.keep(accepted);
              start(settings, from);
            })
        .show();
  }

  private void start(LabSettings settings, @Nullable Migration from) {
    lastLab = settings;
    start(settings, settings, from);
  }

  /**
   * @param settings what a repetition uses
   * @param agreed the same, except that the user may have agreed to replace a file this time
   */
  private void start(LabSettings settings, LabSettings agreed, @Nullable Migration from) {
    tasks.run(
        "Preparing " + memory(settings.guest()) + " for the guest, at both ends.",
        () -> manager.startLab(agreed),
        (Lab lab) -> {
          Migration migration = sessions.addLab(lab, from);
          again.put(migration, () -> start(settings, null));
          labStarted.accept(migration);
        },
        taken ->
            Question.replace(
                stage,
                taken,
                () -> start(settings, settings.with(settings.guest().replacing()), from)));
  }

  /** Starts the next run of a scenario; returns false if another start is running. */
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

  /** Asks for a source's settings; offers the destinations that listen in this process. */
  void newSource() {
    if (tasks.isBusy()) {
      return;
    }
    SettingsForm form = lastInputs.form(Kind.SOURCE);
    List<Listening> destinations = Listening.in(manager.sessions());
    if (!destinations.isEmpty()) {
      destinations.getLast().fill(form);
    }
    var dialog =
        new StartDialog<>(
            stage,
            form,
            FormValues::source,
            background,
            "Start",
            (accepted, settings) -> {
              lastInputs.keep(accepted);
              startSource(settings);
            });
    dialog.offerDestinations(destinations);
    show(dialog);
  }

  private void startSource(SourceSettings settings) {
    tasks.run(
        "Preparing " + memory(settings.migration().guest()) + " for the guest.",
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
            lastInputs.form(Kind.DESTINATION),
            FormValues::destination,
            background,
            "Listen",
            (accepted, settings) -> {
              lastInputs.keep(accepted);
              startDestination(settings);
            }));
  }

  private void startDestination(DestinationSettings settings) {
    startDestination(settings, settings);
  }

  private void startDestination(DestinationSettings settings, DestinationSettings agreed) {
    List<String> leftovers = new ArrayList<>();
    tasks.run(
        "Preparing " + memory(settings.guest()) + " for the incoming guest.",
        () -> {
          leftovers.addAll(Leftovers.beside(settings.guest()));
          return manager.startDestination(agreed);
        },
        (Session session) -> {
          started(session, () -> startDestination(settings));
          tasks.tell(String.join(" ", leftovers));
        },
        taken ->
            Question.replace(
                stage,
                taken,
                () -> startDestination(settings, settings.with(settings.guest().replacing()))));
  }

  private void started(Session session, Runnable repeat) {
    sessionStarted.accept(session);
    Migration migration = sessions.find(session);
    // Once both ends were started here, each is repeated from its dialog, which remembers it.
    if (migration != null && again.remove(migration) == null) {
      again.put(migration, repeat);
    }
  }

  /**
   * Starts the migration of a QEMU's guest.
   *
   * @param connections lend the QEMUs to it, and take them back when it has ended
   */
  void startQemu(QemuMigrationForm.Plan plan, QemuConnections connections) {
    if (tasks.isBusy()) {
      return;
    }
    List<QmpAddress> qemus = qemus(plan);
    tasks.run(
        "Asking QEMU to migrate its guest.",
        () -> {
          try {
            connections.lend(qemus);
            SessionPair pair = startNow(plan);
            background.execute(() -> takeBack(connections, qemus, pair));
            return pair;
          } catch (InterruptedException e) {
            connections.takeBack(qemus);
            throw new InterruptedIOException("The start was cancelled.");
          } catch (IOException | RuntimeException e) {
            connections.takeBack(qemus);
            throw e;
          }
        },
        (SessionPair pair) -> labStarted.accept(sessions.addStarted(pair)));
  }

  /**
   * Watches QEMUs.
   *
   * @param connections lend the QEMUs to the watch, and take them back when it has ended
   */
  void watchQemus(List<QmpAddress> qemus, QemuConnections connections) {
    if (tasks.isBusy()) {
      return;
    }
    watch(
        "Switching the trace log of QEMU on.",
        () -> {
          try {
            connections.lend(qemus);
            Watch watch = Watch.of(qemus);
            background.execute(() -> takeBack(connections, qemus, watch.sessions()));
            return watch;
          } catch (IOException | InterruptedException | RuntimeException e) {
            connections.takeBack(qemus);
            throw e;
          }
        });
  }

  /** Follows logs that QEMUs write. */
  void followLogs(List<Path> logs) {
    if (!tasks.isBusy()) {
      watch(
          "Waiting for lines that show which end writes the log.", () -> Watch.ofLogs(logs, null));
    }
  }

  /** Begins a watch, which may take a while. */
  @FunctionalInterface
  private interface Beginning {
    Watch watch() throws IOException, InterruptedException;
  }

  private void watch(String what, Beginning begin) {
    tasks.run(
        what,
        () -> {
          try {
            SessionPair pair = begin.watch().sessions();
            pair.sessions().forEach(manager::add);
            return pair;
          } catch (InterruptedException e) {
            throw new InterruptedIOException("The start was cancelled.");
          }
        },
        (SessionPair pair) -> labStarted.accept(sessions.addStarted(pair)));
  }

  /** Asks for a program that is not ours, whose work requests are to be shown. */
  void askAttach() {
    if (tasks.isBusy()) {
      return;
    }
    var unlisted = new AtomicReference<>("");
    tasks.run(
        "Looking for programs that use RDMA.",
        () -> {
          try {
            return RdmaProcess.list();
          } catch (IOException e) {
            unlisted.set(String.valueOf(e.getMessage()));
            return List.<RdmaProcess>of();
          } catch (InterruptedException e) {
            throw new InterruptedIOException("The start was cancelled.");
          }
        },
        (List<RdmaProcess> found) ->
            new AttachDialog(stage, found, unlisted.get(), this::attach).show());
  }

  private void attach(long pid) {
    if (tasks.isBusy()) {
      return;
    }
    tasks.run(
        "Placing probes on the functions through which programs post and poll.",
        () -> {
          var first = new AtomicReference<Session>();
          try {
            Attachment attachment =
                Attachment.start(
                    new AttachTarget.OfProcess(pid, null),
                    session -> {
                      manager.add(session);
                      first.set(session);
                    });
            background.execute(() -> leave(attachment));
            return new SessionPair(first.get(), null);
          } catch (InterruptedException e) {
            throw new InterruptedIOException("The start was cancelled.");
          }
        },
        (SessionPair pair) -> labStarted.accept(sessions.addStarted(pair)));
  }

  /** Removes the probes when the program has ended. */
  private static void leave(Attachment attachment) {
    try (attachment) {
      while (!attachment.await(ATTACHED_SLICE)) {
        // until the program's end, or the user's
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<QmpAddress> qemus(QemuMigrationForm.Plan plan) {
    return switch (plan) {
      case QemuMigrationForm.ByQemu(QemuMigrationSettings settings) ->
          Stream.of(settings.source(), settings.destination()).filter(Objects::nonNull).toList();
      case QemuMigrationForm.ByWridscope own -> own.qemus();
    };
  }

  private SessionPair startNow(QemuMigrationForm.Plan plan) throws IOException {
    return switch (plan) {
      case QemuMigrationForm.ByQemu(QemuMigrationSettings settings) -> {
        List<Session> ends = manager.startQemuMigration(settings);
        yield new SessionPair(
            settings.source() == null ? null : ends.getFirst(),
            settings.destination() == null ? null : ends.getLast());
      }
      case QemuMigrationForm.ByWridscope(SourceSettings from, DestinationSettings to) -> {
        Session destination = to == null ? null : manager.startDestination(to);
        try {
          yield new SessionPair(
              from == null
                  ? null
                  : manager.startSource(
                      destination == null
                          ? from
                          : new SourceSettings(destination.uri(), from.device(), from.migration())),
              destination);
        } catch (IOException | RuntimeException e) {
          if (destination != null) {
            manager.remove(destination);
          }
          throw e;
        }
      }
    };
  }

  /** Connects QEMUs again once the sessions that they were lent to have ended. */
  private static void takeBack(
      QemuConnections connections, List<QmpAddress> qemus, SessionPair pair) {
    try {
      for (Session session : pair.sessions()) {
        boolean _ = session.await(ANY_TIME);
      }
      connections.takeBack(qemus);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Asks how the guest of a QEMU is to be migrated. */
  void askQemu(Stage owner, QemuMigrationForm form, Consumer<QemuMigrationForm.Plan> accepted) {
    lastInputs.enterInto(form);
    var dialog =
        new QemuMigrationDialog(
            owner,
            form,
            plan -> {
              lastInputs.keep(form);
              accepted.accept(plan);
            });
    dialog.show();
    offerDevices(dialog::offerDevices);
    background.execute(manager::expectQemu);
  }

  /** Shows a dialog, and adds the installed devices to it as soon as they are known. */
  private void show(StartDialog<?> dialog) {
    dialog.show();
    offerDevices(dialog::offerDevices);
  }

  private void offerDevices(Consumer<List<String>> offer) {
    background.execute(() -> {
      try {
        List<String> names =
            manager.devices().installed().stream().map(DeviceDescription::name).toList();
        Platform.runLater(() -> offer.accept(names));
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
      case GuestSettings.Lift lift -> "the QEMU at " + lift.qmp();
      case GuestSettings.Land land -> "the QEMU at " + land.qmp();
    };
  }
}

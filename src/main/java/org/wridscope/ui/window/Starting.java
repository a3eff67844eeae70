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
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
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
import org.wridscope.control.MigrationUri;
import org.wridscope.control.QemuMigrationSettings;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.SessionPair;
import org.wridscope.control.SourceSettings;
import org.wridscope.control.attach.AttachTarget;
import org.wridscope.control.attach.Attachment;
import org.wridscope.control.attach.RdmaProcess;
import org.wridscope.control.qemu.QemuConnections;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.libvirt.VirtConnector;
import org.wridscope.libvirt.VirtDomain;
import org.wridscope.libvirt.VirtUri;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.remote.RemoteWridscope;
import org.wridscope.text.Format;
import org.wridscope.ui.Question;
import org.wridscope.ui.remembered.RecentUris;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.sessions.SessionsModel;
import org.wridscope.ui.settings.AttachDialog;
import org.wridscope.ui.settings.FormValues;
import org.wridscope.ui.settings.LastInputs;
import org.wridscope.ui.settings.Listening;
import org.wridscope.ui.settings.Profiles;
import org.wridscope.ui.settings.QemuMigrationDialog;
import org.wridscope.ui.settings.QemuMigrationForm;
import org.wridscope.ui.settings.SettingsForm;
import org.wridscope.ui.settings.SettingsForm.Kind;
import org.wridscope.ui.settings.StartDialog;
import org.wridscope.ui.settings.WridscopeDialog;
import org.wridscope.ui.window.Origins.Origin;
import org.wridscope.verbs.DeviceDescription;
import org.wridscope.watch.DomainWatch;
import org.wridscope.watch.Watch;

/**
 * Starts sessions, after a dialog where settings are needed. Several sources and destinations may
 * be prepared at once, all else only alone.
 */
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
  private final Consumer<Scenario> showScenario;
  private final Origins origins = new Origins();

  /** What the ends that were started on their own were started with. */
  private final Map<Session, SourceSettings> sources = new HashMap<>();

  private final Map<Session, DestinationSettings> destinations = new HashMap<>();

  private final LastInputs lastInputs;
  private final Profiles profiles;

  /** The lab that was started last, or will be started first. */
  private LabSettings lastLab = new SettingsForm(Kind.LAB).values().lab();

  /**
   * @param parts of the window; its sessions receive started labs
   * @param scenarioRuns reports the results of scenarios
   * @param lastInputs keeps what was entered into dialogs
   * @param profiles keeps what the user saves of them
   * @param labStarted called with each started lab
   * @param sessionStarted called with each source or destination that was started on its own
   * @param showScenario opens the list of scenarios at one of them
   */
  Starting(
      Parts parts,
      ScenarioRuns scenarioRuns,
      LastInputs lastInputs,
      Profiles profiles,
      Consumer<Migration> labStarted,
      Consumer<Session> sessionStarted,
      Consumer<Scenario> showScenario) {
    stage = parts.stage();
    manager = parts.manager();
    background = parts.background();
    sessions = parts.sessions();
    tasks = parts.tasks();
    this.scenarioRuns = scenarioRuns;
    this.lastInputs = lastInputs;
    this.profiles = profiles;
    this.labStarted = labStarted;
    this.sessionStarted = sessionStarted;
    this.showScenario = showScenario;
  }

  /** What a destination was started with; null if it was not started here. */
  @Nullable DestinationSettings settings(Session destination) {
    return destinations.get(destination);
  }

  /** How the migrations were started. */
  Origins origins() {
    return origins;
  }

  /** Adds a migration that is ready to start. */
  Migration addReady(String name) {
    return sessions.addReady(name, lastLab);
  }

  void newLab() {
    if (!tasks.isBusy()) {
      ask(lastInputs.form(Kind.LAB), null, "");
    }
  }

  /** Starts the selected migration if it is ready, otherwise the last lab again. */
  void repeatLast(@Nullable Migration selected) {
    LabSettings settings = selected == null ? null : selected.settings();
    if (!tasks.isBusy()) {
      start(settings == null ? lastLab : settings, settings == null ? null : selected);
    }
  }

  /** Asks for other settings of a ready migration, and starts it with them. */
  void changeReady(Migration migration) {
    LabSettings settings = migration.settings();
    if (settings != null) {
      ask(SettingsForm.of(settings), migration, "");
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
    origins.forget(migration);
    SessionPair pair = migration.pair();
    if (pair != null) {
      pair.sessions().forEach(sources::remove);
      pair.sessions().forEach(destinations::remove);
    }
  }

  /**
   * @param why what went wrong with these inputs, a sentence; empty if nothing did
   */
  private void ask(SettingsForm form, @Nullable Migration from, String why) {
    if (tasks.isBusy()) {
      return;
    }
    dialog(form, FormValues::lab, "Start", (_, settings) -> start(settings, from)).show(why);
  }

  /**
   * A dialog that begins with a form, and remembers what is accepted.
   *
   * @param acceptText the text of the button that accepts, a verb
   */
  private <S> StartDialog<S> dialog(
      SettingsForm form,
      Function<FormValues, S> settings,
      String acceptText,
      BiConsumer<SettingsForm, S> accepted) {
    var dialog =
        new StartDialog<>(
            stage,
            form,
            settings,
            profiles,
            background,
            acceptText,
            (SettingsForm now, S read) -> {
              lastInputs.keep(now);
              accepted.accept(now, read);
            });
    dialog.beginChoosers(lastInputs::begin);
    return dialog;
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
        "Preparing %s for the guest, at both ends.".formatted(memory(settings.guest())),
        () -> manager.startLab(agreed),
        (Lab lab) -> {
          Migration migration = sessions.addLab(lab, from);
          origins.add(
              migration,
              origin(
                  () -> start(settings, null), why -> ask(SettingsForm.of(settings), null, why)));
          labStarted.accept(migration);
        },
        taken ->
            Question.replace(
                stage,
                taken,
                () -> start(settings, settings.with(settings.guest().replacing()), from)),
        why -> ask(SettingsForm.of(settings), from, why));
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
          Migration migration =
              sessions.addRun(new SessionPair(lab.source(), lab.destination()), scenario.title());
          origins.add(
              migration, origin(() -> startScenario(scenario), _ -> showScenario.accept(scenario)));
          labStarted.accept(migration);
          scenarioRuns.watch(scenario, run, lab, migration);
        });
    return true;
  }

  /** Asks for a source's settings; offers the destinations that listen in this process. */
  void newSource() {
    newSource(Listening.in(manager.sessions()));
  }

  /** The same for a destination that listens in this process. */
  void newSource(Session destination) {
    newSource(Listening.in(List.of(destination)));
  }

  private void newSource(List<Listening> listening) {
    SettingsForm form = lastInputs.form(Kind.SOURCE);
    if (!listening.isEmpty()) {
      listening.getLast().fill(form);
    }
    askSource(form, "");
  }

  private void askSource(SettingsForm form, String why) {
    if (tasks.isBusy()) {
      return;
    }
    var dialog = dialog(form, FormValues::source, "Start", this::startSource);
    dialog.offerUris(lastInputs.recentUris(RecentUris.Kind.SOURCE).list());
    dialog.offerDestinations(Listening.in(manager.sessions()));
    show(dialog, why);
  }

  private void startSource(SettingsForm form, SourceSettings settings) {
    Consumer<String> edit = why -> askSource(form.copy(), why);
    tasks.beside(
        "Preparing %s for the guest.".formatted(memory(settings.migration().guest())),
        () -> manager.startSource(settings),
        (Session session) -> {
          sources.put(session, settings);
          lastInputs.recentUris(RecentUris.Kind.SOURCE).add(settings.uri());
          started(session, () -> startSource(form, settings), edit);
        },
        tasks::refuse,
        edit);
  }

  void newDestination() {
    askDestination(lastInputs.form(Kind.DESTINATION), "");
  }

  private void askDestination(SettingsForm form, String why) {
    if (tasks.isBusy()) {
      return;
    }
    var dialog =
        dialog(
            form,
            FormValues::destination,
            "Listen",
            (accepted, settings) -> startDestination(accepted, settings, settings));
    dialog.offerUris(lastInputs.recentUris(RecentUris.Kind.DESTINATION).list());
    show(dialog, why);
  }

  /**
   * @param settings what a repetition uses
   * @param agreed the same, except that the user may have agreed to replace a file this time
   */
  private void startDestination(
      SettingsForm form, DestinationSettings settings, DestinationSettings agreed) {
    List<String> leftovers = new ArrayList<>();
    Consumer<String> edit = why -> askDestination(form.copy(), why);
    tasks.beside(
        "Preparing %s for the incoming guest.".formatted(memory(settings.guest())),
        () -> {
          leftovers.addAll(Leftovers.beside(settings.guest()));
          return manager.startDestination(agreed);
        },
        (Session session) -> {
          destinations.put(session, settings);
          lastInputs.recentUris(RecentUris.Kind.DESTINATION).add(settings.uri());
          started(session, () -> startDestination(form, settings, settings), edit);
          tasks.tell(String.join(" ", leftovers));
        },
        taken ->
            Question.replace(
                stage,
                taken,
                () ->
                    startDestination(form, settings, settings.with(settings.guest().replacing()))),
        edit);
  }

  /**
   * @param repeat starts this end again
   * @param edit asks for other inputs of this end
   */
  private void started(Session session, Runnable repeat, Consumer<String> edit) {
    sessionStarted.accept(session);
    Migration migration = sessions.find(session);
    if (migration != null) {
      SessionPair pair = migration.pair();
      SourceSettings from = pair == null ? null : sources.get(pair.source());
      DestinationSettings to = pair == null ? null : destinations.get(pair.destination());
      // Once both ends were started here, one cannot be repeated without the other.
      origins.add(
          migration,
          from == null || to == null
              ? origin(repeat, edit)
              : origin(() -> startBoth(from, to, edit), edit));
    }
  }

  /** Starts both ends again, the destination first. */
  private void startBoth(SourceSettings from, DestinationSettings to, Consumer<String> edit) {
    tasks.run(
        "Preparing %s for the guest, at both ends.".formatted(memory(to.guest())),
        () -> startNow(new QemuMigrationForm.ByWridscope(from, to)),
        (SessionPair pair) -> {
          begun(pair, () -> startBoth(from, to, edit), edit);
        });
  }

  /** Adds what was started, with how that was. */
  private void begun(SessionPair pair, Runnable repeat, @Nullable Consumer<String> edit) {
    Migration migration = sessions.addStarted(pair);
    origins.add(migration, origin(repeat, edit));
    labStarted.accept(migration);
  }

  /** Repeats only while nothing else is being started. */
  private Origin origin(Runnable repeat, @Nullable Consumer<String> edit) {
    return new Origin(
        () -> {
          if (!tasks.isBusy()) {
            repeat.run();
          }
        },
        edit);
  }

  /**
   * Starts the migration of a QEMU's guest.
   *
   * @param connections lend the QEMUs to it, and take them back when it has ended
   * @param edit asks for other inputs
   */
  void startQemu(QemuMigrationForm.Plan plan, QemuConnections connections, Consumer<String> edit) {
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
        (SessionPair pair) -> {
          if (plan instanceof QemuMigrationForm.ByWridscope(var _, DestinationSettings to)
              && pair.destination() != null) {
            destinations.put(pair.destination(), to);
          }
          lastInputs.recentUris(RecentUris.Kind.QEMU).add(plan.uri());
          begun(pair, () -> startQemu(plan, connections, edit), edit);
        },
        tasks::refuse,
        edit);
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
        },
        () -> watchQemus(qemus, connections));
  }

  /** Follows logs that QEMUs write. */
  void followLogs(List<Path> logs) {
    if (!tasks.isBusy()) {
      watch(
          "Waiting for lines that show which end writes the log.",
          () -> Watch.ofLogs(logs, null),
          () -> followLogs(logs));
    }
  }

  /** Watches the next migration of a domain of this machine's libvirt. */
  void watchDomain(VirtConnector libvirt, VirtUri host, VirtDomain domain, Path log) {
    if (!tasks.isBusy()) {
      watch(
          "Switching the trace events of %s on.".formatted(domain.name()),
          () -> DomainWatch.begin(libvirt, host, domain, log),
          () -> watchDomain(libvirt, host, domain, log));
    }
  }

  /** Begins a watch, which may take a while. */
  @FunctionalInterface
  private interface Beginning {
    Watch watch() throws IOException, InterruptedException;
  }

  private void watch(String what, Beginning begin, Runnable repeat) {
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
        (SessionPair pair) -> begun(pair, repeat, null));
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
        (SessionPair pair) -> begun(pair, () -> attach(pid), _ -> askAttach()));
  }

  /** Asks for another Wridscope, whose sessions are to be shown. */
  void askWridscope() {
    if (!tasks.isBusy()) {
      List<String> recent = lastInputs.recentUris(RecentUris.Kind.WRIDSCOPE).list();
      new WridscopeDialog(stage, recent, this::attachToWridscope).show();
    }
  }

  private void attachToWridscope(QmpAddress address, long bytesPerSecond) {
    if (tasks.isBusy()) {
      return;
    }
    tasks.run(
        "Attaching to the Wridscope at %s.".formatted(address),
        () -> {
          try {
            return RemoteWridscope.attach(address, bytesPerSecond, manager::add);
          } catch (InterruptedException e) {
            throw new InterruptedIOException("The start was cancelled.");
          }
        },
        (RemoteWridscope remote) -> {
          lastInputs.recentUris(RecentUris.Kind.WRIDSCOPE).add(address.toString());
          attached(remote);
        });
  }

  /** What it starts later is added like all that others add to the manager. */
  private void attached(RemoteWridscope remote) {
    List<SessionPair> migrations = remote.migrations();
    migrations.forEach(pair -> labStarted.accept(sessions.addStarted(pair)));
    tasks.tell(
        migrations.isEmpty()
            ? "Attached to %s, where no session exists now; those that begin are shown."
                .formatted(remote.address())
            : "");
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
                      destination == null ? from : from.onPort(portOf(destination))),
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

  private static int portOf(Session destination) {
    return MigrationUri.parse(destination.uri()).port();
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
    var dialog =
        new QemuMigrationDialog(
            owner,
            form,
            profiles,
            lastInputs.recentUris(RecentUris.Kind.QEMU).list(),
            plan -> {
              lastInputs.keep(form);
              accepted.accept(plan);
            });
    dialog.show();
    offerDevices(dialog::offerDevices);
    background.execute(manager::expectQemu);
  }

  /** Shows a dialog, and adds the installed devices to it as soon as they are known. */
  private void show(StartDialog<?> dialog, String why) {
    dialog.show(why);
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
      case GuestSettings.Synthetic synthetic ->
          "%s of RAM".formatted(Format.bytes(synthetic.ramBytes()));
      case GuestSettings.Image image -> "%s of RAM".formatted(Format.bytes(image.ramBytes()));
      case GuestSettings.Capture capture -> "the file %s".formatted(capture.out().path());
      case GuestSettings.Restore restore -> "the file %s".formatted(restore.file());
      case GuestSettings.Lift lift -> "the QEMU at %s".formatted(lift.qmp());
      case GuestSettings.Land land -> "the QEMU at %s".formatted(land.qmp());
    };
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.wridscope.guest.qemu.GuardedQemu;
import org.wridscope.guest.qemu.GuardedSettings;
import org.wridscope.qmp.MigrationInfo;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpException;
import org.wridscope.qmp.RunState;

/** Puts one QEMU right, and only if it is the process that was named. */
final class QemuRepair {
  /** For everything that is done to a QEMU in a row. */
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** For a QEMU that serves another client of its socket first, or is busy. */
  private static final Duration CONNECT = Duration.ofSeconds(15);

  /** For each answer, a migration to be cancelled, a guest to run, a process to end. */
  private static final Duration STEP = Duration.ofSeconds(15);

  /**
   * For a QEMU to be reached, to answer {@code quit}, and then to end, after each of which it is
   * killed: a source waits to be told, and nothing in this QEMU is worth keeping.
   */
  private static final Duration QUIT = Duration.ofSeconds(3);

  private static final Duration POLL = Duration.ofMillis(20);
  private static final Duration RETRY = Duration.ofMillis(200);

  /** The state at the end of a migration, in which QEMU refuses {@code cont}. */
  private static final String FINISHING = "finish-migrate";

  /** States into which a migration or a client puts a guest; in others it stopped by itself. */
  private static final Set<String> STILL =
      Set.of("paused", "postmigrate", "prelaunch", "inmigrate", "save-vm", "restore-vm", FINISHING);

  private final GuardedQemu qemu;
  private final GuardedSettings before;
  private final GuardLog log;

  /** Whether QEMU took all former settings that it was given back. */
  private boolean complete = true;

  QemuRepair(GuardedQemu qemu, GuardedSettings before, GuardLog log) {
    this.qemu = qemu;
    this.before = before;
    this.log = log;
  }

  /** What became of a QEMU. */
  enum Result {
    /** It is as it should be. */
    DONE,
    /** It answers, and its guest does not run although it should. */
    REFUSED,
    /** It has ended, or does not answer. */
    FAILED
  }

  /** The QEMU for a sentence. */
  String name() {
    return "QEMU %d (%s)".formatted(qemu.pid(), qemu.qmp());
  }

  /**
   * What was done to a QEMU.
   *
   * @param sentence or several
   */
  private record Report(Result result, String sentence) {}

  @FunctionalInterface
  private interface Repair {
    Report by(QemuMonitor monitor) throws IOException, InterruptedException;
  }

  /**
   * Cancels a migration of the guest to elsewhere, restores the settings, and lets the guest run.
   *
   * @param run whether it is to run; else it stays as it is
   * @param why a sentence for the log
   */
  Result restore(boolean run, String why) throws InterruptedException {
    return repair(
        why,
        monitor -> {
          cancelMigration(monitor);
          String settings = restoreSettings(monitor);
          RunState state = run ? letRun(monitor) : monitor.status();
          String guest = state.running() ? "runs" : "does not run (%s)".formatted(state.status());
          return new Report(
              run && isStill(state) ? Result.REFUSED : Result.DONE,
              "%s Its guest %s.".formatted(settings, guest));
        });
  }

  /**
   * Lets the guest run, and does nothing else.
   *
   * @param why a sentence for the log
   */
  Result start(String why) throws InterruptedException {
    return repair(
        why,
        monitor -> {
          RunState state = letRun(monitor);
          return new Report(
              isStill(state) ? Result.REFUSED : Result.DONE,
              "Its guest %s (%s)."
                  .formatted(state.running() ? "runs" : "does not run", state.status()));
        });
  }

  /** Restores the settings of a QEMU that waits for a guest, so that it goes on waiting. */
  Result restoreWaiting(String why) throws InterruptedException {
    return repair(
        why,
        monitor -> {
          String settings = restoreSettings(monitor);
          if (before.starts() && monitor.status().status().equals("inmigrate")) {
            // Switches the start of the guest after loading on again.
            monitor.cont();
          }
          return new Report(Result.DONE, settings + " It waits for a guest.");
        });
  }

  /** As {@link #restore}. */
  Watch.Ending restored(boolean run, String why) throws InterruptedException {
    return ending(restore(run, why));
  }

  /** As {@link #restoreWaiting}. */
  Watch.Ending restoredWaiting(String why) throws InterruptedException {
    return ending(restoreWaiting(why));
  }

  private Watch.Ending ending(Result result) {
    return result == Result.DONE || hasEnded() ? Watch.Ending.RIGHT : Watch.Ending.FAILED;
  }

  /** Whether the QEMU has ended, so that nothing can be put back in it. */
  boolean hasEnded() {
    try {
      return !qemu.isAlive();
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether QEMU took all former settings that it was given back. */
  boolean isComplete() {
    return complete;
  }

  private Result repair(String why, Repair repair) throws InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    String failure;
    do {
      try {
        if (!qemu.isAlive()) {
          log.add("%s %s has ended.".formatted(why, name()));
          return Result.FAILED;
        }
        try (Qmp qmp = connect()) {
          Report report = repair.by(new QemuMonitor(qmp));
          log.add("%s %s: %s".formatted(why, name(), report.sentence));
          return report.result;
        }
      } catch (QmpException e) {
        failure = String.valueOf(e.getMessage());
        if (e.kind() == QmpException.Kind.REFUSED) {
          log.add("%s %s: %s".formatted(why, name(), failure));
          return Result.REFUSED;
        }
      } catch (IOException e) {
        failure = String.valueOf(e.getMessage());
      }
      Thread.sleep(RETRY);
    } while (System.nanoTime() < end);
    log.add("%s %s could not be put right: %s".formatted(why, name(), failure));
    return Result.FAILED;
  }

  private Qmp connect() throws IOException, InterruptedException {
    return Qmp.connect(qemu.qmp(), CONNECT).answeringWithin(STEP);
  }

  private static void cancelMigration(QemuMonitor monitor)
      throws IOException, InterruptedException {
    if (!monitor.migration().isInProgress()) {
      return;
    }
    monitor.migrateCancel();
    if (monitor.migration().isInProgress()) {
      monitor.wakeCancelled();
    }
    long end = System.nanoTime() + STEP.toNanos();
    while (monitor.migration().isInProgress()) {
      if (System.nanoTime() > end) {
        throw new IOException("its migration did not end after migrate_cancel");
      }
      Thread.sleep(POLL);
    }
  }

  /** Restores what can be restored; a sentence. */
  private String restoreSettings(QemuMonitor monitor) throws IOException, InterruptedException {
    List<String> refused = new ArrayList<>();
    if (!before.capabilities().isEmpty()) {
      unlessRefused(refused, () -> monitor.setCapabilities(before.capabilities()));
    }
    if (!before.parameters().isEmpty()) {
      unlessRefused(refused, () -> monitor.setParameters(before.parameters()));
    }
    complete = refused.isEmpty();
    return complete
        ? "Its settings are restored."
        : "Its settings could not be restored: " + String.join(" ", refused);
  }

  @FunctionalInterface
  private interface Command {
    void run() throws IOException, InterruptedException;
  }

  private static void unlessRefused(List<String> refused, Command command)
      throws IOException, InterruptedException {
    try {
      command.run();
    } catch (QmpException e) {
      if (e.kind() != QmpException.Kind.REFUSED) {
        throw e;
      }
      refused.add(String.valueOf(e.getMessage()));
    }
  }

  private static RunState letRun(QemuMonitor monitor) throws IOException, InterruptedException {
    long end = System.nanoTime() + STEP.toNanos();
    RunState state = monitor.status();
    while (isStill(state) && System.nanoTime() < end) {
      if (!state.status().equals(FINISHING)) {
        // Refused while another QEMU still has the disks.
        var refused = new ArrayList<String>();
        unlessRefused(refused, monitor::cont);
      }
      Thread.sleep(POLL);
      state = monitor.status();
    }
    return state;
  }

  private static boolean isStill(RunState state) {
    return !state.running() && STILL.contains(state.status());
  }

  /** Whether the guest runs now. */
  boolean runs() throws IOException, InterruptedException {
    try (Qmp qmp = connect()) {
      return new QemuMonitor(qmp).status().running();
    }
  }

  /**
   * Whether a QEMU that loads a guest may have got all of it: not if it says that it has not, or
   * has ended. One that does not say so in time may have the only copy of the guest.
   */
  boolean mayBeLoaded() throws InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!hasEnded()) {
      try (Qmp qmp = connect()) {
        var monitor = new QemuMonitor(qmp);
        MigrationInfo loading = monitor.migration();
        while (loading.isInProgress() && System.nanoTime() < end) {
          Thread.sleep(POLL);
          loading = monitor.migration();
        }
        return loading.isInProgress() || loading.status().equals("completed");
      } catch (IOException e) {
        // It ends when the attempt fails; otherwise it serves another client first, or is slow.
        if (System.nanoTime() > end) {
          return true;
        }
        Thread.sleep(RETRY);
      }
    }
    return false;
  }

  /**
   * Ends the QEMU.
   *
   * @param why a sentence for the log
   * @return whether it has ended
   */
  boolean end(String why) throws InterruptedException {
    try {
      if (qemu.isAlive()) {
        quit();
      }
      if (!awaitEnd(QUIT)) {
        ProcessHandle.of(qemu.pid()).ifPresent(ProcessHandle::destroyForcibly);
      }
      boolean ended = awaitEnd(STEP);
      log.add("%s %s %s.".formatted(why, name(), ended ? "has ended" : "does not end"));
      return ended;
    } catch (IOException e) {
      log.add("%s It is unknown whether %s has ended: %s".formatted(why, name(), e.getMessage()));
      return false;
    }
  }

  private void quit() throws InterruptedException {
    try (Qmp qmp = Qmp.connect(qemu.qmp(), QUIT).answeringWithin(QUIT)) {
      new QemuMonitor(qmp).quit();
    } catch (IOException e) {
      log.add("%s at its end: %s".formatted(name(), e.getMessage()));
    }
  }

  private boolean awaitEnd(Duration limit) throws IOException, InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (qemu.isAlive()) {
      if (System.nanoTime() > end) {
        return false;
      }
      Thread.sleep(POLL);
    }
    return true;
  }
}

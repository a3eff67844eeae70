// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.SessionPair;
import org.wridscope.control.qemu.CounterGuest;
import org.wridscope.control.qemu.Counting;
import org.wridscope.control.qemu.LabQemu;
import org.wridscope.control.qemu.QemuLab;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.text.Format;

/** Migrates the guest of a QEMU of its own to another QEMU of its own. */
final class QemuLabRunner {
  private final MigrationRunner runner;
  private final Map<String, String> environment;
  private final Terminal terminal;

  /** The settings of a migration between two QEMUs. */
  @FunctionalInterface
  interface Settings {
    LabSettings read(QmpAddress source, GuestSettings destination) throws InputException;
  }

  /**
   * @param environment the environment variables of the process
   */
  QemuLabRunner(MigrationRunner runner, Map<String, String> environment, Terminal terminal) {
    this.runner = runner;
    this.environment = environment;
    this.terminal = terminal;
  }

  /**
   * Runs the migration.
   *
   * @param keep whether the QEMUs continue after the command
   * @param settings reads the settings of the migration from the user's options
   */
  ExitCode run(
      CounterGuest guest, boolean keep, Settings settings, OutputOptions outputs, QmpOption qmp)
      throws InputException, IOException, InterruptedException {
    try (var qemus = new QemuLab(program(environment), guest, keep)) {
      ExitCode code = runner.run(() -> task(qemus, guest, settings), outputs, qmp);
      if (!qemus.isStarted()) {
        return code;
      }
      ExitCode seen = counts(qemus, code);
      if (keep) {
        qemus.silence();
      }
      return seen;
    }
  }

  /** The installed QEMU. */
  static Path program(Map<String, String> environment) throws InputException {
    return QemuLab.program(environment.getOrDefault("PATH", ""))
        .orElseThrow(() ->
            new InputException(
                "%s: %s is not installed; install the package %s."
                    .formatted(GuestOptions.QEMU, QemuLab.PROGRAM, QemuLab.PACKAGE)));
  }

  private MigrationRunner.Task task(QemuLab qemus, CounterGuest guest, Settings settings)
      throws InputException {
    LabSettings wanted =
        settings.read(
            qemus.sourceAddress(), new GuestSettings.Land(qemus.destinationAddress(), true));
    return new MigrationRunner.Task(
        "a guest that counts, in a QEMU of this lab: %s of RAM, dirtied at %s"
            .formatted(Format.bytes(guest.ramBytes()), Format.rate(guest.dirtyRate())),
        wanted.get(MigrationSetting.PAUSE_BEFORE_SWITCHOVER),
        (manager, _) -> {
          started(qemus);
          Lab lab = manager.startLab(wanted);
          return new SessionPair(lab.source(), lab.destination());
        },
        _ -> begun(qemus));
  }

  private void begun(QemuLab qemus) {
    terminal.message("from %s to %s".formatted(place(qemus.source()), place(qemus.destination())));
    if (qemus.isKept()) {
      terminal.message(
          "Both QEMUs continue after this command. To end them: " + qemus.endCommand());
    }
  }

  private static void started(QemuLab qemus) throws IOException {
    try {
      qemus.start();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while the QEMUs were starting.", e);
    }
  }

  private static String place(LabQemu qemu) {
    return qemu.name() + " at " + qemu.address();
  }

  /** Says where the guest counts, which must be at one end. */
  private ExitCode counts(QemuLab qemus, ExitCode code) throws IOException, InterruptedException {
    Counting counting = qemus.counting();
    boolean moved = code == ExitCode.COMPLETED || code == ExitCode.UNVERIFIED;
    boolean expected = moved ? counting.hasMoved() : counting.hasStayed();
    terminal.result(
        expected ? Terminal.Colour.GOOD : Terminal.Colour.BAD,
        counting.sentence(qemus.source().name(), qemus.destination().name()));
    return expected ? code : ExitCode.FAILED;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.nio.file.Path;
import java.time.Duration;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.scenario.Schedule;
import org.wridscope.control.schedule.ScheduleChooser;
import org.wridscope.control.schedule.ScheduledRun;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.settings.MigrationSetting;

/**
 * Records a migration of several rounds in this process, under a schedule: the same recording each
 * time, also on a busy machine.
 */
public final class RecordedLab {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final long SEED = 1;

  private RecordedLab() {}

  /** Records a complete migration. */
  public static void record(Path file) throws Exception {
    record(file, 60 << 20);
  }

  /**
   * Records a complete migration.
   *
   * @param bandwidth in bytes per second
   */
  public static void record(Path file, long bandwidth) throws Exception {
    record(file, new GuestSettings.Synthetic(16 << 20, 10 << 20, 0, 0.3, 1), bandwidth);
  }

  /** Records a complete migration of a guest of 2 MiB. */
  public static void recordSmall(Path file) throws Exception {
    record(file, new GuestSettings.Synthetic(2 << 20, 1 << 20, 0, 0.3, 1), 60 << 20);
  }

  private static void record(Path file, GuestSettings guest, long bandwidth) throws Exception {
    var settings =
        new LabSettings(
            new MigrationSettings(guest)
                .with(MigrationSetting.BANDWIDTH, bandwidth)
                .with(MigrationSetting.TIMEOUT, PATIENCE));
    ScheduledRun.under(
        new ScheduleChooser(Schedule.of(SEED)),
        SEED,
        () -> {
          record(file, settings);
          return file;
        });
  }

  private static void record(Path file, LabSettings settings) throws Exception {
    try (var manager = new LocalSessions();
        var recorder = Recorder.begin(Output.of("--record", file, FileKind.RECORDING))) {
      Lab lab = manager.startLab(settings);
      recorder.add(lab.source());
      recorder.add(lab.destination());
      if (!lab.source().await(PATIENCE) || !lab.destination().await(PATIENCE)) {
        throw new AssertionError("the migration has not ended within " + PATIENCE);
      }
    }
  }
}

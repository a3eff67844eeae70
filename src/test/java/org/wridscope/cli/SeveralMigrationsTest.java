// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.MigrationSettings;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.recording.Recorder;
import org.wridscope.settings.MigrationSetting;

/** Commands that read a recording of several migrations. */
final class SeveralMigrationsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir static Path directory;

  private static Path file;

  /** Records a guest of 16 MiB, then one of 24 MiB. */
  @BeforeAll
  static void record() throws Exception {
    file = directory.resolve("two.wrs");
    try (var manager = new LocalSessions();
        var recorder = Recorder.begin(Output.of("--record", file, FileKind.RECORDING))) {
      for (int ram : new int[] {16 << 20, 24 << 20}) {
        Lab lab =
            manager.startLab(
                new LabSettings(
                    new MigrationSettings(new GuestSettings.Synthetic(ram, 0, 0, 0.3, 1))
                        .with(MigrationSetting.TIMEOUT, PATIENCE)));
        recorder.add(lab.source());
        recorder.add(lab.destination());
        assertThat(lab.source().await(PATIENCE)).isTrue();
        assertThat(lab.destination().await(PATIENCE)).isTrue();
      }
    }
  }

  @Test
  void replay_numbersTheMigrations_asTraceCountsThem() {
    CommandRun run = CommandRun.real("replay", file.toString());
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out())
        .containsSubsequence(
            "migration 1\ncompleted: The guest runs at the destination.",
            "RAM            32.5 MiB; ",
            "\n\nmigration 2\ncompleted: The guest runs at the destination.",
            "RAM            40.5 MiB; ");
  }

  private static CommandRun trace(String... options) {
    var all = new String[options.length + 2];
    all[0] = "trace";
    all[1] = file.toString();
    System.arraycopy(options, 0, all, 2, options.length);
    return CommandRun.real(all);
  }

  @ParameterizedTest
  @CsvSource({"1, source, 16777216", "2, source, 25165824", "2, destination, 25165824"})
  void trace_writesTheChosenMigration(int number, String end, long length) {
    CommandRun run = trace("--migration=" + number, "--end=" + end);
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out()).containsPattern("rdma_add_block .* length: " + length + " ");
  }

  @Test
  void trace_takesNoMigrationUnasked() {
    for (String end : new String[] {"source", "destination"}) {
      CommandRun run = trace("--end=" + end);
      assertThat(run.status()).isEqualTo(2);
      assertThat(run.out()).isEmpty();
      assertThat(run.err())
          .isEqualTo(
              "wridscope: --migration: %s has 2 migrations; choose one, 1 to 2.\n".formatted(file));
    }
    assertThat(trace("--migration=3", "--end=source").err())
        .endsWith(" has 2 migrations; choose one, 1 to 2.\n");
    assertThat(trace("--migration=2").err())
        .isEqualTo(
            ("wridscope: --end: %s has both ends of the migration; choose one with --end source or"
                    + " --end destination.\n")
                .formatted(file));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.control.Lab;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.scenario.Exploration;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.recording.Recorder;

/** Equal seeds give equal recordings, byte for byte, also on a busy machine. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RecordedTwiceTest {
  private static final int FEW = 25;
  private static final int MANY = 10_000;
  private static final int TOLD_EVERY = 1000;

  @TempDir private Path folder;

  @Test
  void aFewSeeds_alsoUnderLoad() throws Exception {
    assertThat(differing(1, FEW, folder)).isEmpty();
  }

  /**
   * Compares many: {@code FIRST_SEED NUMBER}, by default 1 and 10000. Exit status 1 says that
   * recordings differ.
   */
  public static void main(String[] args) throws Exception {
    long first = args.length > 0 ? Long.parseLong(args[0]) : 1;
    int number = args.length > 1 ? Integer.parseInt(args[1]) : MANY;
    Path folder = Files.createTempDirectory("recorded-twice");
    long begin = System.nanoTime();
    List<Long> differing = differing(first, number, folder);
    System.out.printf(
        "%,d seeds recorded twice in %d s; different: %s%n",
        number, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin), differing);
    Files.delete(folder);
    System.exit(differing.isEmpty() ? 0 : 1);
  }

  /** The seeds whose recordings differ; a thread for each processor is busy meanwhile. */
  private static List<Long> differing(long first, int number, Path folder) throws Exception {
    var loaded = new AtomicBoolean(true);
    List<Thread> load = new ArrayList<>();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      load.add(
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                while (loaded.get()) {
                  Thread.yield();
                }
              }));
    }
    List<Long> differing = new ArrayList<>();
    try {
      Path once = folder.resolve("once.wrs");
      Path twice = folder.resolve("twice.wrs");
      for (long seed = first; seed < first + number; seed++) {
        record(seed, once);
        record(seed, twice);
        if (Files.mismatch(once, twice) >= 0) {
          differing.add(seed);
        }
        Files.delete(once);
        Files.delete(twice);
        if ((seed - first + 1) % TOLD_EVERY == 0) {
          System.out.printf("%,d%n", seed - first + 1);
        }
      }
    } finally {
      loaded.set(false);
      for (Thread thread : load) {
        thread.join();
      }
    }
    return differing;
  }

  private static void record(long seed, Path file) throws Exception {
    Scenario scenario = Exploration.of("recorded", seed);
    boolean _ =
        ScheduledRun.under(
            new ScheduleChooser(scenario.schedule()),
            seed,
            () -> {
              try (var sessions = new LocalSessions();
                  var recorder = Recorder.begin(Output.of("--record", file, FileKind.RECORDING))) {
                Lab lab = sessions.startLab(scenario.lab(), scenario.faults(0));
                recorder.add(lab.source());
                recorder.add(lab.destination());
                Verdict _ = Verdict.await(scenario, 0, lab, () -> {});
              }
              return true;
            });
    assertThat(file).isNotEmptyFile();
  }
}

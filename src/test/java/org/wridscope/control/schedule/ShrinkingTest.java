// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.scenario.Exploration;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.ScenarioWriter;
import org.wridscope.control.scenario.Scenarios;
import org.wridscope.settings.CompletionQueues;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ShrinkingTest {
  /** Choices without which the hang of a shared completion queue does not come about. */
  private static final int FEW = 8;

  @TempDir private Path folder;

  private static Scenario shared(long seed) {
    return Exploration.of("explored", seed).with(CompletionQueues.SHARED);
  }

  private static boolean hangs(long seed) {
    try {
      return ScheduledRun.of(LocalSessions::new, shared(seed), shared(seed).schedule())
          .kind()
          .contains("dropped");
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aHang_isReducedToAFewChoices_whichAFileRepeats() throws Exception {
    long seed =
        LongStream.rangeClosed(1, 100).filter(ShrinkingTest::hangs).findFirst().orElseThrow();
    Scenario scenario = shared(seed);
    ScheduledRun broken = ScheduledRun.of(LocalSessions::new, scenario, scenario.schedule());

    Shrinking.Shrunk shrunk = Shrinking.shrink(LocalSessions::new, scenario, broken, () -> false);

    assertThat(shrunk.run().kind()).isEqualTo(broken.kind());
    assertThat(shrunk.run().asMade().choices()).hasSizeLessThanOrEqualTo(FEW);
    assertThat(shrunk.scenario().rules()).isLessThanOrEqualTo(scenario.rules());
    assertThat(shrunk.runs()).isPositive();
    Path file = folder.resolve("explored.json");
    Files.writeString(file, ScenarioWriter.write(shrunk.withSchedule()));
    Scenario read = Scenarios.read(file);
    assertThat(ScheduledRun.of(LocalSessions::new, read, read.schedule())).isEqualTo(shrunk.run());
  }

  @Test
  void equalSchedules_giveEqualRuns() throws Exception {
    for (long seed = 1; seed <= 10; seed++) {
      Scenario scenario = shared(seed);
      ScheduledRun once = ScheduledRun.of(LocalSessions::new, scenario, scenario.schedule());
      assertThat(ScheduledRun.of(LocalSessions::new, scenario, scenario.schedule()))
          .isEqualTo(once);
      ScheduledRun byChoices = ScheduledRun.of(LocalSessions::new, scenario, once.asMade());
      assertThat(byChoices).isEqualTo(once);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.Slow;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.Session;
import org.wridscope.control.scenario.Exploration;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Scenarios;
import org.wridscope.control.scenario.Schedule;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.time.Chooser;
import org.wridscope.time.Option;

/** What does not happen by itself, at any choice. */
@Slow("many orders of whole migrations")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RareChoicesTest {
  private static final Scenario SMALLEST =
      Exploration.smallest("killed").unmonitored().withAnyEnd();

  /** Every third choice is enough, and done in a moment. */
  private static final int STEP = 3;

  @TempDir private Path folder;

  /** In turn, but for one choice, at which a process is killed if there is one. */
  private static final class Killing implements Chooser {
    private final String process;
    private final long at;
    private final ScheduleChooser made = ScheduleChooser.noting();
    private boolean killed;

    Killing(String process, long at) {
      this.process = process;
      this.at = at;
    }

    @Override
    public int choose(List<Option> options) {
      return choose(options, List::of);
    }

    @Override
    public int choose(List<Option> options, Supplier<? extends List<Option>> others) {
      int chosen = 0;
      if (made.made() == at) {
        List<Option> rare = others.get();
        for (int i = 0; i < rare.size(); i++) {
          String told = rare.get(i).who() + " " + rare.get(i).what();
          chosen = told.contains(process) ? ~i : chosen;
        }
        killed = chosen < 0;
      }
      made.note(chosen, others);
      return chosen;
    }
  }

  /** In this one time is let pass while a guest's thread is to end. */
  @Test
  void whatIsRare_doesNotHappenAfterTheRun() throws Exception {
    List<ScheduledRun> runs = new ArrayList<>();
    new Explorer(LocalSessions::new, scenario -> scenario)
        .run(22_562_031, 1, () -> false, (_, run) -> runs.add(run));
    assertThat(runs).singleElement().matches(ScheduledRun::good);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "source process",
        "destination process",
        "answers NOT_STARTED at its port",
        "answers RUNNING at its port",
        "answers NOT_STARTED for the destination",
        "answers RUNNING for the destination"
      })
  void aKilledEnd_orALiar_leavesTheGuestToOneEndAtMost(String process) throws Exception {
    Set<MigrationStatus> ends = EnumSet.noneOf(MigrationStatus.class);
    boolean killed = true;
    for (long at = 0; killed; at += STEP) {
      var killing = new Killing(process, at);
      ScheduledRun run = ScheduledRun.of(killing, killing.made, LocalSessions::new, SMALLEST);
      assertThat(run.problems()).as("%s, choice %d", process, at).isEmpty();
      killed = killing.killed;
      if (killed) {
        ends.add(run.status());
        assertThat(ScheduledRun.of(LocalSessions::new, SMALLEST, run.asMade()))
            .as("the schedule repeats it")
            .isEqualTo(run);
      }
    }
    assertThat(ends).contains(MigrationStatus.FAILED);
  }

  @Test
  void anOutcome_saysWhatWasLost() throws Exception {
    try (var stepping =
        new Stepping(
            LocalSessions::new, Exploration.smallest("killed"), () -> Stepping.Onlooker.NONE)) {
      Standing.AtChoice choice = (Standing.AtChoice) stepping.await();
      int index = 0;
      while (!choice.possibilities().get(index).who().equals("source process")) {
        index++;
      }
      assertThat(choice.possibilities().get(index).rare()).isTrue();
      stepping.take(index);
      Standing _ = stepping.await();
      stepping.goOnUntil(Until.END);
      Standing.AtEnd end = (Standing.AtEnd) stepping.await();
      Session source = end.lab().source();
      assertThat(source.killed()).isPresent();
      assertThat(source.guestRunning()).isFalse();
      assertThat(source.outcome())
          .isEqualTo(
              "The process of the source was killed. The guest ran there, and is lost with it.");
      assertThat(end.lab().destination().guestRunning()).isFalse();
    }
  }

  @Test
  void timeThatPasses_whileTheDestinationCouldEnd_isNoHang() throws Exception {
    Path file = folder.resolve("passing.json");
    Files.writeString(
        file,
        """
        {"title": "T", "about": "A.", "guest": {"ram": "28KiB"},
         "source": {"max-cqe": 1},
         "choices": [{"at": 0, "take": 2}, {"at": 2, "take": -2}, {"at": 4, "take": 1}],
         "expect": {"status": "failed"}}
        """);
    Scenario scenario = Scenarios.read(file);
    ScheduledRun run = ScheduledRun.of(LocalSessions::new, scenario, scenario.schedule());
    assertThat(run.problems()).isEmpty();
    assertThat(run.asMade().choices()).containsEntry(2L, -2);
  }

  @Test
  void explored_someHaveOne_andNoneOfThoseWithoutFaults() {
    int rare = 0;
    for (long seed = 1; seed <= 200; seed++) {
      Scenario scenario = Exploration.of("explored", seed);
      Schedule schedule = scenario.schedule();
      rare += schedule.hasRare() ? 1 : 0;
      if (scenario.rules() == 0 && scenario.isWithoutFaults()) {
        assertThat(schedule).isEqualTo(Schedule.of(seed));
      }
    }
    assertThat(rare).isBetween(30, 70);
  }
}

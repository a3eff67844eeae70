// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.overview;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Phases;
import org.wridscope.ui.overview.Stage.State;

final class StageTest {
  private static final long MS = 1_000_000;

  private static List<Phase> phases(String... names) {
    var phases = new ArrayList<Phase>();
    for (int i = 0; i < names.length; i++) {
      phases.add(Phases.named(names[i], i * 10L * MS));
    }
    return phases;
  }

  private static List<String> names(List<Stage> stages) {
    return stages.stream().map(Stage::name).toList();
  }

  @Test
  void of_noPhases_areAllToCome() {
    List<Stage> stages = Stage.of(List.of(), MigrationStatus.NONE, 0);
    assertThat(names(stages)).containsExactly("connect", "set-up", "rounds", "switch-over", "done");
    assertThat(stages).allMatch(stage -> stage.state() == State.TO_COME);
  }

  @Test
  void of_whileAMachineIsAttached_hasTheWholeWayAhead() {
    List<Stage> stages = Stage.of(phases("connect", "attach"), MigrationStatus.SETUP, 12 * MS);
    assertThat(names(stages))
        .containsExactly("attach", "connect", "set-up", "rounds", "switch-over", "done");
    assertThat(stages.getFirst()).isEqualTo(new Stage("attach", 0, State.NOW, "2.0 ms"));
  }

  @Test
  void of_afterAMachineWasAttached_hasOneConnect() {
    List<Stage> stages =
        Stage.of(phases("connect", "attach", "connect"), MigrationStatus.SETUP, 25 * MS);
    assertThat(names(stages))
        .containsExactly("attach", "connect", "set-up", "rounds", "switch-over", "done");
    assertThat(stages.get(1)).isEqualTo(new Stage("connect", 0, State.NOW, "5.0 ms"));
  }

  @Test
  void of_aHeldSource_hasTheSwitchOverAhead() {
    List<Stage> stages =
        Stage.of(phases("set-up", "round 1", "held"), MigrationStatus.PRE_SWITCHOVER, 28 * MS);
    assertThat(names(stages)).containsExactly("set-up", "round 1", "held", "switch-over", "done");
    assertThat(stages.get(2)).isEqualTo(new Stage("held", 0, State.NOW, "8.0 ms"));
  }

  @Test
  void of_inRoundTwo_hasTheSwitchOverAhead() {
    List<Stage> stages =
        Stage.of(
            phases("connect", "set-up", "round 1", "round 2"), MigrationStatus.ACTIVE, 38 * MS);
    assertThat(names(stages))
        .containsExactly("connect", "set-up", "round 1", "round 2", "switch-over", "done");
    assertThat(stages.get(2)).isEqualTo(new Stage("round 1", 1, State.DONE, "10 ms"));
    assertThat(stages.get(3)).isEqualTo(new Stage("round 2", 2, State.NOW, "8.0 ms"));
  }

  @Test
  void of_manyRounds_leavesOutThoseInTheMiddle() {
    List<Stage> stages =
        Stage.of(
            phases(
                "connect", "set-up", "round 1", "round 2", "round 3", "round 4", "round 5",
                "round 6"),
            MigrationStatus.ACTIVE,
            100 * MS);
    assertThat(names(stages))
        .containsExactly("connect", "set-up", "round 1", "…", "round 6", "switch-over", "done");
    assertThat(stages.get(3).state()).isEqualTo(State.OMITTED);
  }

  @Test
  void of_completed_endsWithDone() {
    List<Stage> stages =
        Stage.of(
            phases("connect", "set-up", "round 1", "switch-over", "verify", "completed"),
            MigrationStatus.COMPLETED,
            900 * MS);
    assertThat(names(stages))
        .containsExactly("connect", "set-up", "round 1", "switch-over", "verify", "done");
    assertThat(stages).allMatch(stage -> stage.state() == State.DONE);
    assertThat(stages.get(4).detail()).isEqualTo("10 ms");
  }

  @Test
  void of_failed_marksWhereItHappened() {
    List<Stage> stages =
        Stage.of(
            phases("connect", "set-up", "round 1", "failed"), MigrationStatus.FAILED, 900 * MS);
    assertThat(names(stages)).containsExactly("connect", "set-up", "round 1", "failed");
    assertThat(stages.get(2)).isEqualTo(new Stage("round 1", 1, State.FAILED, "10 ms"));
    assertThat(stages.get(3).state()).isEqualTo(State.FAILED);
  }

  @Test
  void of_verifying_hasOnlyTheEndAhead() {
    List<Stage> stages =
        Stage.of(
            phases("connect", "set-up", "round 1", "switch-over", "verify"),
            MigrationStatus.DEVICE,
            45 * MS);
    assertThat(names(stages))
        .containsExactly("connect", "set-up", "round 1", "switch-over", "verify", "done");
  }
}

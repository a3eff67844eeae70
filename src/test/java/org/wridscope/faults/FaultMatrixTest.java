// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.wridscope.Slow;
import org.wridscope.protocol.ControlType;

/** The part of the matrix that takes seconds; {@code lab/softroce faults} runs all of it. */
@Slow("a sample of the fault matrix, in real time")
class FaultMatrixTest {
  private static final Set<ControlType> DECIDING =
      EnumSet.of(ControlType.LOADED, ControlType.SWITCH_OVER, ControlType.RUNNING);

  @Test
  void oneGuestIsLeft_whenTheLabIsCutAtAnyMessage() throws Exception {
    List<Result> results = run(Setting.LAB, cell -> cell.act() == Act.CUT);
    assertThat(results)
        .allSatisfy(result ->
            assertThat(result.outcome())
                .as("%s: %s", result.cell(), result.note())
                .isIn(RunOutcome.ONE_GUEST, RunOutcome.NOT_REACHED));
    // The number of rounds, and so of messages, depends on speed.
    assertThat(results.stream().filter(result -> result.outcome() == RunOutcome.ONE_GUEST))
        .hasSizeGreaterThan(30)
        .extracting(result -> result.cell().step().type())
        .containsAll(DECIDING);
    assertThat(results).extracting(Result::moved).contains(true, false);
  }

  @Test
  void oneGuestIsLeft_whenAProcessIsKilledAtTheSwitchOver() throws Exception {
    List<Result> results =
        run(
            Setting.TCP,
            cell ->
                cell.act() == Act.KILL && cell.after() && DECIDING.contains(cell.step().type()));
    assertThat(results)
        .hasSize(6)
        .allSatisfy(result ->
            assertThat(result.outcome())
                .as("%s: %s", result.cell(), result.note())
                .isIn(RunOutcome.ONE_GUEST, RunOutcome.UNDECIDED));
  }

  private static List<Result> run(Setting setting, Predicate<Cell> wanted) throws Exception {
    List<Cell> cells = Cell.all(setting, Run.rehearse(setting)).stream().filter(wanted).toList();
    var results = new ArrayList<Result>();
    try (ExecutorService executor = Executors.newFixedThreadPool(4)) {
      List<Future<Result>> runs =
          cells.stream().map(cell -> executor.submit(() -> Run.of(cell))).toList();
      for (Future<Result> each : runs) {
        results.add(each.get());
      }
    }
    return results;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Role;

final class ResultTest {
  private static final LocalDate DATE = LocalDate.of(2026, 11, 28);

  private static Cell cell(int occurrence) {
    return new Cell(
        Setting.TCP, new Step(Role.SOURCE, ControlType.READY, occurrence), true, Act.CUT, null);
  }

  private static Result result(int occurrence, RunOutcome outcome, String commit) {
    return new Result(cell(occurrence), outcome, true, false, List.of(12L, 3L), "a note")
        .at(commit, DATE);
  }

  @Test
  void line_isParsed() {
    Result result = result(3, RunOutcome.ONE_GUEST, "0123abcd+");
    assertThat(Result.parse(result.line())).isEqualTo(result);
  }

  @Test
  void file_whoseLastLineWasCutShort_hasTheLastResultOfEachOtherCell(@TempDir Path folder)
      throws Exception {
    Result first = result(1, RunOutcome.HANGS, "old");
    Result again = result(1, RunOutcome.ONE_GUEST, "new");
    Result other = result(2, RunOutcome.ONE_GUEST, "new");
    String last = result(3, RunOutcome.ONE_GUEST, "new").line();
    for (int length = 0; length < last.length(); length++) {
      Path file =
          Files.writeString(
              folder.resolve("rows"),
              String.join(
                  "\n",
                  FaultMatrix.HEAD + "TCP: 2 messages",
                  first.line(),
                  other.line(),
                  again.line(),
                  last.substring(0, length)));
      assertThat(FaultMatrix.read(file).values()).containsExactly(other, again);
    }
  }

  @Test
  void cellsThatAreLeft_areTheNewOnes_andThoseThatHaveNotPassedAtThisCommit_inTheirOrder() {
    Map<Cell, Result> results = new LinkedHashMap<>();
    for (Result each :
        List.of(
            result(5, RunOutcome.ONE_GUEST, "old"),
            result(4, RunOutcome.TWO_GUESTS, "new"),
            result(2, RunOutcome.UNDECIDED, "new"),
            result(1, RunOutcome.ONE_GUEST, "older"))) {
      results.put(each.cell(), each);
    }
    List<Cell> cells = List.of(cell(1), cell(2), cell(3), cell(4), cell(5), cell(6));
    assertThat(FaultMatrix.left(cells, results, "new"))
        .containsExactly(cell(3), cell(6), cell(5), cell(4), cell(1));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.telemetry.MigrationStatus;

/** Each wrong combination of the two ends is noticed. */
class RunOutcomeTest {

  @ParameterizedTest(name = "source {0}, destination {1}, told {2}, confirmed {3}: {4}")
  @CsvSource({
    "COMPLETED still, COMPLETED runs, true, true, ONE_GUEST",
    "FAILED runs, FAILED still, false, false, ONE_GUEST",
    "FAILED runs, COMPLETED runs, true, true, TWO_GUESTS",
    "COMPLETED still, COMPLETED runs, false, true, TWO_GUESTS",
    "FAILED still, COMPLETED runs, true, true, TWO_GUESTS",
    "COMPLETED runs, FAILED still, true, false, TWO_GUESTS",
    "FAILED still, FAILED still, true, false, NO_GUEST",
    "COMPLETED still, FAILED still, true, false, NO_GUEST",
    "UNDECIDED still, FAILED still, true, false, UNDECIDED",
    "UNDECIDED runs, COMPLETED runs, true, true, TWO_GUESTS",
    "killed, FAILED still, true, false, ONE_GUEST",
    "killed, COMPLETED runs, true, true, ONE_GUEST",
    "killed, COMPLETED runs, false, true, TWO_GUESTS",
    "killed, COMPLETED still, true, true, NO_GUEST",
    "FAILED runs, killed, true, false, ONE_GUEST",
    "FAILED still, killed, true, false, NO_GUEST",
    "COMPLETED still, killed, true, true, ONE_GUEST",
    "COMPLETED still, killed, true, false, NO_GUEST",
    "UNDECIDED still, killed, true, true, UNDECIDED"
  })
  void outcome(
      String source, String destination, boolean told, boolean confirmed, RunOutcome expected) {
    assertThat(RunOutcome.of(end(source), end(destination), told, confirmed)).isEqualTo(expected);
  }

  private static @Nullable End end(String text) {
    if (text.equals("killed")) {
      return null;
    }
    String[] words = text.split(" ");
    return new End(
        MigrationStatus.valueOf(words[0]), words[1].equals("runs"), End.Ram.NOT_COMPARED, "");
  }
}

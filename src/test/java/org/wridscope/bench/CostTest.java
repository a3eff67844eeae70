// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What measurements amount to. */
final class CostTest {
  /** The ranks are those in the tables of the sign test. */
  @ParameterizedTest
  @CsvSource({"6, 0", "8, 0", "9, 1", "12, 2", "17, 4", "18, 4", "20, 5", "25, 7", "100, 39"})
  void cost_leavesOutAsManyAsASignTestAllows(int pairs, int left) {
    assertThat(Cost.leftOut(pairs)).isEqualTo(left);
  }

  @Test
  void cost_isTheMedianOfThePairs_andNotThatOfTheFastest() {
    List<Double> without = new ArrayList<>();
    List<Double> with = new ArrayList<>();
    for (int pair = 0; pair < 18; pair++) {
      // The machine is sometimes ten times as fast, and some measurements are disturbed.
      double speed = pair % 3 == 0 ? 10 : 1;
      without.add(speed * (pair == 3 ? 4 : 1.02));
      with.add(speed * (pair == 5 || pair == 7 ? 0.2 : 1));
    }
    Cost cost = Cost.of(without, with);
    assertThat(cost).isEqualTo(new Cost(2, 2, 2, 18));
  }

  @Test
  void median_isTheMiddle() {
    assertThat(BenchmarkRounds.median(List.of(3.0, 1.0, 2.0))).isEqualTo(2);
    assertThat(BenchmarkRounds.median(List.of(4.0, 1.0, 2.0, 3.0))).isEqualTo(2.5);
  }
}

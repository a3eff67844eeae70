// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.Arrays;
import java.util.List;

/**
 * How much longer something takes with than without, from pairs that were measured one right after
 * the other: what slows the machine down for longer than that slows both of a pair. The median of
 * what the pairs say, which a few that were disturbed do not move, and an interval that holds the
 * true median with a confidence of at least 95 %, whatever the distribution (the sign test turned
 * round: so many of the pairs lie on either side of it as heads and tails in as many tosses).
 *
 * @param percent the median; negative when it takes less long
 * @param low the interval's lower end
 * @param high its upper end
 * @param pairs how many there were, at least {@value #MIN_PAIRS}
 */
record Cost(double percent, double low, double high, int pairs) {
  /** With fewer, not even from the least to the greatest is sure enough. */
  static final int MIN_PAIRS = 6;

  private static final double CONFIDENCE = 0.95;

  /**
   * @param without rates, of each pair one
   * @param with rates, of each pair the other
   */
  static Cost of(List<Double> without, List<Double> with) {
    if (without.size() != with.size() || with.size() < MIN_PAIRS) {
      throw new IllegalArgumentException(
          "%d and %d rates make no %d pairs".formatted(without.size(), with.size(), MIN_PAIRS));
    }
    int pairs = with.size();
    double[] percents = new double[pairs];
    for (int i = 0; i < pairs; i++) {
      percents[i] = (without.get(i) / with.get(i) - 1) * 100;
    }
    Arrays.sort(percents);
    int left = leftOut(pairs);
    return new Cost(
        BenchmarkRounds.rounded(BenchmarkRounds.median(Arrays.stream(percents).boxed().toList())),
        BenchmarkRounds.rounded(percents[left]),
        BenchmarkRounds.rounded(percents[pairs - 1 - left]),
        pairs);
  }

  /** How many of the pairs may be left out at either end, and it is still sure enough. */
  static int leftOut(int pairs) {
    double either = 0;
    double combinations = Math.pow(0.5, pairs);
    int left = -1;
    for (int heads = 0; heads < pairs / 2; heads++) {
      either += 2 * combinations;
      if (either > 1 - CONFIDENCE) {
        break;
      }
      left = heads;
      combinations *= (double) (pairs - heads) / (heads + 1);
    }
    return Math.max(0, left);
  }
}

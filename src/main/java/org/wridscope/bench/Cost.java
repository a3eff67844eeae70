// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

import java.util.Arrays;
import java.util.List;

/**
 * How much longer something takes with an addition than without it, from pairs of rates that were
 * measured one right after the other, so that load on the machine slows both of a pair down. The
 * median of the pairs, which a few disturbed pairs do not move, and an interval that contains the
 * true median with a confidence of at least 95 % for every distribution (an inverted sign test).
 *
 * @param percent the median; negative if it takes less time
 * @param low lower end of the interval
 * @param high upper end of the interval
 * @param pairs number of pairs, at least {@value #MIN_PAIRS}
 */
public record Cost(double percent, double low, double high, int pairs) {
  /** With fewer pairs, even the whole range does not reach the confidence. */
  static final int MIN_PAIRS = 6;

  private static final double CONFIDENCE = 0.95;

  /**
   * @param without the first rate of each pair
   * @param with the second rate of each pair
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

  /** How many pairs can be left out at each end of the range without losing the confidence. */
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

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class StretchTest {

  @Test
  void of_phases_areCutAtTheEdgesAndLeftOutWhereTheyAreShort() {
    assertThat(Stretch.of(new double[] {-50, 20, 30, 90, 400}, 0, 100))
        .containsExactly(new Stretch(0, 0, 20), new Stretch(2, 30, 90));
    assertThat(Stretch.of(new double[] {-50, -20}, 0, 100)).containsExactly(new Stretch(1, 0, 100));
    assertThat(Stretch.of(new double[] {}, 0, 100)).isEmpty();
  }

  @Test
  void hasRoomFor_aName_leavesAMarginAtEitherSide() {
    var stretch = new Stretch(0, 10, 50);
    assertThat(stretch.hasRoomFor(34)).isTrue();
    assertThat(stretch.hasRoomFor(34.5)).isFalse();
    assertThat(stretch.nameX()).isEqualTo(13);
  }

  @Test
  void of_manyShortRounds_namesNoMoreThanThereIsRoomFor() {
    var random = new SplittableRandom(3);
    double[] begins = random.doubles(10_000, -100, 1_100).sorted().toArray();
    assertThat(Stretch.of(begins, 0, 1_000).size()).isLessThanOrEqualTo(1_000 / 16);
  }
}

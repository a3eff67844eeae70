// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.text.AxisUnit;
import org.wridscope.text.ValueAxis;
import org.wridscope.ui.chart.ChartGrid.Arrangement;

final class ChartLayoutTest {

  @Test
  void arrangement_ofChartsInALargeView_showsBothEndsWhole() {
    var arrangement = Arrangement.of(2, 4, 800, 600);
    assertThat(arrangement.ends()).isEqualTo(2);
    assertThat(arrangement.columns() * arrangement.rows()).isEqualTo(4);
  }

  @Test
  void arrangement_inASmallView_leavesOutTheDestinationFirst() {
    var wide = Arrangement.of(2, 4, 900, 260);
    assertThat(wide.ends()).isEqualTo(2);
    assertThat(wide.columns()).isEqualTo(4);
    var small = Arrangement.of(2, 4, 500, 180);
    assertThat(small.ends()).isEqualTo(1);
    assertThat(small.columns()).isEqualTo(2);
    assertThat(small.rows()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({"0,0", "0,300", "300,0", "100,60", "10000,10"})
  void arrangement_ofAnySize_hasAtLeastOneChart(double width, double height) {
    var arrangement = Arrangement.of(2, 4, width, height);
    assertThat(arrangement.ends()).isPositive();
    assertThat(arrangement.columns()).isBetween(1, 4);
    assertThat(arrangement.rows()).isBetween(1, 4);
  }

  @Test
  void scaleOfTwoCharts_isOne_andHoldsWhatBothShow() {
    var scale = new ValueScale(AxisUnit.COUNT);
    ValueAxis high = scale.adapt("left", 100, 5);
    assertThat(high.top()).isGreaterThanOrEqualTo(100);
    assertThat(scale.adapt("right", 10, 5)).isEqualTo(high);
    // What is no longer shown needs no room, at neither of them.
    ValueAxis low = scale.adapt("left", 8, 5);
    assertThat(low.top()).isBetween(10.0, 20.0);
    assertThat(scale.axis()).isEqualTo(low);
    assertThat(scale.adapt("right", 10, 5)).isEqualTo(low);
    // One with less room for ticks decides for both.
    assertThat(scale.adapt("right", 10, 2).ticks()).isLessThanOrEqualTo(2);
    assertThat(scale.adapt("left", 8, 5).ticks()).isLessThanOrEqualTo(2);
  }
}

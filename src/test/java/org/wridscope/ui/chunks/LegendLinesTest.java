// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import javafx.scene.Node;
import javafx.scene.layout.Region;
import org.junit.jupiter.api.Test;

final class LegendLinesTest {
  private final List<Region> items =
      Stream.of(110, 60, 90, 100, 80, 70).map(LegendLinesTest::region).toList();
  private final List<Region> heads = Stream.generate(() -> region(50)).limit(6).toList();
  private final LegendLines lines = new LegendLines(items);

  private static Region region(double width) {
    var region = new Region();
    region.setMinSize(width, 40);
    region.setPrefSize(width, 40);
    return region;
  }

  private List<Double> layOut(double width) {
    lines.setHeads(heads);
    lines.resize(width, lines.prefHeight(width));
    lines.layout();
    return items.stream().map(Node::getLayoutY).toList();
  }

  @Test
  void roomForAll_isOneLine() {
    assertThat(layOut(560)).containsOnly(0.0);
    assertThat(lines.prefHeight(560)).isEqualTo(40);
    assertThat(heads.stream().filter(Node::isVisible)).hasSize(1);
  }

  @Test
  void lessRoom_isLinesOfAsMany_inColumns_eachWithItsHead() {
    assertThat(layOut(559)).containsExactly(0.0, 0.0, 0.0, 42.0, 42.0, 42.0);
    assertThat(items.stream().map(Node::getLayoutX))
        .containsExactly(50.0, 160.0, 240.0, 50.0, 160.0, 240.0);
    assertThat(lines.prefHeight(559)).isEqualTo(82);
    assertThat(heads.stream().filter(Node::isVisible).map(Node::getLayoutY))
        .containsExactly(0.0, 42.0);
    assertThat(layOut(260)).containsExactly(0.0, 0.0, 42.0, 42.0, 84.0, 84.0);
  }

  @Test
  void noRoom_isALineForEach() {
    assertThat(layOut(10)).containsExactly(0.0, 42.0, 84.0, 126.0, 168.0, 210.0);
    assertThat(heads).allMatch(Node::isVisible);
  }
}

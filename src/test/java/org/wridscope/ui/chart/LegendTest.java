// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.inParent;

import java.util.List;
import javafx.scene.Group;
import javafx.scene.Node;
import javafx.scene.text.Text;
import javafx.stage.Stage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testfx.framework.junit5.Start;
import org.wridscope.Slow;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.text.AxisUnit;
import org.wridscope.ui.OnFxRobot;
import org.wridscope.ui.Palette;

@Slow("it opens a window")
@ExtendWith(OnFxRobot.class)
final class LegendTest {
  private static final List<String> NAMES = List.of("WRITE", "SEND", "RECV");

  @Start
  void start(Stage stage) {}

  private static Legend legend(int failures) {
    var legend =
        new Legend(
            ChartSpec.of(
                    "Completions",
                    AxisUnit.COUNT,
                    NAMES.stream()
                        .map(name ->
                            new Series(
                                name,
                                Palette.SEND,
                                new Reading.Gauge(Metric.WRITES_POSTED),
                                Series.Style.LINE))
                        .toArray(Series[]::new))
                .withFailures(EventKind.COMPLETION_SEND_QUEUE));
    for (int i = 0; i < NAMES.size(); i++) {
      legend.write(i, 12 + i + ",345");
    }
    legend.writeFailures(failures, 0);
    legend.writeNote("average of 100 ms");
    return legend;
  }

  private static List<Node> shown(Legend legend) {
    return ((Group) legend.node())
        .getChildren().stream()
            .filter(Node::isVisible)
            .filter(node -> !(node instanceof Text text) || !text.getText().isEmpty())
            .toList();
  }

  private static List<String> texts(Legend legend) {
    return shown(legend).stream()
        .filter(Text.class::isInstance)
        .map(node -> ((Text) node).getText())
        .toList();
  }

  @Test
  void failures_leaveTheNamesOfSeries() {
    Legend good = legend(0);
    Legend failed = legend(67);
    for (int width = 120; width < 900; width++) {
      good.layOut(width);
      failed.layOut(width);
      if (texts(good).containsAll(NAMES)) {
        assertThat(texts(failed)).as("at a width of %d", width).containsAll(NAMES);
      }
    }
    assertThat(texts(good)).contains("Completions", "average of 100 ms");
    assertThat(texts(failed)).contains("Completions", "× failed 67", "average of 100 ms");
  }

  @Test
  void failures_areCountedAtEveryWidth_andNothingOverlaps() {
    Legend legend = legend(67);
    for (int width = 60; width < 900; width++) {
      legend.layOut(width);
      assertThat(texts(legend)).as("at a width of %d", width).containsAnyOf("× failed 67", "× 67");
      for (Node node : shown(legend)) {
        assertThat(inParent(node).getMaxX())
            .as("%s at a width of %d", node, width)
            .isLessThanOrEqualTo(width);
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.explain;

import java.util.ArrayList;
import java.util.List;
import javafx.geometry.HPos;
import javafx.geometry.Pos;
import javafx.scene.control.Label;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.ColumnConstraints;
import javafx.scene.layout.GridPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Region;
import javafx.scene.text.TextAlignment;
import org.wridscope.analysis.Latencies;
import org.wridscope.analysis.RequestKind;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;

/** How long requests took: a line with a histogram for each kind at each end. */
final class LatencyGrid extends GridPane {
  /** Bars for each decade. */
  private static final int PER_DECADE = 4;

  /** From 100 ns to 10 s. */
  private static final int DECADES = 8;

  private static final double SHORTEST = 100;
  private static final double HEIGHT = 30;
  private static final double BAR_WIDTH = 6;

  /** The column of the number of requests, whose title takes two lines. */
  private static final int REQUESTS = 2;

  private static final double REQUESTS_WIDTH = 56;

  /** The contents of one line. */
  private record Line(String name, List<Long> counts, List<String> values) {}

  /** The latencies of a session. */
  record End(Role role, Latencies latencies) {}

  private List<Line> shown = List.of();

  LatencyGrid() {
    getStyleClass().add("latencies");
    setId("latencies");
    // Otherwise it would make the whole page wider than the view, and cut off every line of text.
    setMinWidth(0);
    for (int i = 0; i < 7; i++) {
      var column = new ColumnConstraints();
      column.setHalignment(i < 2 ? HPos.LEFT : HPos.RIGHT);
      column.setMinWidth(i == 1 ? DECADES * PER_DECADE * 3 : Region.USE_PREF_SIZE);
      getColumnConstraints().add(column);
    }
  }

  /**
   * @param migrates whether they are ends of a migration, whose names are shown
   */
  void show(List<End> ends, boolean migrates) {
    var lines = new ArrayList<Line>();
    for (End end : ends) {
      for (RequestKind kind : RequestKind.values()) {
        if (end.latencies().count(kind) > 0) {
          lines.add(line(end, kind, migrates));
        }
      }
    }
    if (!lines.equals(shown)) {
      shown = List.copyOf(lines);
      getChildren().clear();
      head();
      for (int i = 0; i < lines.size(); i++) {
        add(lines.get(i), i + 1);
      }
    }
  }

  /** Whether there is nothing to show. */
  boolean isBlank() {
    return shown.isEmpty();
  }

  private static Line line(End end, RequestKind kind, boolean migrates) {
    Latencies of = end.latencies();
    var counts = new ArrayList<Long>();
    for (int i = 0; i < DECADES * PER_DECADE; i++) {
      // The first and the last bar also have what is shorter or longer than all bars.
      long from = i == 0 ? 0 : Math.round(bound(i));
      long to = i == DECADES * PER_DECADE - 1 ? Long.MAX_VALUE : Math.round(bound(i + 1)) - 1;
      counts.add(of.between(kind, from, to));
    }
    var values = new ArrayList<String>();
    values.add(Format.count(of.count(kind)));
    for (double percentile : new double[] {50, 99, 99.9, 100}) {
      values.add(Format.duration(of.percentile(kind, percentile)));
    }
    String role = migrates ? end.role().text() + ", " : "";
    return new Line(role + kind.text(), counts, values);
  }

  private static double bound(int bar) {
    return SHORTEST * Math.pow(10, (double) bar / PER_DECADE);
  }

  private void head() {
    String[] titles = {"", "100 ns – 10 s, log scale", "signaled requests", "p50", "p99", "p99.9"};
    for (int i = 0; i < titles.length; i++) {
      Label title = title(titles[i]);
      if (i == REQUESTS) {
        title.setPrefWidth(REQUESTS_WIDTH);
        title.setTextAlignment(TextAlignment.RIGHT);
      }
      add(title, i, 0);
    }
    add(title("longest"), titles.length, 0);
  }

  private static Label title(String text) {
    var label = new Label(text);
    label.getStyleClass().addAll("muted", "small-text");
    label.setWrapText(true);
    label.setMinHeight(Region.USE_PREF_SIZE);
    return label;
  }

  private void add(Line line, int row) {
    add(new Label(line.name()), 0, row);
    var bars = new HBox(1);
    bars.setAlignment(Pos.BOTTOM_LEFT);
    bars.setMinHeight(HEIGHT);
    bars.getStyleClass().add("latency-bars");
    long most = line.counts().stream().mapToLong(Long::longValue).max().orElse(1);
    for (int i = 0; i < line.counts().size(); i++) {
      bars.getChildren().add(bar(line.counts().get(i), most, i));
    }
    add(bars, 1, row);
    for (int i = 0; i < line.values().size(); i++) {
      var value = new Label(line.values().get(i));
      value.getStyleClass().add("number");
      add(value, i + 2, row);
    }
  }

  private static Region bar(long count, long most, int index) {
    var bar = new Region();
    bar.getStyleClass().add(index % PER_DECADE == 0 ? "latency-decade" : "latency-bar");
    // The square root keeps single requests visible beside millions.
    double share = count == 0 ? 0 : Math.max(0.06, Math.sqrt((double) count / Math.max(1, most)));
    bar.setPrefSize(BAR_WIDTH, HEIGHT * share + 1);
    bar.setMinSize(2, HEIGHT * share + 1);
    bar.setMaxHeight(HEIGHT * share + 1);
    if (count > 0) {
      Tooltip.install(
          bar,
          new Tooltip(
              "%s took %s to %s"
                  .formatted(
                      Format.count(count),
                      Format.duration(Math.round(bound(index))),
                      Format.duration(Math.round(bound(index + 1))))));
    }
    return bar;
  }
}

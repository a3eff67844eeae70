// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.List;
import javafx.beans.binding.Bindings;
import javafx.beans.property.ObjectProperty;
import javafx.beans.property.SimpleObjectProperty;
import javafx.geometry.Insets;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.control.ContentDisplay;
import javafx.scene.control.ToggleButton;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Pane;
import javafx.scene.layout.VBox;
import javafx.scene.text.Font;
import javafx.scene.text.Text;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.ShownState;
import org.wridscope.text.Format;
import org.wridscope.ui.Palette;
import org.wridscope.ui.raster.PixelSurface;

/**
 * The states of chunks, and how many chunks of each end are in each state. Selecting a state
 * highlights its chunks; selecting it again ends that.
 */
final class ChunkLegend {
  private static final double FONT = 11;
  private static final double SAMPLE = 13;
  private static final double GAP = 4;
  private static final String WIDEST_COUNT = "888,888";

  private final ObjectProperty<@Nullable ShownState> single =
      new SimpleObjectProperty<>(this, "single", null);
  private final LegendLines lines;
  private final List<Entry> entries = new ArrayList<>();
  private final List<Text> names = new ArrayList<>();
  private int rows;

  private record Entry(
      ShownState state,
      ToggleButton button,
      PixelSurface sample,
      Text name,
      VBox column,
      List<Text> counts) {}

  ChunkLegend() {
    for (ShownState state : ShownState.values()) {
      var sample = new PixelSurface();
      var box = new Pane(sample.node());
      box.setMinSize(SAMPLE, SAMPLE);
      box.setMaxSize(SAMPLE, SAMPLE);
      var name = text(FONT, state.text());
      var head = new HBox(GAP, box, name);
      head.setStyle("-fx-alignment: center-left;");
      var column = new VBox(1, head);
      var button = new ToggleButton();
      button.setGraphic(column);
      button.setAlignment(Pos.TOP_LEFT);
      button.setContentDisplay(ContentDisplay.GRAPHIC_ONLY);
      button.setId("legend-" + state.name());
      button.setAccessibleText("Highlight chunks: %s".formatted(state.text()));
      button.setTooltip(
          new Tooltip("Click to highlight the chunks in this state: %s.".formatted(state.text())));
      button.getStyleClass().add("chunk-legend-entry");
      button.setOnAction(
          event -> single.set(single.get() == state || !button.isSelected() ? null : state));
      entries.add(new Entry(state, button, sample, name, column, new ArrayList<>()));
    }
    lines = new LegendLines(entries.stream().map(Entry::button).toList());
    single.addListener((property, before, now) -> select(now));
  }

  private static Text text(double size, String content) {
    var text = new Text(content);
    text.setFont(Font.font(size));
    text.setStyle("-fx-font-size: " + size + "px;");
    return text;
  }

  private void select(@Nullable ShownState state) {
    entries.forEach(entry -> entry.button().setSelected(entry.state() == state));
  }

  Node node() {
    return lines;
  }

  /** The highlighted state; null for none. */
  ObjectProperty<@Nullable ShownState> singleProperty() {
    return single;
  }

  /** Makes a row of counts for each end; a single end is not named. */
  void setEnds(List<String> endNames, boolean dark) {
    rows = endNames.size();
    names.clear();
    lines.setHeads(rows > 1 ? entries.stream().map(_ -> head(endNames)).toList() : List.of());
    for (Entry entry : entries) {
      entry.column().getChildren().removeAll(entry.counts());
      entry.counts().clear();
      for (int i = 0; i < rows; i++) {
        Text count = text(FONT, "");
        // Aligned with the name, not with the sample.
        VBox.setMargin(count, new Insets(0, 0, 0, SAMPLE + GAP));
        entry.counts().add(count);
      }
      entry.column().getChildren().addAll(entry.counts());
      // A count that grows must not move its neighbours.
      double width = text(FONT, WIDEST_COUNT).getLayoutBounds().getWidth() + SAMPLE + GAP;
      entry.column().setMinWidth(Math.max(width, entry.column().minWidth(-1)));
    }
    theme(dark);
  }

  /** The names of the ends, at the left of the counts of a line. */
  private Node head(List<String> endNames) {
    var head = new VBox(1);
    head.setStyle("-fx-padding: 18 2 0 5;");
    for (String endName : endNames) {
      Text name = text(FONT, endName);
      names.add(name);
      head.getChildren().add(name);
    }
    return head;
  }

  /** Draws the samples in the colours of the map. */
  void paintSamples(ChunkMapPainter painter) {
    for (Entry entry : entries) {
      entry.sample().place(0, 0, SAMPLE, SAMPLE);
      painter.paintSample(entry.sample().pixels(), entry.state());
      entry.sample().changed();
    }
  }

  void theme(boolean dark) {
    for (Entry entry : entries) {
      entry.name().setFill(Palette.CURSOR.color(dark));
      entry.counts().forEach(count -> count.setFill(Palette.TEXT.color(dark)));
      String frame = Palette.MARK.web(dark);
      entry
          .button()
          .styleProperty()
          .bind(
              Bindings.when(entry.button().selectedProperty())
                  .then(plain() + "-fx-border-color: " + frame + ";")
                  .otherwise(plain() + "-fx-border-color: transparent;"));
    }
    names.forEach(name -> name.setFill(Palette.TEXT.color(dark)));
  }

  private static String plain() {
    return "-fx-background-color: transparent; -fx-padding: 2 3 2 3; -fx-border-radius: 4;";
  }

  /** Shows how many chunks of an end are in each state. */
  void write(int end, List<ChunkTable> blocks) {
    if (end >= rows) {
      return;
    }
    var sums = new long[ShownState.values().length];
    blocks.forEach(block -> block.addCounts(sums));
    for (Entry entry : entries) {
      String text = Format.count(sums[entry.state().ordinal()]);
      Text count = entry.counts().get(end);
      if (!text.equals(count.getText())) {
        count.setText(text);
        entry
            .button()
            .setAccessibleText(
                "Highlight chunks: %s, %s"
                    .formatted(
                        entry.state().text(),
                        entry.counts().stream().map(Text::getText).collect(joining(" and "))));
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.virtio;

import java.util.ArrayList;
import java.util.List;
import javafx.scene.Node;
import javafx.scene.control.Label;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.ColumnConstraints;
import javafx.scene.layout.GridPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Region;
import javafx.scene.layout.StackPane;
import javafx.scene.layout.VBox;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.recording.SessionPair;
import org.wridscope.ui.TitledView;
import org.wridscope.ui.VerticalScroll;

/**
 * The virtqueues of the guest at both ends: the indices of driver and device, the requests in
 * flight, and whether each request was completed exactly once.
 */
public final class VirtioView extends TitledView<StackPane> {
  private static final long TEXT_NANOS = 100_000_000;

  private final VirtioModel model = new VirtioModel();
  private final VBox checks = new VBox();
  private final VBox queues = new VBox();
  private final Label nothing = new Label();
  private final StackPane empty = new StackPane(nothing);
  private final VBox box = new VBox(checks, legend(), queues);
  private final VerticalScroll scroll = new VerticalScroll(box);
  private List<DriverCheck> checked = List.of();
  private long textAt;

  public VirtioView() {
    super("Virtio", new StackPane());
    checks.getStyleClass().add("virtio-checks");
    checks.setId("virtio-checks");
    queues.getStyleClass().add("virtio-queues");
    nothing.getStyleClass().add("empty-text");
    nothing.setWrapText(true);
    empty.getStyleClass().add("empty");
    box.getStyleClass().add("virtio");
    scroll.getStyleClass().add("overview-scroll");
    root.getChildren().addAll(scroll, empty);
    draw();
  }

  private static Node legend() {
    HBox legend = new HBox();
    legend.getStyleClass().add("virtio-legend");
    for (RingBar.Part part : RingBar.Part.values()) {
      Region swatch = new Region();
      swatch.getStyleClass().addAll("ring-swatch", part.style());
      Label label = new Label(part.text(), swatch);
      label.setTooltip(new Tooltip(part.explanation()));
      label.getStyleClass().add("tile-caption");
      legend.getChildren().add(label);
    }
    return legend;
  }

  @Override
  public void show(@Nullable SessionPair pair) {
    model.show(pair);
    textAt = 0;
    draw();
  }

  @Override
  public void pulse(long nowNanos) {
    if (nowNanos - textAt >= TEXT_NANOS) {
      textAt = nowNanos;
      model.sample();
      draw();
    }
  }

  private void draw() {
    boolean any = !model.queues().isEmpty();
    scroll.setVisible(any);
    empty.setVisible(!any);
    nothing.setText(model.nothing());
    if (!model.checks().equals(checked)) {
      checked = model.checks();
      checks.getChildren().setAll(checked.stream().map(VirtioView::line).toList());
    }
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < model.queues().size(); i++) {
      QueueCard card = model.queues().get(i);
      if (i < queues.getChildren().size()
          && queues.getChildren().get(i) instanceof QueueNode known
          && known.fits(card)) {
        known.set(card);
        nodes.add(known);
      } else {
        nodes.add(new QueueNode(card));
      }
    }
    if (!nodes.equals(queues.getChildren())) {
      queues.getChildren().setAll(nodes);
    }
  }

  private static Node line(DriverCheck check) {
    FontIcon icon = new FontIcon(check.isSound() ? Feather.CHECK_CIRCLE : Feather.X_CIRCLE);
    icon.getStyleClass().add(check.isSound() ? "status-done" : "status-failed");
    Label label = wrapped(check.sentence());
    label.setGraphic(icon);
    return check.isSound() ? label : new VBox(label, harm(check.predicted(), check.observed()));
  }

  /** Prediction and observation side by side. */
  private static Node harm(@Nullable String predicted, @Nullable String observed) {
    GridPane grid = new GridPane();
    grid.getStyleClass().add("virtio-harm");
    for (int i = 0; i < 2; i++) {
      ColumnConstraints half = new ColumnConstraints();
      half.setPercentWidth(50);
      grid.getColumnConstraints().add(half);
    }
    grid.add(fact("The check of rings and device predicts", predicted, "nothing"), 0, 0);
    grid.add(fact("The driver itself has met", observed, "nothing so far"), 1, 0);
    return grid;
  }

  private static Node fact(String caption, @Nullable String sentence, String none) {
    Label title = wrapped(caption);
    title.getStyleClass().add("tile-caption");
    Label text = wrapped(sentence == null ? none : sentence);
    text.getStyleClass().add(sentence == null ? "tile-detail" : "virtio-contradiction");
    return new VBox(title, text);
  }

  private static Label wrapped(String text) {
    Label label = new Label(text);
    label.setWrapText(true);
    label.setMinHeight(Region.USE_PREF_SIZE);
    return label;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.virtio;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import javafx.application.Platform;
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
import org.wridscope.control.SessionPair;
import org.wridscope.ui.Presence;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.TitledView;
import org.wridscope.ui.VerticalScroll;

/**
 * The virtqueues of the guest at both ends: the indices of driver and device, the requests in
 * flight, and whether each request was completed exactly once.
 */
public final class VirtioView extends TitledView<StackPane> {
  private static final long TEXT_NANOS = 100_000_000;

  private final TimeRange range;
  private final Executor background;
  private final VirtioModel model = new VirtioModel();
  private final Label ofRange = wrapped("");
  private final VBox checks = new VBox();
  private final VBox queues = new VBox();
  private final Label nothing = new Label();
  private final StackPane empty = new StackPane(nothing);
  private final VBox box = new VBox(ofRange, checks, legend(), queues);
  private final VerticalScroll scroll = new VerticalScroll(box);
  private List<DriverCheck> checked = List.of();
  private @Nullable SessionPair pair;
  private long readUntil;
  private long textAt;

  /**
   * @param background reads recordings
   */
  public VirtioView(TimeRange range, Executor background) {
    super("Virtio", new StackPane());
    this.range = range;
    this.background = background;
    ofRange.setId("virtio-range");
    ofRange.getStyleClass().add("muted");
    checks.getStyleClass().add("virtio-checks");
    checks.setId("virtio-checks");
    queues.getStyleClass().add("virtio-queues");
    nothing.getStyleClass().add("empty-text");
    nothing.setWrapText(true);
    empty.getStyleClass().add("empty");
    box.getStyleClass().add("virtio");
    scroll.getStyleClass().add("overview-scroll");
    root.getChildren().addAll(scroll, empty);
    range.chosenProperty().subscribe(_ -> limit());
    draw();
  }

  /** Shows the chosen range, or the current state. */
  private void limit() {
    TimeRange.Span span = range.chosen();
    SessionPair of = pair;
    model.limit(null);
    if (span == null || of == null) {
      tell("");
    } else if (!VirtioSpan.isKnown(of)) {
      tell(
          "Shown as they are now, not in the range: past virtqueues are only known in"
              + " recordings.");
    } else {
      tell("Reading the virtqueues of the range…");
      read(of, span);
    }
    draw();
  }

  /** What has not happened yet at the shown moment is not in the range. */
  private static long until(SessionPair of, TimeRange.Span span) {
    return Math.min(span.toNanos(), of.clock(span.toNanos()));
  }

  /** Reads the range again after the recording was moved within it. */
  private void follow() {
    TimeRange.Span span = range.chosen();
    SessionPair of = pair;
    if (span != null && of != null && VirtioSpan.isKnown(of) && readUntil != until(of, span)) {
      read(of, span);
    }
  }

  private void read(SessionPair of, TimeRange.Span span) {
    long until = until(of, span);
    readUntil = until;
    background.execute(() -> {
      try {
        VirtioSpan found = VirtioSpan.read(of, Math.min(span.fromNanos(), until), until);
        Platform.runLater(
            () -> show(of, span, until, found, "In the range: %s".formatted(range.chosenText())));
      } catch (IOException e) {
        Platform.runLater(() -> show(of, span, until, null, String.valueOf(e.getMessage())));
      }
    });
  }

  /** Shows what was read unless something else is to be shown meanwhile. */
  private void show(
      SessionPair of, TimeRange.Span span, long until, @Nullable VirtioSpan found, String text) {
    if (of.equals(pair) && span.equals(range.chosen()) && until == readUntil) {
      model.limit(found);
      tell(text);
      draw();
    }
  }

  private void tell(String text) {
    ofRange.setText(text);
    Presence.set(ofRange, !text.isEmpty());
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
  public void show(@Nullable SessionPair newPair) {
    pair = newPair;
    model.show(newPair);
    textAt = 0;
    limit();
  }

  @Override
  public void pulse(long nowNanos) {
    if (nowNanos - textAt >= TEXT_NANOS) {
      textAt = nowNanos;
      follow();
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
    grid.add(fact("The driver has noticed", observed, "nothing so far"), 1, 0);
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

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.Set;
import java.util.stream.Collectors;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.layout.StackPane;
import javafx.scene.text.Text;
import javafx.stage.Stage;
import org.testfx.api.FxRobot;

/** A stage with one view, for tests of views. */
public final class ViewStage {
  private static final long PULSE_NANOS = 200_000_000;

  private final StackPane pane = new StackPane();
  private View view;
  private long now = 1;

  /** Shows a view in a size. */
  public ViewStage(Stage stage, View view, int width, int height) {
    show(view);
    // The stage may still have the size that another test gave it.
    pane.setMaxSize(width, height);
    StackPane.setAlignment(pane, Pos.TOP_LEFT);
    stage.setX(0);
    stage.setY(0);
    stage.setScene(new Scene(new StackPane(pane), width, height));
    stage.show();
  }

  /** Shows another view instead. */
  public void show(View newView) {
    view = newView;
    pane.getChildren().setAll(newView.node());
  }

  /** Lays the view out and pulses it, each time with a clock that is 200 ms later. */
  public void pulse(FxRobot robot) {
    robot.interact(() -> {
      now += PULSE_NANOS;
      pane.getScene().getRoot().applyCss();
      pane.getScene().getRoot().layout();
      view.pulse(now);
    });
  }

  /** The texts that are visible, except empty ones. */
  public Set<String> texts() {
    return pane.lookupAll("*").stream()
        .filter(node -> node instanceof Text text && isShown(node) && !text.getText().isEmpty())
        .map(node -> ((Text) node).getText())
        .collect(Collectors.toSet());
  }

  /** Whether a node and all its parents are visible. */
  public static boolean isShown(Node node) {
    return node.isVisible() && (node.getParent() == null || isShown(node.getParent()));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import static org.wridscope.ui.OnFx.layOut;
import static org.wridscope.ui.OnFx.onFx;

import java.util.Set;
import java.util.stream.Collectors;
import javafx.event.EventType;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.input.MouseButton;
import javafx.scene.input.MouseEvent;
import javafx.scene.layout.Region;
import javafx.scene.layout.StackPane;
import javafx.scene.text.Text;
import javafx.stage.Stage;
import org.testfx.api.FxRobot;

/** A stage with one view, for tests of views. */
public final class ViewStage {
  private static final long PULSE_NANOS = 200_000_000;

  private static final double[][] SMALL = {{0, 0}, {1, 1}, {60, 20}, {20, 300}, {700, 0}};

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

  /**
   * Lays the view out and pulses it, each time with a clock that is 200 ms later, and lays out what
   * it has added.
   */
  public void pulse(FxRobot robot) {
    robot.interact(() -> {
      now += PULSE_NANOS;
      layOut(pane.getScene().getRoot());
      view.pulse(now);
      layOut(pane.getScene().getRoot());
    });
  }

  /** Shows the view in sizes down to nothing, and then in the other theme and a given size. */
  public void squeeze(FxRobot robot, double width, double height) {
    for (double[] size : SMALL) {
      resize(robot, size[0], size[1]);
    }
    robot.interact(() -> view.theme(false));
    resize(robot, width, height);
  }

  private void resize(FxRobot robot, double width, double height) {
    robot.interact(() -> ((Region) view.node()).setMaxSize(width, height));
    pulse(robot);
  }

  /**
   * An event of the primary button, or of the pointer alone if nothing was clicked.
   *
   * @param clicks how often the button was pressed at about this place, 0 for none
   */
  public static MouseEvent mouse(EventType<MouseEvent> type, double x, double y, int clicks) {
    boolean pressed = clicks > 0;
    MouseButton button = pressed ? MouseButton.PRIMARY : MouseButton.NONE;
    return new MouseEvent(
        type, x, y, x, y, button, clicks, false, false, false, false, pressed, false, false, false,
        false, false, null);
  }

  /** The texts that are visible, except empty ones. */
  public Set<String> texts() {
    return onFx(() ->
        pane.lookupAll("*").stream()
            .filter(node -> node instanceof Text text && isShown(node) && !text.getText().isEmpty())
            .map(node -> ((Text) node).getText())
            .collect(Collectors.toSet()));
  }

  /** Whether a node and all its parents are visible. */
  public static boolean isShown(Node node) {
    return node.isVisible() && (node.getParent() == null || isShown(node.getParent()));
  }
}

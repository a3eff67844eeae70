// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.export;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.Scene;
import javafx.scene.SnapshotParameters;
import javafx.scene.control.ButtonBase;
import javafx.scene.control.Label;
import javafx.scene.control.ScrollPane;
import javafx.scene.image.Image;
import javafx.scene.image.ImageView;
import javafx.scene.layout.StackPane;
import javafx.scene.layout.VBox;
import javafx.scene.paint.Color;
import javafx.scene.transform.Scale;
import javafx.scene.transform.Transform;
import org.wridscope.ui.Palette;
import org.wridscope.ui.Presence;

/**
 * Pictures of what is shown, with a title, at twice the resolution of a usual screen, and without
 * what can only be used in the window: fields that filter, buttons, and scroll bars. A view that
 * scrolls is shown whole.
 */
public final class Snapshot {
  private static final double DENSITY = 2;

  /** Of a view that is longer than this, in pixels of the window, the shown part is taken. */
  private static final double LONGEST = 4000;

  private Snapshot() {}

  /**
   * A picture of a node in a window. Changes the node meanwhile, so that it is drawn twice.
   *
   * @param view what is shown
   * @param draw draws it
   * @param title a few words
   * @param about a line below the title; empty for none
   */
  public static Image of(Node view, Runnable draw, String title, String about, boolean dark) {
    Node node = whole(view);
    List<Node> tools = new ArrayList<>();
    collect(node, tools);
    List<Boolean> managed = tools.stream().map(Node::isManaged).toList();
    var density = new Scale(DENSITY, DENSITY);
    node.getTransforms().add(density);
    try {
      tools.forEach(tool -> {
        Presence.set(tool, false);
      });
      settle(node, draw);
      return titled(node.snapshot(on(dark), null), node, title, about, dark);
    } finally {
      node.getTransforms().remove(density);
      for (int i = 0; i < tools.size(); i++) {
        tools.get(i).setVisible(true);
        tools.get(i).setManaged(managed.get(i));
      }
      settle(node, draw);
    }
  }

  /** All that a view shows when it is scrolled; the view itself if it is not. */
  private static Node whole(Node view) {
    Stream<Node> outer =
        view instanceof StackPane stack ? stack.getChildren().stream() : Stream.of(view);
    return outer
        .filter(Node::isVisible)
        .filter(ScrollPane.class::isInstance)
        .map(scroll -> ((ScrollPane) scroll).getContent())
        .filter(content -> content.getLayoutBounds().getHeight() <= LONGEST)
        .findFirst()
        .orElse(view);
  }

  private static void settle(Node node, Runnable draw) {
    node.applyCss();
    // Pictures within the node get their pixels in its layout, and have others now.
    renew(node);
    layOut(node);
    draw.run();
    layOut(node);
  }

  private static void renew(Node node) {
    if (node instanceof Parent parent) {
      parent.requestLayout();
      parent.getChildrenUnmodifiable().forEach(Snapshot::renew);
    }
  }

  private static void layOut(Node node) {
    if (node instanceof Parent parent) {
      parent.layout();
    }
  }

  private static SnapshotParameters on(boolean dark) {
    var how = new SnapshotParameters();
    how.setFill(Palette.GROUND.color(dark));
    return how;
  }

  /** Finds the visible tools in a node. */
  private static void collect(Node node, List<Node> tools) {
    if (node.isVisible() && isTool(node)) {
      tools.add(node);
    } else if (node instanceof Parent parent) {
      parent.getChildrenUnmodifiable().forEach(child -> collect(child, tools));
    }
  }

  private static boolean isTool(Node node) {
    boolean legend = node.getStyleClass().contains("chunk-legend-entry");
    return (node instanceof ButtonBase && !legend) || node.getStyleClass().contains("view-bar");
  }

  private static Image titled(Image picture, Node shown, String title, String about, boolean dark) {
    var heading = new Label(title);
    heading.setStyle("-fx-font-size: 17px; -fx-font-weight: bold;");
    heading.setTextFill(Palette.CURSOR.color(dark));
    var line = new Label(about);
    line.setStyle("-fx-font-size: 12px;");
    line.setTextFill(Palette.TEXT.color(dark));
    line.setManaged(!about.isEmpty());
    var image = new ImageView(picture);
    image.setFitWidth(picture.getWidth() / DENSITY);
    image.setFitHeight(picture.getHeight() / DENSITY);
    var text = new VBox(2, heading, line);
    text.setStyle("-fx-padding: 10 12 8 12;");
    text.setMaxWidth(image.getFitWidth());
    var whole = new VBox(text, image);
    whole.setStyle("-fx-background-color: transparent;");
    var scene = new Scene(whole, Color.TRANSPARENT);
    scene.getStylesheets().setAll(shown.getScene().getStylesheets());
    whole.applyCss();
    whole.layout();
    SnapshotParameters how = on(dark);
    how.setTransform(Transform.scale(DENSITY, DENSITY));
    return whole.snapshot(how, null);
  }
}

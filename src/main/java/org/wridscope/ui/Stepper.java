// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.HBox;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;

/** Two buttons that lead from one thing of a kind to the one before and to the next. */
public final class Stepper {
  private final HBox root;

  /**
   * A direction.
   *
   * @param id of its button
   * @param what it leads to, with its key
   */
  public record Way(String id, String what) {}

  /** Goes a step. */
  @FunctionalInterface
  public interface Step {
    void go(boolean forwards);
  }

  /**
   * @param kind what it leads to, in plural
   */
  public Stepper(String kind, Way before, Way next, Step step) {
    var name = new Label(kind);
    name.getStyleClass().add("muted");
    root =
        new HBox(
            name,
            button(before, Feather.CHEVRON_UP, () -> step.go(false)),
            button(next, Feather.CHEVRON_DOWN, () -> step.go(true)));
    root.setAlignment(Pos.CENTER_LEFT);
  }

  private static Button button(Way way, Feather icon, Runnable action) {
    var button = new Button("", new FontIcon(icon));
    button.setId(way.id());
    button.getStyleClass().addAll("flat", "button-icon");
    button.setTooltip(new Tooltip(way.what()));
    button.setAccessibleText(way.what());
    button.setOnAction(_ -> action.run());
    return button;
  }

  public Node node() {
    return root;
  }
}

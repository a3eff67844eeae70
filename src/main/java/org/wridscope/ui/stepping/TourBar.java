// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.stepping;

import java.util.Optional;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.ui.Presence;

/** Says what a tour wants to be done now, and why. */
final class TourBar {
  private final Label step = new Label("", new FontIcon(Feather.MAP_PIN));
  private final Label what = line("step-tour");
  private final Label why = line("step-tour-why");
  private final Button press = new Button();
  private final HBox root;

  /**
   * @param pressed runs when the button was pressed
   */
  TourBar(Runnable pressed) {
    step.setId("step-tour-step");
    step.setMinWidth(Region.USE_PREF_SIZE);
    what.getStyleClass().add("finding-check");
    press.setId("step-tour-press");
    press.getStyleClass().add("small");
    press.setMinWidth(Region.USE_PREF_SIZE);
    press.pseudoClassStateChanged(OptionList.POINTED, true);
    press.setOnAction(_ -> pressed.run());
    var texts = new VBox(what, why);
    texts.setMinWidth(0);
    HBox.setHgrow(texts, Priority.ALWAYS);
    root = new HBox(10, step, texts, press);
    root.setAlignment(Pos.CENTER_LEFT);
    root.getStyleClass().add("step-tour");
  }

  private static Label line(String id) {
    var line = new Label();
    line.setId(id);
    line.setWrapText(true);
    line.setMinHeight(Region.USE_PREF_SIZE);
    return line;
  }

  Node node() {
    return root;
  }

  void show(Tour.Instruction instruction) {
    step.setText(instruction.step());
    what.setText(instruction.what());
    why.setText(instruction.why());
    press.setText(instruction.press());
    Presence.set(press, !instruction.press().isEmpty());
  }

  /** The button, if it is to be pressed now. */
  Optional<Node> pointed() {
    return press.isVisible() ? Optional.of(press) : Optional.empty();
  }
}

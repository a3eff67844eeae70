// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.LinkedHashMap;
import java.util.Map;
import javafx.scene.Scene;
import javafx.scene.control.Alert;
import javafx.scene.control.ButtonType;
import javafx.scene.control.Label;
import javafx.scene.input.KeyCombination;
import javafx.scene.layout.GridPane;
import javafx.stage.Window;

/** The keyboard shortcuts, in one place: what they do, and the page that lists them. */
final class Shortcuts {
  private final Map<KeyCombination, String> texts = new LinkedHashMap<>();
  private final Map<KeyCombination, Runnable> actions = new LinkedHashMap<>();

  /**
   * Adds a shortcut.
   *
   * @param keys as {@link KeyCombination#valueOf} reads them
   * @param text what it does, a phrase
   */
  Shortcuts add(String keys, String text, Runnable action) {
    KeyCombination combination = KeyCombination.valueOf(keys);
    texts.put(combination, text);
    actions.put(combination, action);
    return this;
  }

  void install(Scene scene) {
    scene.getAccelerators().putAll(actions);
  }

  /** Shows the page that lists them. */
  void help(Window owner) {
    var grid = new GridPane();
    grid.setHgap(24);
    grid.setVgap(6);
    int row = 0;
    for (Map.Entry<KeyCombination, String> entry : texts.entrySet()) {
      var keys = new Label(entry.getKey().getDisplayText());
      keys.getStyleClass().add("keys");
      grid.addRow(row++, keys, new Label(entry.getValue()));
    }
    for (String[] mouse :
        new String[][] {
          {"Wheel", "zoom in the chunk map and in time"},
          {"Drag", "move a picture; time then holds"},
          {"Click", "select what is under the pointer"}
        }) {
      var what = new Label(mouse[0]);
      what.getStyleClass().add("keys");
      grid.addRow(row++, what, new Label(mouse[1]));
    }
    var help = new Alert(Alert.AlertType.NONE);
    help.initOwner(owner);
    help.setTitle("Wridscope: keyboard and mouse");
    help.getDialogPane().setContent(grid);
    help.getDialogPane().getButtonTypes().add(ButtonType.CLOSE);
    help.getDialogPane().getStylesheets().setAll(owner.getScene().getStylesheets());
    help.getDialogPane().setStyle(owner.getScene().getRoot().getStyle());
    help.show();
  }
}

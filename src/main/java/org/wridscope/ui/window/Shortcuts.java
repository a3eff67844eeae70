// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import javafx.scene.Scene;
import javafx.scene.control.Alert;
import javafx.scene.control.ButtonType;
import javafx.scene.control.Label;
import javafx.scene.control.MenuItem;
import javafx.scene.input.KeyCombination;
import javafx.scene.layout.GridPane;
import javafx.scene.layout.Region;
import javafx.stage.Window;
import org.wridscope.ui.Question;

/** The keyboard shortcuts of the window, and the page that lists them. */
final class Shortcuts {
  private final Map<KeyCombination, String> texts = new LinkedHashMap<>();
  private final Map<KeyCombination, Runnable> actions = new LinkedHashMap<>();

  /**
   * Adds a shortcut.
   *
   * @param keys in the notation of {@link KeyCombination#valueOf}
   * @param text what the shortcut does, a phrase
   */
  Shortcuts add(String keys, String text, Runnable action) {
    KeyCombination combination = KeyCombination.valueOf(keys);
    texts.put(combination, text);
    actions.put(combination, action);
    return this;
  }

  /**
   * Adds the shortcut of a menu item, which shows it. The menu registers the same keys with the
   * scene; a scene keeps one action per key combination, so the action runs once.
   */
  Shortcuts add(String keys, String text, MenuItem item) {
    item.setAccelerator(KeyCombination.valueOf(keys));
    return add(keys, text, item::fire);
  }

  void install(Scene scene) {
    scene.getAccelerators().putAll(actions);
  }

  /** Shows the page that lists them. */
  void help(Window owner) {
    var grid = new GridPane();
    grid.getStyleClass().add("help");
    grid.setHgap(24);
    grid.setVgap(6);
    var lines = new ArrayList<Map.Entry<String, String>>();
    texts.forEach((keys, text) -> lines.add(Map.entry(keys.getDisplayText(), text)));
    lines.add(Map.entry("Enter", "in the list: start a ready migration"));
    lines.add(Map.entry("A, Shift+A", "in Log and Wrids: next, previous anomaly"));
    lines.add(Map.entry("Ctrl+C", "in the log: copy the rows that are selected"));
    lines.add(Map.entry("Ctrl+Enter", "in the list: repeat an ended migration"));
    lines.add(Map.entry("Shift+Enter", "in the list: edit its inputs, and repeat it"));
    lines.add(Map.entry("F2", "in the list: rename a migration"));
    lines.add(Map.entry("Delete", "in the list: remove ended migrations"));
    lines.add(Map.entry("Left, Right", "in the list: fold or unfold a group"));
    lines.add(Map.entry("Escape", "in a limit: show the limit in force again"));
    lines.add(Map.entry("Wheel", "zoom in the chunk map and in time"));
    lines.add(Map.entry("Drag", "move the shown time, which then holds"));
    lines.add(Map.entry("Shift+drag", "choose a range of time for all views"));
    lines.add(Map.entry("Ctrl+drag", "show only the time that is dragged over"));
    lines.add(Map.entry("M, middle click", "set a marker; Shift+M removes the markers"));
    lines.add(Map.entry("Click", "select what is under the pointer"));
    lines.add(Map.entry("Shift+F10, right click", "what can be done with it"));
    // Two columns fit on a small screen.
    int rows = Math.ceilDiv(lines.size(), 2);
    for (int i = 0; i < lines.size(); i++) {
      var keys = new Label(lines.get(i).getKey());
      keys.getStyleClass().add("keys");
      keys.setMinWidth(Region.USE_PREF_SIZE);
      var text = new Label(lines.get(i).getValue());
      text.setMinWidth(Region.USE_PREF_SIZE);
      grid.addRow(i % rows, keys, text);
    }
    var help = new Alert(Alert.AlertType.NONE);
    Question.adopt(help, owner);
    help.setTitle("Wridscope: keyboard and mouse");
    help.getDialogPane().setContent(grid);
    help.getDialogPane().getButtonTypes().add(ButtonType.CLOSE);
    help.show();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.function.Function;
import javafx.beans.property.BooleanProperty;
import javafx.beans.property.ObjectProperty;
import javafx.scene.Node;
import javafx.scene.control.CheckMenuItem;
import javafx.scene.control.Menu;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.scene.control.SeparatorMenuItem;
import javafx.scene.control.Tooltip;
import javafx.scene.input.KeyCombination;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.ui.ChoiceMenu;

/**
 * The menu of what concerns the window as a whole: views, looks, help. Its items show their
 * shortcuts.
 */
final class ProgramMenu {
  private final Shortcuts shortcuts;
  private final MenuButton button = new MenuButton("", new FontIcon(Feather.MENU));

  ProgramMenu(Shortcuts shortcuts) {
    this.shortcuts = shortcuts;
    button.setId("program-menu");
    button.getStyleClass().add("button-icon");
    button.setAccessibleText("Menu");
    button.setTooltip(new Tooltip("Views, lecture mode, theme, help (F10)"));
    shortcuts.add("F10", "open the menu", button::show);
  }

  Node node() {
    return button;
  }

  /** Adds a submenu. */
  Menu group(String title) {
    var group = new Menu(title);
    button.getItems().add(group);
    return group;
  }

  void separate() {
    button.getItems().add(new SeparatorMenuItem());
  }

  /** Adds an item to a submenu, with its shortcut. */
  void add(Menu group, String keys, String title, Runnable action) {
    group.getItems().add(item(title, keys, action));
  }

  /** Adds an item, with its shortcut or none. */
  void add(String keys, String title, Runnable action) {
    button.getItems().add(item(title, keys, action));
  }

  private MenuItem item(String title, String keys, Runnable action) {
    var item = new MenuItem(title);
    item.setOnAction(_ -> action.run());
    if (!keys.isEmpty()) {
      shortcuts.add(keys, title, item);
    }
    return item;
  }

  /** Adds an item that switches something on and off, with its shortcut or none. */
  void addSwitch(String keys, String title, BooleanProperty on) {
    var item = new CheckMenuItem(title);
    item.selectedProperty().bindBidirectional(on);
    if (!keys.isEmpty()) {
      // Firing the item would not select it.
      item.setAccelerator(KeyCombination.valueOf(keys));
      shortcuts.add(keys, title, () -> on.set(!on.get()));
    }
    button.getItems().add(item);
  }

  /** Adds a submenu in which one value of an enum is chosen. */
  <E extends Enum<E>> Menu addChoice(
      String title, ObjectProperty<E> choice, Function<E, String> text) {
    var menu = new ChoiceMenu<>(title, choice, text);
    button.getItems().add(menu);
    return menu;
  }

  /** Adds the choice of a theme. */
  void addThemes(Theme theme) {
    Menu menu = addChoice("Theme", theme.choiceProperty(), Theme.Choice::text);
    menu.getItems().add(new SeparatorMenuItem());
    add(menu, "Shortcut+T", "Switch between dark and light", theme::toggle);
  }
}

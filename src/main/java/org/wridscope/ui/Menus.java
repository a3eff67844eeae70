// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import javafx.scene.Node;
import javafx.scene.control.ButtonBase;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.MenuItem;

/** Context menus whose items are made when they are opened. For the JavaFX thread only. */
public final class Menus {
  private Menus() {}

  /**
   * Gives a node and all in it a context menu, unless a part has its own.
   *
   * @param items what can be done now; no menu opens if there are none
   */
  public static void install(Node node, Supplier<List<MenuItem>> items) {
    var menu = new ContextMenu();
    node.setOnContextMenuRequested(event -> {
      menu.getItems().setAll(items.get());
      if (!menu.getItems().isEmpty()) {
        menu.show(node, event.getScreenX(), event.getScreenY());
        event.consume();
      }
    });
  }

  /**
   * An item that does what a button does, and only when that can be pressed. It has the text of the
   * button, or, if that has only a picture, its accessible text.
   */
  public static MenuItem of(ButtonBase button) {
    String text =
        button.getText().isEmpty()
            ? Objects.requireNonNullElse(button.getAccessibleText(), "")
            : button.getText();
    MenuItem item = SelectionMenu.item("menu-" + button.getId(), text, button::fire);
    item.setDisable(button.isDisabled());
    return item;
  }

  /**
   * An item that puts a text on the clipboard.
   *
   * @param what it is, for example {@code this page}
   * @param content made when the item is chosen
   */
  public static MenuItem copy(String what, Supplier<String> content) {
    return SelectionMenu.item(
        "copy", "Copy %s".formatted(what), () -> SelectionMenu.copy(content.get()));
  }
}

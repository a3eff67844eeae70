// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import javafx.event.Event;
import javafx.geometry.Bounds;
import javafx.geometry.Point2D;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.input.ContextMenuEvent;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.scene.input.PickResult;

/**
 * Opens the context menu of what has the keyboard, by the menu key and by Shift+F10: JavaFX leaves
 * these keys to the platform, and not every one of them has them.
 */
public final class MenuKey {
  private MenuKey() {}

  public static void install(Scene scene) {
    scene.addEventHandler(
        KeyEvent.KEY_PRESSED,
        event -> {
          Node owner = scene.getFocusOwner();
          if (owner != null && isMenuKey(event)) {
            request(owner);
            event.consume();
          }
        });
  }

  private static boolean isMenuKey(KeyEvent event) {
    return event.getCode() == KeyCode.CONTEXT_MENU
        || (event.getCode() == KeyCode.F10 && event.isShiftDown());
  }

  private static void request(Node owner) {
    Bounds bounds = owner.getLayoutBounds();
    double x = bounds.getCenterX();
    double y = bounds.getCenterY();
    Point2D screen = owner.localToScreen(x, y);
    if (screen != null) {
      Event.fireEvent(
          owner,
          new ContextMenuEvent(
              ContextMenuEvent.CONTEXT_MENU_REQUESTED,
              x,
              y,
              screen.getX(),
              screen.getY(),
              true,
              new PickResult(owner, x, y)));
    }
  }
}

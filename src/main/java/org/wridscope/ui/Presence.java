// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import javafx.scene.Node;
import org.jspecify.annotations.Nullable;

/** Whether parts of a view are there, and which of them has the keyboard focus. */
public final class Presence {
  private Presence() {}

  /** Shows a node, or hides it so that it takes no room. */
  public static void set(Node node, boolean shown) {
    node.setVisible(shown);
    node.setManaged(shown);
  }

  /** Whether neither a node nor anything that it is in is hidden. */
  public static boolean isSeen(Node node) {
    for (Node at = node; at != null; at = at.getParent()) {
      if (!at.isVisible()) {
        return false;
      }
    }
    return true;
  }

  /**
   * What has the keyboard focus in a part of a window, which may be that part itself; null if the
   * focus is elsewhere.
   */
  public static @Nullable Node focusIn(Node part) {
    Node owner = part.getScene() == null ? null : part.getScene().getFocusOwner();
    for (Node at = owner; at != null; at = at.getParent()) {
      if (at.equals(part)) {
        return owner;
      }
    }
    return null;
  }
}

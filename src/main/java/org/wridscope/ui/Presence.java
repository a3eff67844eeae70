// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import javafx.scene.Node;

/** Whether parts of a view are there. */
public final class Presence {
  private Presence() {}

  /** Shows a node, or hides it so that it takes no room. */
  public static void set(Node node, boolean shown) {
    node.setVisible(shown);
    node.setManaged(shown);
  }
}

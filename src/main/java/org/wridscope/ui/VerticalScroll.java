// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import javafx.scene.Node;
import javafx.scene.control.ScrollPane;

/** A pane that scrolls only vertically: its content is as wide as the pane. */
public final class VerticalScroll extends ScrollPane {

  public VerticalScroll(Node content) {
    this();
    setContent(content);
  }

  /** Without content. */
  public VerticalScroll() {
    setFitToWidth(true);
    setHbarPolicy(ScrollBarPolicy.NEVER);
    getStyleClass().add("edge-to-edge");
  }
}

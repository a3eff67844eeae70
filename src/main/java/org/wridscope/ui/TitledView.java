// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import javafx.scene.Node;

/**
 * A view whose title never changes.
 *
 * @param <N> the class of its node
 */
public abstract class TitledView<N extends Node> implements View {
  private final String title;

  /** The node that shows the view. */
  protected final N root;

  protected TitledView(String title, N root) {
    this.title = title;
    this.root = root;
  }

  @Override
  public final String title() {
    return title;
  }

  @Override
  public final N node() {
    return root;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.export;

import javafx.scene.Node;
import javafx.scene.SnapshotParameters;
import javafx.scene.image.Image;
import javafx.scene.transform.Transform;
import javafx.stage.Window;
import org.wridscope.ui.Palette;

/** Pictures of what is shown. */
public final class Snapshot {
  private Snapshot() {}

  /** A node as it is shown in a window, at the resolution of the screen. */
  public static Image of(Node node, Window window, boolean dark) {
    var how = new SnapshotParameters();
    how.setFill(Palette.GROUND.color(dark));
    how.setTransform(Transform.scale(window.getRenderScaleX(), window.getRenderScaleY()));
    return node.snapshot(how, null);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import javafx.geometry.Bounds;
import javafx.scene.Node;
import org.testfx.util.WaitForAsyncUtils;

/**
 * What a test reads on the JavaFX thread, at once if it is there already.
 *
 * <p>A node's bounds and places are not only read: JavaFX computes them when they are asked for,
 * and notes in the parents what it has computed. On two threads at a time this damages the scene.
 */
public final class OnFx {
  private static final long LIMIT_MILLIS = TimeUnit.SECONDS.toMillis(20);

  private OnFx() {}

  /** What a function returns on the JavaFX thread, within 20 s. */
  public static <T> T onFx(Callable<T> read) {
    return WaitForAsyncUtils.waitForAsyncFx(LIMIT_MILLIS, read);
  }

  /** Where a node is laid out in its scene. */
  public static Bounds inScene(Node node) {
    return onFx(() -> node.localToScene(node.getLayoutBounds()));
  }
}

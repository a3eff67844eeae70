// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import javafx.geometry.Bounds;
import javafx.geometry.Point2D;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.Scene;
import org.testfx.util.WaitForAsyncUtils;

/**
 * What a test reads on the JavaFX thread, at once if it is there already.
 *
 * <p>A node's bounds and places are not only read: JavaFX computes them when they are asked for,
 * and notes in the parents what it has computed. On two threads at a time this damages the scene.
 * Places in a scene or on the screen are those of a scene that is laid out: what has changed since
 * the last frame would move nodes in the next.
 */
public final class OnFx {
  private static final long LIMIT_MILLIS = TimeUnit.SECONDS.toMillis(20);

  private OnFx() {}

  /** What a function returns on the JavaFX thread, within 20 s. */
  public static <T> T onFx(Callable<T> read) {
    return WaitForAsyncUtils.waitForAsyncFx(LIMIT_MILLIS, read);
  }

  /** Which part of a node that has a clip is shown, in its scene. */
  public static Bounds clipInScene(Node node) {
    return onFx(() -> node.localToScene(node.getClip().getBoundsInParent()));
  }

  /** Where a node is laid out in its parent, with its transforms and effects. */
  public static Bounds inParent(Node node) {
    return onFx(node::getBoundsInParent);
  }

  /** Where a node is laid out in its scene. For many nodes, {@link #asLaidOut} is cheaper. */
  public static Bounds inScene(Node node) {
    return onFx(() -> {
      layOutScene(node);
      return asLaidOut(node);
    });
  }

  /** Where the last layout has put a node in its scene; for the JavaFX thread only. */
  public static Bounds asLaidOut(Node node) {
    return node.localToScene(node.getLayoutBounds());
  }

  /** Where a node is laid out on the screen. */
  public static Bounds onScreen(Node node) {
    return onFx(() -> {
      layOutScene(node);
      return node.localToScreen(node.getLayoutBounds());
    });
  }

  /** A point of a node, on the screen. */
  public static Point2D onScreen(Node node, double x, double y) {
    return onFx(() -> {
      layOutScene(node);
      return node.localToScreen(x, y);
    });
  }

  private static void layOutScene(Node node) {
    Scene scene = node.getScene();
    if (scene == null) {
      return;
    }
    scene.getRoot().applyCss();
    // A frame does so three times, too: laying out a node may change what its parents need.
    for (int pass = 0; pass < 3; pass++) {
      scene.getRoot().layout();
    }
  }

  /** The width that a node would like to have. */
  public static double prefWidth(Node node) {
    return onFx(() -> node.prefWidth(-1));
  }

  /** Lays a node's children out, in their style. */
  public static void layOut(Parent parent) {
    onFx(() -> {
      parent.applyCss();
      parent.layout();
      return parent;
    });
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import static org.wridscope.ui.OnFx.onFx;

import java.util.Collection;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import javafx.scene.Node;
import org.testfx.framework.junit5.ApplicationExtension;
import org.testfx.service.query.NodeQuery;
import org.testfx.service.query.PointQuery;
import org.testfx.service.query.impl.CallableBoundsPointQuery;
import org.testfx.service.query.impl.NodeQueryImpl;
import org.testfx.util.NodeQueryUtils;

/**
 * A robot that finds nodes, and the places to click at, on the JavaFX thread; and the extension
 * that gives it to the tests of a view.
 */
public final class OnFxRobot extends ApplicationExtension {
  /** A query that goes through the nodes, and asks whether they are in sight, on that thread. */
  private static final class Query extends NodeQueryImpl {
    @Override
    public NodeQuery lookup(Function<Node, Set<Node>> function) {
      return onFx(() -> super.lookup(function));
    }

    @Override
    public <T extends Node> NodeQuery match(Predicate<T> predicate) {
      return onFx(() -> super.match(predicate));
    }
  }

  @Override
  public NodeQuery fromAll() {
    return onFx(() -> from(NodeQueryUtils.rootsOfWindows(listTargetWindows())));
  }

  @Override
  public NodeQuery from(Node... parents) {
    return new Query().from(parents);
  }

  @Override
  public NodeQuery from(Collection<Node> parents) {
    return new Query().from(parents);
  }

  @Override
  public NodeQuery from(NodeQuery query) {
    return from(query.queryAll());
  }

  @Override
  public NodeQuery lookup(String query) {
    return onFx(() -> fromAll().lookup(query));
  }

  @Override
  public <T extends Node> NodeQuery lookup(Predicate<T> predicate) {
    return onFx(() -> fromAll().lookup(predicate));
  }

  @Override
  public PointQuery point(Node node) {
    targetWindow(node.getScene().getWindow());
    return new CallableBoundsPointQuery(
            () -> onFx(() -> robotContext().getBoundsLocator().boundsOnScreenFor(node)), node)
        .atPosition(robotContext().getPointPosition());
  }
}

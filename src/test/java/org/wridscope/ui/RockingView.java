// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.concurrent.atomic.AtomicLong;
import javafx.scene.Node;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionPair;

/**
 * Moves the time of a view by a column to and fro with every frame, so that each one is drawn anew.
 *
 * @param frames counts them
 */
public record RockingView(View view, TimeRange range, AtomicLong frames) implements View {
  @Override
  public String title() {
    return view.title();
  }

  @Override
  public Node node() {
    return view.node();
  }

  @Override
  public void show(@Nullable SessionPair pair) {
    view.show(pair);
  }

  @Override
  public void theme(boolean dark) {
    view.theme(dark);
  }

  @Override
  public void pulse(long nanos) {
    long column = Math.max(1, range.shownNanos() / 500);
    range.pan(frames.incrementAndGet() % 2 == 0 ? column : -column);
    view.pulse(nanos);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.common;

import java.util.ArrayDeque;

/** Steps that undo what was done so far, unless everything succeeded. */
public final class Undo implements AutoCloseable {
  private final ArrayDeque<Runnable> steps = new ArrayDeque<>();

  /** Adds the step that undoes what was just done. */
  public void add(Runnable step) {
    steps.push(step);
  }

  /** Everything succeeded: nothing is undone. */
  public void forget() {
    steps.clear();
  }

  /** Runs the steps, the last one first. */
  @Override
  public void close() {
    while (!steps.isEmpty()) {
      steps.pop().run();
    }
  }
}

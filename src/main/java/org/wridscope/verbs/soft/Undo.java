// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.util.ArrayDeque;

/** The steps that take back what was done so far, unless all of it was done. */
final class Undo implements AutoCloseable {
  private final ArrayDeque<Runnable> steps = new ArrayDeque<>();

  /** Takes back what was done last. */
  void add(Runnable step) {
    steps.push(step);
  }

  /** All was done. */
  void forget() {
    steps.clear();
  }

  /** Takes the steps, the last one first. */
  @Override
  public void close() {
    while (!steps.isEmpty()) {
      steps.pop().run();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.time;

import java.util.List;

/** Something that acts under a {@link Scheduler} without a thread of its own, as a device does. */
public interface Automaton {
  /** A step that it can do now; between two calls it is not called otherwise. */
  abstract class Step extends Option {
    /**
     * Does the step.
     *
     * @return how many nanoseconds it takes
     */
    protected abstract long take();
  }

  /** Adds the steps that can be done now, in an order that depends on nothing but its state. */
  void addSteps(List<? super Step> steps);

  /** Adds what it may do besides, but does only if a chooser wants it: rare, and yet legal. */
  default void addOthers(List<? super Step> others) {}

  /** When the next step can be done at the earliest; {@link Scheduler#NEVER} without one. */
  long nextDue();
}

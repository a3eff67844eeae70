// SPDX-License-Identifier: Apache-2.0
package org.wridscope.time;

import java.util.List;

/** Decides what happens next wherever a {@link Scheduler} allows more than one thing. */
@FunctionalInterface
public interface Chooser {
  /**
   * Chooses.
   *
   * @param options two or more; the first one is that whose turn it is: the one that has been
   *     waiting longest
   * @return the index of one of them
   */
  int choose(List<Option> options);
}

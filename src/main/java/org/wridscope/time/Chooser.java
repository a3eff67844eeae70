// SPDX-License-Identifier: Apache-2.0
package org.wridscope.time;

import java.util.List;
import java.util.function.Supplier;

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

  /**
   * Chooses, also among what does not happen by itself: time passes while all could go on, or
   * hardware does what it does rarely. It is not counted among the options, so that their numbers
   * do not depend on whether a chooser wants it.
   *
   * @param others what else can happen; found out when it is asked for
   * @return the index of an option, or {@code ~index} of one of the others
   */
  default int choose(List<Option> options, Supplier<? extends List<Option>> others) {
    return choose(options);
  }

  /**
   * Sentences that tell what it has chosen that is not in turn; empty if there is nothing, or
   * nobody wants to know.
   */
  default String told() {
    return "";
  }

  /**
   * Called after each step, also where there was no choice.
   *
   * @param affectedAll whether it has done what concerns others than those of its own end
   */
  default void happened(Option option, boolean affectedAll) {}
}

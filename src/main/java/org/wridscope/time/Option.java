// SPDX-License-Identifier: Apache-2.0
package org.wridscope.time;

/** Something that can happen next under a {@link Scheduler}. */
public abstract class Option {
  /** The number of the step in which it was taken last. */
  long lastTurn;

  /** Whose doing it is, for example {@code source}. */
  public abstract String who();

  /** What happens, a phrase without its subject: {@code goes on}. */
  public abstract String what();

  /** Why it may happen now: the rule that allows it. */
  public abstract String rule();
}

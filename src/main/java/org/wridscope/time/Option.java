// SPDX-License-Identifier: Apache-2.0
package org.wridscope.time;

/** Something that can happen next under a {@link Scheduler}. Equal only to itself. */
public interface Option {
  /** Whose doing it is, for example {@code source}. */
  String who();

  /** What happens, a phrase without its subject: {@code goes on}. */
  String what();

  /** Why it may happen now: the rule that allows it. */
  String rule();
}

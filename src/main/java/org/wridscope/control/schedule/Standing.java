// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Lab;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Wait;

/** Where a stepped run stands still. */
public sealed interface Standing {
  /** How many choices were made before. */
  long number();

  /** The time of the run's clock, in nanoseconds since its beginning. */
  long nanos();

  /**
   * At a choice.
   *
   * @param possibilities what can happen next: the options in the order of turns, after them what
   *     does not happen by itself
   * @param proposed the index of what the scenario's order would take
   * @param ends that were started, the source first
   */
  record AtChoice(
      long number, long nanos, List<Possibility> possibilities, int proposed, List<End> ends)
      implements Standing {
    public AtChoice {
      possibilities = List.copyOf(possibilities);
      ends = List.copyOf(ends);
    }
  }

  /**
   * At the end of the run.
   *
   * @param lab whose sessions have ended, and are not removed as long as it stands here
   */
  record AtEnd(long number, long nanos, Lab lab, Verdict verdict) implements Standing {}

  /**
   * What can happen next.
   *
   * @param who does it, for example {@code source} or {@code source's device}
   * @param what happens, a phrase without its subject
   * @param rule that allows it, a sentence or two
   * @param rare whether it does not happen unless it is chosen
   */
  record Possibility(String who, String what, String rule, boolean rare) {}

  /**
   * One end of the migration.
   *
   * @param waitingFor null if it does not wait
   * @param posted requests of its send queue that were not executed, oldest first
   * @param unacknowledged requests that were executed, without an acknowledgement, oldest first
   * @param completed completions that it has not polled, oldest first of each queue
   */
  record End(
      Role role,
      MigrationStatus status,
      @Nullable Wait waitingFor,
      List<String> posted,
      List<String> unacknowledged,
      List<String> completed) {
    public End {
      posted = List.copyOf(posted);
      unacknowledged = List.copyOf(unacknowledged);
      completed = List.copyOf(completed);
    }
  }
}

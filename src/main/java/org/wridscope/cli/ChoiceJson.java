// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.scenario.Schedule;

/**
 * A choice that differs from a schedule's order, as JSON.
 *
 * @param does what it does; null if it was not made
 */
record ChoiceJson(long at, int take, @Nullable String does) {
  /**
   * The choices of a schedule.
   *
   * @param texts what they do, by their numbers
   */
  static List<ChoiceJson> of(Schedule schedule, Map<Long, String> texts) {
    return schedule.choices().entrySet().stream()
        .map(choice ->
            new ChoiceJson(choice.getKey(), choice.getValue(), texts.get(choice.getKey())))
        .toList();
  }
}

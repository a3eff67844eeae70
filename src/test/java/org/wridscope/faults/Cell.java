// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.Role;

/**
 * A cell of the matrix: a fault at a message.
 *
 * @param after whether the fault is injected after the message was posted, not before
 * @param victim the end that is affected; null when it is the connection
 */
record Cell(Setting setting, Step step, boolean after, Act act, @Nullable Role victim) {

  /** All cells of a setting. */
  static List<Cell> all(Setting setting, List<Step> steps) {
    var cells = new ArrayList<Cell>();
    for (Step step : steps) {
      for (boolean after : new boolean[] {false, true}) {
        for (Act act : setting.acts()) {
          if (act.hasVictim()) {
            cells.add(new Cell(setting, step, after, act, Role.SOURCE));
            cells.add(new Cell(setting, step, after, act, Role.DESTINATION));
          } else {
            cells.add(new Cell(setting, step, after, act, null));
          }
        }
      }
    }
    return cells;
  }

  @Override
  public String toString() {
    return "%s, %s %s the %s's %s"
        .formatted(
            setting.text(),
            act + (victim == null ? "" : " of the " + Step.text(victim)),
            after ? "after" : "before",
            Step.text(step.sender()),
            step.text());
  }
}

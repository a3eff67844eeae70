// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ControlType;

/** Runs an action before or after one message of an end is posted, and records all messages. */
final class Trap implements WatchedDevice.Watcher {
  private final @Nullable ControlType type;
  private final int occurrence;
  private final boolean after;
  private final Runnable action;
  private final Map<ControlType, Integer> counts = new EnumMap<>(ControlType.class);
  private final List<ControlType> posted = new CopyOnWriteArrayList<>();

  /**
   * @param type null for a trap that only records
   */
  private Trap(@Nullable ControlType type, int occurrence, boolean after, Runnable action) {
    this.type = type;
    this.occurrence = occurrence;
    this.after = after;
    this.action = action;
  }

  /** Only records the messages. */
  static Trap none() {
    return new Trap(null, 0, false, () -> {});
  }

  static Trap at(Step step, boolean after, Runnable action) {
    return new Trap(step.type(), step.occurrence(), after, action);
  }

  /** From {@link Step#argument}. */
  static Trap of(String argument, Runnable action) {
    String[] parts = argument.split(":");
    return new Trap(
        ControlType.valueOf(parts[0]),
        Integer.parseInt(parts[1]),
        parts[2].equals("after"),
        action);
  }

  /** Types of the messages that were posted or were about to be, in order. */
  List<ControlType> posted() {
    return List.copyOf(posted);
  }

  @Override
  public void before(ControlType message) {
    posted.add(message);
    if (counts.merge(message, 1, Integer::sum) == occurrence && message == type && !after) {
      action.run();
    }
  }

  @Override
  public void after(ControlType message) {
    if (message == type && after && counts.getOrDefault(message, 0) == occurrence) {
      action.run();
    }
  }
}

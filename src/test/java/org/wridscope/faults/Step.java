// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Role;

/**
 * A message of the protocol.
 *
 * @param sender the end that sends it
 * @param occurrence its number among the messages of its type, from 1
 */
record Step(Role sender, ControlType type, int occurrence) {

  /** Its name in the table, for example {@code READY 2}. */
  String text() {
    return type.text() + " " + occurrence;
  }

  /** The argument of a {@link Victim}. */
  String argument(boolean after) {
    return "%s:%d:%s".formatted(type.name(), occurrence, after ? "after" : "before");
  }

  static String text(Role role) {
    return role.text();
  }
}

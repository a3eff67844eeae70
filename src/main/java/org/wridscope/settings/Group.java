// SPDX-License-Identifier: Apache-2.0
package org.wridscope.settings;

/** What a setting is about. */
public enum Group {
  /** The synthetic guest. */
  GUEST,
  /** How it is migrated. */
  MIGRATION,
  /** What the destination does. */
  DESTINATION;

  /** The object of a scenario file in which its settings are. */
  public String member() {
    return switch (this) {
      case GUEST -> "guest";
      case MIGRATION -> "migration";
      case DESTINATION -> "destination";
    };
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.settings;

/** What a setting is about; scenario files have an object for each. */
public enum Group {
  /** The synthetic guest. */
  GUEST,
  /** How it is migrated. */
  MIGRATION,
  /** What the destination does. */
  DESTINATION
}

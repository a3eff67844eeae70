// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

/** The end of a migration that a session is. */
public enum Role {
  SOURCE,
  DESTINATION;

  /** The role of the peer. */
  public Role other() {
    return this == SOURCE ? DESTINATION : SOURCE;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

/** The end of a migration that a session is. */
public enum Role {
  SOURCE,
  DESTINATION;

  /** {@code source} or {@code destination}. */
  public String text() {
    return this == SOURCE ? "source" : "destination";
  }

  /** The role of the peer. */
  public Role other() {
    return this == SOURCE ? DESTINATION : SOURCE;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.libvirt;

import java.util.UUID;

/**
 * A domain, libvirt's word for a virtual machine, as it was a moment ago.
 *
 * @param name legible
 * @param memoryBytes RAM in use, 0 if it does not run
 * @param processors virtual ones
 */
public record VirtDomain(UUID id, String name, State state, long memoryBytes, int processors) {

  /** libvirt's {@code virDomainState}. */
  public enum State {
    RUNNING("running"),
    PAUSED("paused"),
    SHUTTING_DOWN("shutting down"),
    SHUT_OFF("shut off"),
    CRASHED("crashed"),
    SUSPENDED("suspended by its guest"),
    UNKNOWN("in no known state");

    private final String text;

    State(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  /** Whether it has a QEMU now, so that it can be migrated live. */
  public boolean active() {
    return switch (state) {
      case RUNNING, PAUSED, SUSPENDED -> true;
      case SHUTTING_DOWN, SHUT_OFF, CRASHED, UNKNOWN -> false;
    };
  }
}

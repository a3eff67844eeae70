// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import org.jspecify.annotations.Nullable;
import org.wridscope.qmp.QmpAddress;

/**
 * One of the QEMUs that the user has connected, as it was a moment ago.
 *
 * @param state what it said last; null until it has answered
 * @param message why there is no connection, or who has it, a sentence; empty when connected
 */
public record QemuConnection(
    QmpAddress address, Phase phase, @Nullable QemuState state, String message) {

  /** Whether the QEMU can be asked. */
  public enum Phase {
    CONNECTING("connecting"),
    CONNECTED("connected"),
    /** A session of this process uses its QMP socket, which serves one client at a time. */
    LENT("in use by a session"),
    /** It is tried again. */
    LOST("no answer");

    private final String text;

    Phase(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  /** The name of the guest, or the address of a QEMU without a name. */
  public String title() {
    return state == null || state.name().isEmpty() ? address.toString() : state.name();
  }

  /** What it does, in a word or two. */
  public String condition() {
    return phase == Phase.CONNECTED && state != null ? state.condition() : phase.text();
  }

  /** Whether its guest can be migrated from here now, by some engine. */
  public boolean canMigrate() {
    return phase == Phase.CONNECTED && state != null && state.hasGuest();
  }

  /** Whether it waits for a guest and can be told to take one. */
  public boolean canReceive() {
    return phase == Phase.CONNECTED && state != null && state.waits();
  }
}

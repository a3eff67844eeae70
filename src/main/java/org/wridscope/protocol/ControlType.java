// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import org.jspecify.annotations.Nullable;

/**
 * Types of control messages: those of QEMU 7.2 migration/rdma.c, and those that two Wridscopes
 * exchange once both have shown {@link Capabilities#WRIDSCOPE}.
 */
public enum ControlType {
  NONE(0, "NONE"),
  ERROR(1, "ERROR"),
  READY(2, "READY"),
  QEMU_FILE(3, "QEMU FILE"),
  RAM_BLOCKS_REQUEST(4, "RAM BLOCKS REQUEST"),
  RAM_BLOCKS_RESULT(5, "RAM BLOCKS RESULT"),
  COMPRESS(6, "COMPRESS"),
  REGISTER_REQUEST(7, "REGISTER REQUEST"),
  REGISTER_RESULT(8, "REGISTER RESULT"),
  REGISTER_FINISHED(9, "REGISTER FINISHED"),
  UNREGISTER_REQUEST(10, "UNREGISTER REQUEST"),
  UNREGISTER_FINISHED(11, "UNREGISTER FINISHED"),

  /** Either end, at any time: it is alive. No payload, needs no READY. */
  HEARTBEAT(0x5701, "HEARTBEAT"),
  /** Destination to source: all was loaded, the guest can start. No payload. */
  LOADED(0x5702, "LOADED"),
  /** Source to destination, after LOADED: the guest is yours. No payload, needs no READY. */
  SWITCH_OVER(0x5703, "SWITCH OVER"),
  /**
   * Destination to source, after SWITCH OVER: the guest runs here, or, with {@link #KEPT_IN_A_FILE}
   * as its repeat, it is complete in a file. No payload.
   */
  RUNNING(0x5704, "RUNNING"),
  /** Either end, after RUNNING: digests of its RAM blocks at the switch-over. */
  DIGESTS(0x5705, "DIGESTS");

  /** The repeat of a RUNNING whose guest does not run: it stands still in a file. */
  public static final int KEPT_IN_A_FILE = 2;

  private static final ControlType[] VALUES = values();

  private final int value;
  private final String text;

  ControlType(int value, String text) {
    this.value = value;
    this.text = text;
  }

  /** The value on the wire. */
  public int value() {
    return value;
  }

  /** As QEMU's traces spell it. */
  public String text() {
    return text;
  }

  /** Whether only two Wridscopes send it to one another. */
  public boolean isPrivate() {
    return value >= HEARTBEAT.value;
  }

  /** The type with this value on the wire, null when there is none. */
  public static @Nullable ControlType of(int value) {
    for (ControlType type : VALUES) {
      if (type.value == value) {
        return type;
      }
    }
    return null;
  }
}

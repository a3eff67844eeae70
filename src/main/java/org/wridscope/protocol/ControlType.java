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

  /**
   * Either end, at any time: this end is alive. With the repeat {@link #HAS_NOTED}, of a source
   * after RUNNING, also that it has noted the outcome. No payload, needs no READY.
   */
  HEARTBEAT(0x5701, "HEARTBEAT"),
  /** Destination to source: everything was loaded, the guest can start. No payload. */
  LOADED(0x5702, "LOADED"),
  /** Source to destination, after LOADED: start the guest. No payload, needs no READY. */
  SWITCH_OVER(0x5703, "SWITCH OVER"),
  /**
   * Destination to source, after SWITCH OVER: the guest was started; with the repeat {@link
   * #KEPT_IN_A_FILE}, the guest is complete in a file; with {@link #RUNNING_UNCOMPARED}, no DIGESTS
   * follow; with {@link #TAKEN_OVER_PAUSED} or {@link #PAUSED_UNCOMPARED}, the guest stays paused.
   * No payload.
   */
  RUNNING(0x5704, "RUNNING"),
  /** Either end, after RUNNING: digests of this end's RAM blocks at the switch-over. */
  DIGESTS(0x5705, "DIGESTS");

  /**
   * The repeat of a HEARTBEAT with which a source says, if no DIGESTS follow, that it knows and has
   * noted that the destination has the guest, so that it will not ask. Others do not look at it.
   */
  public static final int HAS_NOTED = 2;

  /** The repeat of RUNNING when the guest does not run but is kept in a file. */
  public static final int KEPT_IN_A_FILE = 2;

  /** The repeat of RUNNING when the guest runs and the digests of RAM are not exchanged. */
  public static final int RUNNING_UNCOMPARED = 3;

  /**
   * The repeat of RUNNING when the guest was taken over and stays paused, as its operator wants.
   */
  public static final int TAKEN_OVER_PAUSED = 4;

  /** The repeat of RUNNING when the same is true, and the digests of RAM are not exchanged. */
  public static final int PAUSED_UNCOMPARED = 5;

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

  /** Name as in QEMU's traces. */
  public String text() {
    return text;
  }

  /** Whether it is sent only between two Wridscopes. */
  public boolean isPrivate() {
    return value >= HEARTBEAT.value;
  }

  /** The type with this {@link #text}, or null if there is none. */
  public static @Nullable ControlType named(String text) {
    for (ControlType type : VALUES) {
      if (type.text.equals(text)) {
        return type;
      }
    }
    return null;
  }

  /** The type with this value on the wire, or null if there is none. */
  public static @Nullable ControlType of(int value) {
    for (ControlType type : VALUES) {
      if (type.value == value) {
        return type;
      }
    }
    return null;
  }
}

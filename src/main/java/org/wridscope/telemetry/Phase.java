// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A phase of a migration, to be marked on a time axis.
 *
 * @param round number of a {@link Kind#ROUND}, from 1; 0 for another kind
 * @param nanos {@link System#nanoTime()} of its start; it lasts until the next phase starts
 */
public record Phase(Kind kind, long round, long nanos) {
  /** What an end of a migration does. */
  public enum Kind {
    /** A QEMU has not begun. */
    IDLE("idle"),
    /** A destination waits for a source. */
    LISTEN("listen"),
    /** The file of a guest is read. */
    INDEX("index"),
    /** A machine in another process is attached, before the connection is established. */
    ATTACH("attach"),
    CONNECT("connect"),
    SET_UP("set-up"),
    /** One of the rounds in which RAM is sent while the guest runs. */
    ROUND("round"),
    /** RAM is sent; captured packets do not tell rounds apart. */
    RAM("RAM"),
    /** A source could switch over, and waits for permission. */
    HELD("held"),
    SWITCH_OVER("switch-over"),
    /** RAM is written to a file. */
    WRITE("write"),
    /** The states of devices are sent and loaded. */
    DEVICES("devices"),
    /** The states of devices are sent; captured packets do not tell what else. */
    DEVICE_STATE("device state"),
    /** A QEMU receives a guest by its own engine. */
    ARRIVE("arrive"),
    /** The RAM of both ends is compared. */
    VERIFY("verify"),
    /** A source asks whether the destination started the guest. */
    INQUIRY("inquiry"),
    COMPLETED(MigrationStatus.COMPLETED),
    FAILED(MigrationStatus.FAILED),
    CANCELLED(MigrationStatus.CANCELLED),
    UNDECIDED(MigrationStatus.UNDECIDED),
    /** Of a newer Wridscope. */
    UNKNOWN("unknown phase");

    private final String text;
    private final @Nullable MigrationStatus end;

    Kind(String text) {
      this.text = text;
      end = null;
    }

    Kind(MigrationStatus end) {
      text = end.qemuName();
      this.end = end;
    }

    /** Its name; that of a round follows from its number. */
    public String text() {
      return text;
    }

    /** What marks the end of a session with a status. */
    public static Kind of(MigrationStatus end) {
      return Arrays.stream(values()).filter(kind -> kind.end == end).findFirst().orElseThrow();
    }
  }

  /** A phase that is no round. */
  public Phase(Kind kind, long nanos) {
    this(kind, 0, nanos);
  }

  /** For example {@code connect}, {@code set-up}, {@code round 3}, {@code switch-over}. */
  public String name() {
    return isRound() ? kind.text + " " + round : kind.text;
  }

  /** The same at another time. */
  public Phase later(long nanos) {
    return new Phase(kind, round, this.nanos + nanos);
  }

  public boolean isRound() {
    return kind == Kind.ROUND;
  }

  /** Whether it marks the end of a session. */
  public boolean isEnd() {
    return kind.end != null;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import java.io.IOException;
import org.wridscope.text.Legible;

/** QEMU refused a command, or its answer did not come or is not valid. The message is legible. */
public final class QmpException extends IOException {

  /** What happened. */
  public enum Kind {
    /** QEMU answered with an error. The connection can be used on. */
    REFUSED,
    /** No answer came in time. The command may have been executed, or will be. */
    SILENT,
    /** The connection could not be made or has ended. The command may have been executed. */
    CLOSED,
    /** QEMU's answer is not what the protocol says. */
    INVALID
  }

  private final Kind kind;
  private final String errorClass;
  private final String desc;

  private QmpException(Kind kind, String message, String errorClass, String desc) {
    super(message);
    this.kind = kind;
    this.errorClass = errorClass;
    this.desc = desc;
  }

  QmpException(Kind kind, String message) {
    this(kind, message, "", "");
  }

  static QmpException refused(String command, String errorClass, String desc) {
    String legible = Legible.of(desc);
    return new QmpException(
        Kind.REFUSED,
        "QEMU refused %s: %s".formatted(command, legible),
        Legible.of(errorClass),
        legible);
  }

  static QmpException invalid(String command, String what) {
    return new QmpException(
        Kind.INVALID, "QEMU's answer to %s is not valid QMP: %s.".formatted(command, what));
  }

  public Kind kind() {
    return kind;
  }

  /**
   * QEMU's class of the error, for example {@code GenericError}, {@code CommandNotFound} or {@code
   * DeviceNotFound}; empty unless QEMU refused.
   */
  public String errorClass() {
    return errorClass;
  }

  /** QEMU's reason; empty unless QEMU refused. */
  public String desc() {
    return desc;
  }
}

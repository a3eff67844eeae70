// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.Role;

/** Tells by the first lines of a trace log of QEMU which end writes it. */
public final class LogRecognition {
  private final QemuLog.Facts facts = new QemuLog.Facts();
  private boolean traced;

  /** Looks at the next line. */
  public void add(String text) {
    QemuLine line = QemuLog.line(text);
    facts.add(line);
    traced |= line.isEvent();
  }

  /** The end that writes it, null while no trace event shows that. */
  public @Nullable Role end() {
    return traced ? facts.end() : null;
  }

  /** The time of the first line with one, in nanoseconds since 1970; 0 for none. */
  long beganAt() {
    return facts.beganAt();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.Role;

/** Tells by the first lines of a trace log or console of QEMU which end writes it. */
public final class LogRecognition {
  private final LogFacts facts = new LogFacts();

  /** Looks at the next line. */
  public void add(String text) {
    facts.add(QemuLog.line(text));
  }

  /** The end that writes it, null while neither a trace event nor an error of RDMA shows that. */
  public @Nullable Role end() {
    return facts.isTraced() || (facts.isOfRdma() && facts.hasError()) ? facts.end() : null;
  }

  /** The time of the first line with one, in nanoseconds since 1970; 0 for none. */
  long beganAt() {
    return facts.beganAt();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import org.jspecify.annotations.Nullable;
import org.wridscope.text.Legible;

/**
 * What bpftrace said of itself, of which a line tells why it ended: the first error, with the hint
 * that may follow. Warnings come before it, and lines of the program and marks below them after it.
 * Thread-safe.
 */
final class BpftraceMessages {
  /** It says this about its own limits, although it goes on. */
  private static final String HARMLESS = "RLIMIT_MEMLOCK";

  private static final String ERROR = "ERROR: ";
  private static final String HINT = "HINT: ";
  private static final String WARNING = "WARNING: ";
  private static final int MAX_LENGTH = 200;

  private @Nullable String error;
  private @Nullable String hint;
  private @Nullable String other;

  /** Takes a line that is none of the program's. */
  synchronized void add(String line) {
    if (line.isBlank() || line.contains(HARMLESS) || line.startsWith("Attaching ")) {
      return;
    }
    if (error == null && line.contains(ERROR)) {
      error = after(line, ERROR);
    } else if (error != null && hint == null && line.contains(HINT)) {
      hint = after(line, HINT);
    } else if (other == null && !line.contains(WARNING)) {
      other = Legible.of(line.strip(), MAX_LENGTH);
    }
  }

  private static String after(String line, String mark) {
    return Legible.of(line.substring(line.indexOf(mark) + mark.length()).strip(), MAX_LENGTH);
  }

  /** Why it ended, a phrase. */
  synchronized String reason() {
    String first = error != null ? error : other;
    if (first == null) {
      return "it gave no reason";
    }
    String all = hint == null ? first : "%s (%s)".formatted(first, hint);
    return all.endsWith(".") ? all.substring(0, all.length() - 1) : all;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What the process tells its caller. Those from 64 on follow sysexits.h, those above 128 are a
 * shell's for a signal.
 */
public enum ExitCode {
  COMPLETED(0, "completed, and every RAM block verified equal (with a QEMU: completed)"),
  FAILED(1, "the migration failed; its guest stayed at the source"),
  USAGE(2, "bad input: an option, a size or a file; nothing was started"),
  UNVERIFIED(3, "completed, but RAM not confirmed equal, or a virtio request lost"),
  TIMED_OUT(4, "given up after --timeout, for example because it did not converge"),
  INTERNAL_ERROR(70, "an error in Wridscope itself, with its stack trace"),
  INTERRUPTED(130, "cancelled with Ctrl-C; the guest stayed at the source"),
  TERMINATED(143, "cancelled with SIGTERM; the guest stayed at the source");

  private final int number;
  private final String description;

  ExitCode(int number, String description) {
    this.number = number;
    this.description = description;
  }

  /** What {@link System#exit} gets. */
  public int number() {
    return number;
  }

  /** A phrase for the help and the manual. */
  public String description() {
    return description;
  }

  /** All of them, as picocli's help takes them. */
  static Map<String, String> descriptions() {
    Map<String, String> descriptions = new LinkedHashMap<>();
    for (ExitCode code : values()) {
      descriptions.put("%3d".formatted(code.number), code.description);
    }
    return descriptions;
  }
}

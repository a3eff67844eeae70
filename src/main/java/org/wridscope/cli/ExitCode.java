// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Exit codes of the process. Those from 64 to 78 follow sysexits.h; those above 128 are a shell's
 * for a signal.
 */
public enum ExitCode {
  COMPLETED(0, "completed, every RAM block verified as equal (with a QEMU: completed)"),
  FAILED(1, "the migration failed; the guest is still at the source"),
  USAGE(2, "bad input: an option, a size or a file; nothing was started"),
  UNVERIFIED(3, "completed, but RAM not verified as equal, or a virtio request lost"),
  LIMIT(4, "failed at --timeout or --round-limit; often it does not converge"),
  UNDECIDED(5, "undecided: the guest is paused at the source; see resolve --help"),
  INTERNAL_ERROR(70, "an error in Wridscope itself, with a stack trace"),
  OUTPUT_LOST(74, "what was to be printed could not be written; nothing else went wrong"),
  INTERRUPTED(130, "cancelled with Ctrl-C; the guest is still at the source"),
  TERMINATED(143, "cancelled with SIGTERM; the guest is still at the source");

  private final int number;
  private final String description;

  ExitCode(int number, String description) {
    this.number = number;
    this.description = description;
  }

  /** The argument of {@link System#exit}. */
  public int number() {
    return number;
  }

  /** A phrase for the help and the manual. */
  public String description() {
    return description;
  }

  /** All exit codes, in the form that picocli's help needs. */
  static Map<String, String> descriptions() {
    Map<String, String> descriptions = new LinkedHashMap<>();
    for (ExitCode code : values()) {
      descriptions.put("%3d".formatted(code.number), code.description);
    }
    return descriptions;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.wridscope.telemetry.Format;

/** Whether as much memory may be locked as a guest has: registered memory is locked. */
final class LockedMemoryCheck implements Check {
  /** {@code CAP_IPC_LOCK} of linux/capability.h, with which there is no limit. */
  private static final int IPC_LOCK = 14;

  private static final Pattern EFFECTIVE =
      Pattern.compile("^CapEff:\\s*([0-9a-fA-F]{1,16})$", Pattern.MULTILINE);

  @Override
  public String title() {
    return "locked memory";
  }

  @Override
  public Finding look(Machine machine, Question question) {
    Path root = machine.root();
    OptionalLong limit = MemlockLimit.read(root);
    if (limit.isEmpty()) {
      return Finding.ok(this, "There is no limit to the memory that may be registered.");
    }
    if (mayExceed(root)) {
      return Finding.ok(
          this, "This process has CAP_IPC_LOCK, so memory may be registered without limit.");
    }
    long allowed = limit.getAsLong();
    long needed = question.ramBytes();
    if (allowed > needed) {
      return Finding.ok(
          this,
          "%s may be registered, enough for a guest with %s of RAM."
              .formatted(Format.bytes(allowed), Format.bytes(needed)));
    }
    return Finding.failure(
        this,
        "%s may be registered, %s too little for a guest with %s of RAM."
            .formatted(Format.bytes(allowed), Format.bytes(needed - allowed), Format.bytes(needed)),
        "Raise the limit as root in the shell that starts Wridscope; for a service with"
            + " LimitMEMLOCK=infinity; for"
            + " logins, \"USER - memlock unlimited\" in /etc/security/limits.conf.",
        "ulimit -l unlimited");
  }

  private static boolean mayExceed(Path root) {
    Matcher matcher = EFFECTIVE.matcher(Sysfs.read(root.resolve("proc/self/status")).orElse(""));
    return matcher.find() && (Long.parseUnsignedLong(matcher.group(1), 16) >> IPC_LOCK & 1) == 1;
  }
}

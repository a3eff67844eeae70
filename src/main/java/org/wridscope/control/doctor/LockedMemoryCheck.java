// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.wridscope.text.Format;
import org.wridscope.verbs.common.MemlockLimit;
import org.wridscope.verbs.rdma.KernelFiles;

/**
 * Checks that the limit of locked memory allows registering the RAM of a guest: registered memory
 * is locked.
 */
final class LockedMemoryCheck implements Check {
  /** {@code CAP_IPC_LOCK} of linux/capability.h, which lifts the limit. */
  private static final int IPC_LOCK = 14;

  private static final Pattern EFFECTIVE =
      Pattern.compile("^CapEff:\\s*([0-9a-fA-F]{1,16})$", Pattern.MULTILINE);

  @Override
  public String title() {
    return "locked memory";
  }

  @Override
  public CheckResult run(Machine machine, Question question) {
    Path root = machine.root();
    OptionalLong limit = MemlockLimit.read(root);
    if (limit.isEmpty()) {
      return CheckResult.ok(this, "There is no limit on registered memory.");
    }
    if (mayExceed(root)) {
      return CheckResult.ok(
          this, "There is no limit on registered memory: this process has CAP_IPC_LOCK.");
    }
    long allowed = limit.getAsLong();
    long needed = question.ramBytes();
    if (allowed > needed) {
      return CheckResult.ok(
          this,
          "This process may register %s of memory, enough for a guest with %s of RAM."
              .formatted(Format.bytes(allowed), Format.bytes(needed)));
    }
    return CheckResult.failure(
        this,
        "This process may register only %s of memory; a guest with %s of RAM needs more."
            .formatted(Format.bytes(allowed), Format.bytes(needed)),
        "Raise the limit, as root, in the shell that starts Wridscope. For a service, set"
            + " LimitMEMLOCK=infinity; for logins, add \"USER - memlock unlimited\" to"
            + " /etc/security/limits.conf.",
        "ulimit -l unlimited");
  }

  private static boolean mayExceed(Path root) {
    Matcher matcher =
        EFFECTIVE.matcher(KernelFiles.read(root.resolve("proc/self/status")).orElse(""));
    return matcher.find() && (Long.parseUnsignedLong(matcher.group(1), 16) >> IPC_LOCK & 1) == 1;
  }
}

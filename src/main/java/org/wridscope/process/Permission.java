// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Why this process may not reach into another one, see ptrace(2), "access mode checking". */
final class Permission {
  private static final Path YAMA = Path.of("/proc/sys/kernel/yama/ptrace_scope");

  private Permission() {}

  /**
   * What refused a call, and what to do.
   *
   * @param refusal of a call that needs the permission to trace the process
   * @return one sentence
   */
  static String explain(long pid, SystemCallException refusal) {
    if (refusal.errno() == SystemCallException.ESRCH || !Files.exists(Path.of("/proc/" + pid))) {
      return "there is no process %d.".formatted(pid);
    }
    if (refusal.errno() == SystemCallException.ENOSYS) {
      return "%s; it needs Linux 5.6 or later, and a container that allows it."
          .formatted(refusal.getMessage());
    }
    if (refusal.errno() != SystemCallException.EPERM
        && refusal.errno() != SystemCallException.EACCES) {
      return "%s for process %d.".formatted(refusal.getMessage(), pid);
    }
    Optional<String> traced = traced(pid);
    if (traced.isPresent()) {
      return traced.get();
    }
    String scope = read(YAMA).orElse("0");
    if (!scope.equals("0") && !ProcessStatus.isOfRoot(ProcessHandle.current().pid())) {
      return "%s for process %d: /proc/sys/kernel/yama/ptrace_scope is %s; run Wridscope as root, or"
              .formatted(refusal.getMessage(), pid, scope)
          + " set it to 0 (sysctl kernel.yama.ptrace_scope=0).";
    }
    return "%s for process %d: run Wridscope as the same user or as root; a container needs"
            .formatted(refusal.getMessage(), pid)
        + " CAP_SYS_PTRACE.";
  }

  /** What to do when a process is traced, which only one process may; empty if it is not. */
  static Optional<String> traced(long pid) {
    // It is the number of a thread.
    return ProcessStatus.number(pid, "TracerPid")
        .filter(tracer -> tracer != 0)
        .map(tracer ->
            "process %d is traced by process %d, a debugger or strace; end that first."
                .formatted(pid, ProcessStatus.number(tracer, "Tgid").orElse(tracer)));
  }

  private static Optional<String> read(Path file) {
    try {
      return Optional.of(Files.readString(file, StandardCharsets.US_ASCII).strip());
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}

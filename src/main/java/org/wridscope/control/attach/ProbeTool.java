// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;

/** What places probes and reads what they see. */
public enum ProbeTool {
  /** A program that must be installed. */
  BPFTRACE(Bpftrace.COMMAND, ""),
  /** The kernel's own tracing files. */
  UPROBES(
      "tracefs",
      "Completions are only counted, by completion queue: their wr_ids, statuses and queue pairs"
          + " are not seen by plain uprobes, so it is not known which requests have completed. Of a"
          + " chain the first %d requests are seen, and of each the first %d elements. bpftrace"
              .formatted(UprobeEvents.CHAIN, UprobeEvents.ELEMENTS)
          + " sees all of that.");

  private final String subject;
  private final String limits;

  ProbeTool(String subject, String limits) {
    this.subject = subject;
    this.limits = limits;
  }

  /** bpftrace if it is installed. */
  public static ProbeTool installed() {
    boolean found =
        Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
            .filter(folder -> !folder.isEmpty())
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, Bpftrace.COMMAND)));
    return found ? BPFTRACE : UPROBES;
  }

  /** What it does not see, although another tool does; empty if there is nothing. */
  public String limits() {
    return limits;
  }

  /** The subject of a sentence about it. */
  String subject() {
    return subject;
  }

  /**
   * Begins to place probes.
   *
   * @throws IOException if it is missing or not allowed; one sentence that says what to do
   */
  Tracer start(Collection<Probe> probes, TraceFilter filter) throws IOException {
    return switch (this) {
      case BPFTRACE -> Bpftrace.start(TraceScript.of(probes, filter));
      case UPROBES -> Uprobes.start(probes, filter);
    };
  }
}

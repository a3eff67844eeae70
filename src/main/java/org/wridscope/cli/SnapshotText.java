// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.attach.Snapshot;
import org.wridscope.control.attach.Snapshot.Verdict;
import org.wridscope.control.attach.ThreadReading;
import org.wridscope.text.Format;

/** What a process does with its queue pairs, as a table. */
final class SnapshotText {
  private static final String NOT_KNOWN = "not known";
  private static final String ROW = "  %-10s %8s %-5s %-6s %-18s %-18s %s";

  private SnapshotText() {}

  /** One line for each queue pair and each thread, with headings and a sentence at the end. */
  static List<String> lines(Snapshot of) {
    var lines = new ArrayList<String>();
    lines.add(
        String.format(
            Locale.ROOT,
            "%s %d: %s, read twice in %.1f s.",
            of.program(),
            of.pid(),
            Format.counted(of.queuePairs().size(), "queue pair"),
            of.seconds()));
    if (!of.queuePairs().isEmpty()) {
      lines.add(
          ROW.formatted(
              "DEVICE", "QP", "TYPE", "STATE", "PSN SENT", "PSN EXPECTED", "PEER, VERDICT"));
      of.queuePairs().forEach(each -> lines.add(row(each)));
      lines.add(
          "  Timeout, retries, RNR retries, minimum RNR timer, MTU and access are not known: the kernel"
              + " does not tell them; 'attach -- COMMAND' sees them being set.");
    }
    lines.add("  %10s  %-16s %s".formatted("THREAD", "NAME", "WHAT IT DOES"));
    for (ThreadReading thread : of.threads()) {
      lines.add("  %10d  %-16s %s".formatted(thread.id(), thread.name(), thread.text()));
    }
    lines.add(verdict(of));
    return lines;
  }

  private static String row(Snapshot.Pair of) {
    return ROW.formatted(
        of.device(),
        of.number(),
        of.type() == null ? "?" : of.type(),
        of.state() == null ? "?" : of.state(),
        change(of.sqPsn(), of.sqPsnLater()),
        change(of.rqPsn(), of.rqPsnLater()),
        "%s; %s".formatted(peer(of), of.verdict().text()));
  }

  private static String change(@Nullable Long before, @Nullable Long after) {
    if (before == null && after == null) {
      return NOT_KNOWN;
    }
    return before == null || after == null || before.equals(after)
        ? String.valueOf(after == null ? before : after)
        : "%d > %d".formatted(before, after);
  }

  private static String peer(Snapshot.Pair of) {
    Long number = of.peerQueuePair();
    if (of.peer() != null) {
      return number == null ? "to " + of.peer() : "to QP %d at %s".formatted(number, of.peer());
    }
    return number == null ? "peer not known" : "to QP %d, host not known".formatted(number);
  }

  private static String verdict(Snapshot of) {
    if (of.queuePairs().isEmpty()) {
      return "The process has no queue pairs, as far as this user may see.";
    }
    long moving = count(of, Verdict.MOVING);
    long still = count(of, Verdict.STILL);
    long failed = count(of, Verdict.IN_ERROR);
    String all =
        "%s: %d moving, %d still, %d in error."
            .formatted(Format.counted(of.queuePairs().size(), "queue pair"), moving, still, failed);
    return failed > 0
        ? all + " Look for the first completion with an error: it is before those that are flushed."
        : moving == 0 && still > 0
            ? all + " The process is stuck, or has nothing to send: see what its threads wait in."
            : all;
  }

  private static long count(Snapshot of, Verdict verdict) {
    return of.queuePairs().stream().filter(each -> each.verdict() == verdict).count();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Ending;
import org.wridscope.analysis.Explanation.Verdict;
import org.wridscope.control.LabSettings;
import org.wridscope.control.Session;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.recording.RecordedSession;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.SessionPair;

/**
 * One entry of the list: a migration as far as it is in this process, or one that is ready to
 * start. For the JavaFX thread only.
 */
public final class Migration {
  private final String name;
  private final @Nullable LabSettings settings;
  private final Sparkline sparkline = new Sparkline();
  private @Nullable SessionPair pair;
  private long endNanos;

  private Migration(String name, @Nullable LabSettings settings, @Nullable SessionPair pair) {
    this.name = name;
    this.settings = settings;
    this.pair = pair;
  }

  /** A lab migration that waits for somebody to start it. */
  static Migration ready(String name, LabSettings settings) {
    return new Migration(name, settings, null);
  }

  static Migration of(SessionPair pair) {
    return new Migration(nameOf(pair), null, pair);
  }

  private static String nameOf(SessionPair pair) {
    String name = pair.leading().name();
    if (pair.source() == null || pair.destination() == null) {
      return name;
    }
    String common = name;
    while (!pair.destination().name().startsWith(common)) {
      common = common.substring(0, common.length() - 1);
    }
    // Names of files have no blank where what they have in common ends.
    common = common.replaceFirst("[\\s.:_-]+$", "");
    return common.isEmpty() ? name : common;
  }

  /** Name for people. */
  public String name() {
    return pair == null ? name : nameOf(pair);
  }

  /** How it will be started; null once it was, or when it was not started from here. */
  public @Nullable LabSettings settings() {
    return pair == null ? settings : null;
  }

  /** Its sessions; null while it waits to be started. */
  public @Nullable SessionPair pair() {
    return pair;
  }

  void setPair(SessionPair pair) {
    this.pair = pair;
  }

  /** Whether it comes out of a recording. */
  public boolean recorded() {
    return pair != null && pair.leading() instanceof RecordedSession;
  }

  /** Whether there is a session that has not ended. */
  public boolean running() {
    return pair != null && !pair.ended() && !recorded();
  }

  /** Whether there are sessions, and all have ended. */
  public boolean ended() {
    return pair != null && pair.ended();
  }

  boolean has(Session session) {
    return pair != null && pair.sessions().contains(session);
  }

  /**
   * Where the clock of the views stands: now, when the migration was seen to end, or at the moment
   * to which its recording was moved.
   */
  public long clock(long nowNanos) {
    return endNanos != 0 ? endNanos : pair != null ? pair.clock(nowNanos) : nowNanos;
  }

  /** What was put on the wire over time, for a small picture. */
  public Sparkline sparkline() {
    return sparkline;
  }

  /** The status that matters most to people: of the source when it is here. */
  public MigrationStatus status() {
    return pair == null ? MigrationStatus.NONE : pair.leading().status();
  }

  /** Share of the RAM that has arrived, 0 to 1; it shrinks when the guest writes again. */
  public double progress() {
    return pair == null ? 0 : progress(pair.leading());
  }

  /** Whether it is known how much of the RAM has arrived; then there is a pair. */
  boolean knowsProgress() {
    return pair != null && knowsProgress(pair.leading());
  }

  /**
   * Whether it is known how much of the RAM of this session has arrived: a destination that did not
   * complete has given its keys back, and never knew what was written.
   */
  public static boolean knowsProgress(Session session) {
    return session.role() == Role.SOURCE
        || !session.status().isEnd()
        || session.status() == MigrationStatus.COMPLETED;
  }

  /** Share of the RAM of this session that has arrived, 0 to 1. */
  public static double progress(Session session) {
    if (session.status() == MigrationStatus.COMPLETED) {
      return 1;
    }
    Metrics metrics = session.telemetry().metrics();
    long total = metrics.get(Metric.RAM_TOTAL);
    if (total <= 0) {
      return 0;
    }
    if (session.role() == Role.DESTINATION) {
      return touched(session.telemetry().blocks());
    }
    return Math.clamp(1 - (double) metrics.get(Metric.RAM_REMAINING) / total, 0, 1);
  }

  /** A destination cannot see what is written to its memory, only where keys were asked for. */
  private static double touched(List<ChunkTable> blocks) {
    long chunks = 0;
    long untouched = 0;
    for (ChunkTable block : blocks) {
      chunks += block.chunkCount();
      untouched += block.count(ChunkState.NOT_REGISTERED);
    }
    return chunks == 0 ? 0 : (double) (chunks - untouched) / chunks;
  }

  /** One sentence that says how it ended or failed; null while it has not. */
  public @Nullable String outcome() {
    if (pair == null) {
      return null;
    }
    Ending ending = pair.ending();
    if (ending != null) {
      return ending.sentence();
    }
    String outcome = pair.leading().outcome();
    if (outcome == null && pair.destination() != null) {
      outcome =
          pair.destination().status() == MigrationStatus.COMPLETED
              ? null
              : pair.destination().outcome();
    }
    return outcome;
  }

  /** Whether it completed, and something is wrong or could not be checked that should have been. */
  public boolean unsound() {
    Ending ending = pair == null ? null : pair.ending();
    return ending != null && ending.verdict() == Verdict.UNSOUND;
  }

  void sample(long nowNanos) {
    if (pair == null || endNanos != 0) {
      return;
    }
    sparkline.add(
        clock(nowNanos), pair.leading().telemetry().metrics().get(Metric.RAM_TRANSFERRED));
    if (pair.ended() && !recorded()) {
      endNanos = end(pair, nowNanos);
    }
  }

  /** When the last of them ended: it marks that by a phase with the name of its status. */
  private static long end(SessionPair pair, long nowNanos) {
    long last = Long.MIN_VALUE;
    for (Session session : pair.sessions()) {
      List<Phase> phases = session.telemetry().phases();
      boolean marked =
          !phases.isEmpty() && phases.getLast().name().equals(session.status().qemuName());
      last = Math.max(last, marked ? phases.getLast().nanos() : nowNanos);
    }
    return last;
  }
}

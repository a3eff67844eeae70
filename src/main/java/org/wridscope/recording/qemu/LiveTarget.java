// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.recording.file.ImportTarget;
import org.wridscope.recording.file.Sample;
import org.wridscope.telemetry.Banner;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Replay;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;

/** Shows an imported session live. For one thread, except for what says otherwise. */
final class LiveTarget implements ImportTarget {
  private static final int SAMPLES_KEPT = 1 << 13;
  private static final ControlType[] TYPES = ControlType.values();

  private final Replay replay;
  private final Set<Metric> imported;
  private final Metrics metrics = new Metrics();
  private final List<Phase> phases = new ArrayList<>();
  private final List<Wait> waits = new ArrayList<>();
  private final List<String> notes = new CopyOnWriteArrayList<>();
  private List<ChunkTable> blocks = List.of();
  private MigrationStatus status = MigrationStatus.NONE;
  private int waitingFor = -1;
  private volatile @Nullable String outcome;

  /**
   * @param startNanos when the session began
   * @param others the metrics that somebody else writes
   */
  LiveTarget(Role role, long startNanos, Set<Metric> others) {
    replay = new Replay(role, startNanos, SAMPLES_KEPT);
    imported = EnumSet.allOf(Metric.class);
    imported.removeAll(others);
  }

  /** Any thread may read it. */
  SessionTelemetry telemetry() {
    return replay.telemetry();
  }

  /** Sentences for the user; any thread may read them. */
  List<String> notes() {
    return notes;
  }

  /** How the session ended, null while it has not or when that is not known; for any thread. */
  @Nullable String outcome() {
    return outcome;
  }

  /** Adds the present counters to the history. */
  void remember(long nowNanos) {
    replay.addSample(nowNanos, replay.telemetry().metrics());
  }

  /** Sets how many lines were left out so far. */
  void leftOut(long lines) {
    replay.setLeftOut(lines);
  }

  @Override
  public void event(long nanos, EventKind kind, int detail, int length, long wrid, long argument) {
    replay.addEvent(nanos, kind, detail, length, wrid, argument);
  }

  @Override
  public void wait(Wait wait) {
    waits.add(wait);
    // Before the first event that names it.
    show();
  }

  @Override
  public void opened(Banner banner) {
    replay.setBanner(banner);
  }

  @Override
  public void phase(Phase phase) {
    phases.add(phase);
    show();
  }

  @Override
  public void note(String sentence) {
    notes.add(sentence);
  }

  @Override
  public void blocks(long nanos, List<ChunkTable> tables) {
    blocks = tables;
  }

  @Override
  public void remoteAddresses(long nanos, long[] addresses) {
    for (int i = 0; i < addresses.length; i++) {
      blocks.get(i).setRemoteAddress(addresses[i]);
    }
  }

  @Override
  public void sample(Sample sample, MigrationStatus entered) {
    sample.metrics(metrics);
    for (Metric metric : imported) {
      replay.telemetry().metrics().set(metric, metrics.get(metric));
    }
    for (ControlType type : TYPES) {
      replay.setMessages(type, sample.sent(type), sample.received(type));
    }
    status = entered;
    waitingFor = sample.wait(waits.size());
    show();
  }

  private void show() {
    replay.setState(status, phases, blocks, waits, waitingFor < 0 ? null : waits.get(waitingFor));
  }

  @Override
  public void finish(@Nullable SessionOutcome how) {
    outcome = how == null ? null : how.sentence();
  }
}

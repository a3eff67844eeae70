// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.io.IOException;
import org.wridscope.recording.imported.ImportedSession;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;

/** The rounds, phases and statuses of a session that is imported from a trace log of QEMU. */
final class ImportedRounds {
  private final ImportedSession session;
  private final boolean timed;
  private long beganAt;
  private long pausedAt;
  private boolean open;

  /** How often the dirty log was synchronized; QEMU may count less. */
  private long round;

  /**
   * @param beganAt time of the first line of the log
   * @param timed whether the log has times; otherwise no duration is known
   */
  ImportedRounds(ImportedSession session, long beganAt, boolean timed) {
    this.session = session;
    this.beganAt = beganAt;
    this.timed = timed;
  }

  void connecting() throws IOException {
    beganAt = session.now();
    session.phase(Phase.Kind.CONNECT);
  }

  void guestPaused() throws IOException {
    pausedAt = session.now();
    session.phase(Phase.Kind.SWITCH_OVER);
    session.event(EventKind.GUEST_PAUSED, 0, 0, 0, 0);
  }

  void entered(MigrationStatus status) throws IOException {
    if (timed && status == MigrationStatus.ACTIVE && session.get(Metric.SETUP_TIME) == 0) {
      session.set(Metric.SETUP_TIME, session.now() - beganAt);
    }
    if (status == MigrationStatus.COMPLETED) {
      session.completeAll(true);
    }
    if (status.isEnd()) {
      session.endWait();
      endRound();
      if (timed) {
        session.set(Metric.TOTAL_TIME, session.now() - beganAt);
      }
      if (timed && pausedAt != 0) {
        session.set(Metric.DOWNTIME, session.now() - pausedAt);
      }
      session.phase(Phase.Kind.of(status));
    }
    session.enter(status);
  }

  void beginRound(long dirtyBytes) throws IOException {
    round++;
    long bytes = round == 1 ? session.get(Metric.RAM_TOTAL) : dirtyBytes;
    if (pausedAt == 0) {
      session.round(round);
    }
    session.event(EventKind.ROUND_BEGIN, (int) Math.min(round, 0xffff), 0, 0, bytes);
    open = true;
  }

  /** QEMU does not count the last round in {@code dirty-sync-count}. */
  void notCounted() {
    if (open && session.get(Metric.DIRTY_SYNC_COUNT) == round) {
      session.add(Metric.DIRTY_SYNC_COUNT, -1);
    }
  }

  void endRound() throws IOException {
    if (open) {
      open = false;
      session.event(
          EventKind.ROUND_END,
          (int) Math.min(round, 0xffff),
          0,
          0,
          session.get(Metric.ROUND_PROCESSED));
    }
  }
}

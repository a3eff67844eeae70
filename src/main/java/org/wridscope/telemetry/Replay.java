// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;

/**
 * Moves the telemetry of a session that is not running but was recorded, to any moment and back.
 * What reads it sees what it saw then. For one thread, but for the events that are made aside.
 */
public final class Replay {
  /** Numbers of events at which {@link EventLog#restart} can go on are multiples of this. */
  public static final int EVENT_STEP = EventLog.SEGMENT;

  /** How many of the newest events are kept at least. */
  public static final int EVENTS_KEPT = SessionTelemetry.LOG_CAPACITY;

  private final SessionTelemetry telemetry;

  /**
   * @param startNanos when the session was made
   * @param samplesKept samples of the history, an even number of at least 2
   */
  public Replay(Role role, long startNanos, int samplesKept) {
    telemetry = SessionTelemetry.replayed(role, startNanos, samplesKept);
  }

  /** What is moved; always the same. */
  public SessionTelemetry telemetry() {
    return telemetry;
  }

  /** Adds a sample to the history, later than all others. */
  public void addSample(long nanos, Metrics metrics) {
    telemetry.history().add(nanos, metrics);
  }

  /** Which part of the history is shown: what was there at this moment. */
  public void showHistory(long untilNanos) {
    telemetry.history().showUntil(untilNanos);
  }

  /** A log with the events of now, to be moved to another moment by any one thread. */
  public EventLog eventsAside() {
    return telemetry.log().aside();
  }

  /**
   * Shows the events of another moment.
   *
   * @param moved made {@linkplain #eventsAside() aside}, and not used any more
   */
  public void showEvents(EventLog moved) {
    telemetry.log().become(moved);
  }

  /** Sets how many control messages had been sent and received. */
  public void setMessages(ControlType type, long sent, long received) {
    telemetry.messagesSent().set(type, sent);
    telemetry.messagesReceived().set(type, received);
  }

  /** Sets what cannot be told by a number: status, phases, blocks, and what was waited for. */
  public void setState(
      MigrationStatus status,
      List<Phase> phases,
      List<ChunkTable> blocks,
      List<String> waits,
      @Nullable String waitingFor) {
    telemetry.setStatus(status);
    telemetry.replayPhases(phases);
    if (!telemetry.blocks().equals(blocks)) {
      telemetry.setBlocks(blocks);
    }
    telemetry.replayWaits(waits, waitingFor);
  }

  /** Sets how many events had been left out. */
  public void setLeftOut(long events) {
    telemetry.replayLeftOut(events);
  }
}

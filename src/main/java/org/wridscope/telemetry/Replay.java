// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;

/**
 * Sets the telemetry of a session whose engine does not run in this process. It moves that of a
 * recorded session to any moment, so that readers see its state at that moment; that of a session
 * in another program is always at its present end. For one thread only, except for a log that was
 * made by {@link #eventsAside()}.
 */
public final class Replay {
  /** {@link EventLog#restart} accepts only multiples of this. */
  public static final int EVENT_STEP = EventLog.SEGMENT;

  /** Lower limit of how many of the newest events are kept. */
  public static final int EVENTS_KEPT = SessionTelemetry.LOG_CAPACITY;

  private final SessionTelemetry telemetry;

  /**
   * @param startNanos when the session was created
   * @param samplesKept capacity of the history in samples, even and at least 2
   */
  public Replay(Role role, long startNanos, int samplesKept) {
    telemetry = SessionTelemetry.replayed(role, startNanos, samplesKept);
  }

  /** The telemetry that is moved; always the same object. */
  public SessionTelemetry telemetry() {
    return telemetry;
  }

  /** Adds an event that happens now, in another program, and counts it. */
  public void addEvent(
      long nanos, EventKind kind, int detail, int length, long wrid, long argument) {
    telemetry.count(kind, detail);
    telemetry.log().add(nanos, kind, detail, length, wrid, argument);
  }

  /** Adds a sample to the history, which must be later than all others. */
  public void addSample(long nanos, Metrics metrics) {
    telemetry.history().add(nanos, metrics);
  }

  /** Shows the part of the history up to a moment. */
  public void showHistory(long untilNanos) {
    telemetry.history().showUntil(untilNanos);
  }

  /** A log with the present events, which any single thread may move to another moment. */
  public EventLog eventsAside() {
    return telemetry.log().aside();
  }

  /**
   * Shows the events of another moment.
   *
   * @param moved a log from {@link #eventsAside()}, which must not be used afterwards
   */
  public void showEvents(EventLog moved) {
    telemetry.log().become(moved);
  }

  /** Sets the numbers of control messages sent and received. */
  public void setMessages(ControlType type, long sent, long received) {
    telemetry.messagesSent().set(type, sent);
    telemetry.messagesReceived().set(type, received);
  }

  /** Sets the state that is not a number: status, phases, blocks and waits. */
  public void setState(
      MigrationStatus status,
      List<Phase> phases,
      List<ChunkTable> blocks,
      List<Wait> waits,
      @Nullable Wait waitingFor) {
    telemetry.setStatus(status);
    telemetry.replayPhases(phases);
    if (!telemetry.blocks().equals(blocks)) {
      telemetry.setBlocks(blocks);
    }
    telemetry.replayWaits(waits, waitingFor);
  }

  /** Sets what identifies device and connection, null for nothing yet. */
  public void setBanner(@Nullable Banner banner) {
    telemetry.replayBanner(banner);
  }

  /** Sets the number of events that had been skipped. */
  public void setLeftOut(long events) {
    telemetry.replayLeftOut(events);
  }
}

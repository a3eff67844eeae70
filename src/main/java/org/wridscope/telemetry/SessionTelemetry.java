// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;

/**
 * All that can be known about one session while it runs and afterwards. The session's engine thread
 * writes, a {@link Sampler} turns that into history, and any thread reads; nobody waits for
 * anybody.
 */
public final class SessionTelemetry {
  private static final int RING_CAPACITY = 1 << 16;
  private static final int LOG_CAPACITY = 1 << 16;
  private static final int HISTORY_CAPACITY = 1 << 13;
  private static final int PHASES_KEPT = 1000;

  private final Role role;
  private final long startNanos = System.nanoTime();
  private final Metrics metrics = new Metrics();
  private final MessageCounts messagesSent = new MessageCounts();
  private final MessageCounts messagesReceived = new MessageCounts();
  private final @Nullable EventRing ring;
  private final EventLog log;
  private final History history;
  private final ArrayDeque<Phase> phases = new ArrayDeque<>();
  private volatile List<ChunkTable> blocks = List.of();
  private volatile MigrationStatus status = MigrationStatus.NONE;
  private volatile @Nullable String waitingFor;

  /**
   * @param monitored whether events and history are kept; metrics always are
   */
  public SessionTelemetry(Role role, boolean monitored) {
    this.role = role;
    ring = monitored ? new EventRing(RING_CAPACITY) : null;
    log = new EventLog(monitored ? LOG_CAPACITY : 1);
    history = new History(monitored ? HISTORY_CAPACITY : 2);
  }

  public Role role() {
    return role;
  }

  /** Whether events and history are kept. */
  public boolean monitored() {
    return ring != null;
  }

  /** {@link System#nanoTime()} when the session was made. */
  public long startNanos() {
    return startNanos;
  }

  public Metrics metrics() {
    return metrics;
  }

  /** Control messages that this session sent. */
  public MessageCounts messagesSent() {
    return messagesSent;
  }

  /** Control messages that this session received. */
  public MessageCounts messagesReceived() {
    return messagesReceived;
  }

  /** Writes an event; for the engine's thread only. Allocates nothing. */
  public void event(EventKind kind, int detail, int length, long wrid, long argument) {
    if (ring != null) {
      ring.write(kind, detail, length, wrid, argument);
    }
  }

  /** Events that were left out because the reader was too slow. */
  public long eventsLeftOut() {
    return ring == null ? 0 : ring.leftOut();
  }

  public EventLog log() {
    return log;
  }

  public History history() {
    return history;
  }

  /** Begins a phase. */
  public void beginPhase(String name) {
    synchronized (phases) {
      if (phases.size() == PHASES_KEPT) {
        phases.removeFirst();
      }
      phases.addLast(new Phase(name, System.nanoTime()));
    }
  }

  /** The newest phases, oldest first; the last one is going on unless the session has ended. */
  public List<Phase> phases() {
    synchronized (phases) {
      return List.copyOf(phases);
    }
  }

  /** The chunks of every RAM block, in the order of the blocks; empty until they are known. */
  public List<ChunkTable> blocks() {
    return blocks;
  }

  public void setBlocks(List<ChunkTable> blocks) {
    this.blocks = List.copyOf(blocks);
  }

  public MigrationStatus status() {
    return status;
  }

  public void setStatus(MigrationStatus status) {
    this.status = status;
    event(EventKind.STATUS, status.ordinal(), 0, 0, 0);
  }

  /** What the engine waits for right now, a phrase such as {@code the destination's READY}. */
  public @Nullable String waitingFor() {
    return waitingFor;
  }

  public void setWaitingFor(@Nullable String waitingFor) {
    this.waitingFor = waitingFor;
  }

  void sample(long nanos) {
    if (ring != null) {
      log.drain(ring);
      history.add(nanos, metrics);
    }
  }
}

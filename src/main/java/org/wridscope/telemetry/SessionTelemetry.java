// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;

/**
 * All that can be known about one session while it runs and afterwards. The session's engine thread
 * writes, a {@link Sampler} turns that into history, and any thread reads; nobody waits for
 * anybody.
 */
public final class SessionTelemetry {
  private static final int RING_CAPACITY = 1 << 16;

  /** Events kept: enough for a million requests, where the heap is large enough for them. */
  private static final int LOG_CAPACITY =
      Math.clamp(Runtime.getRuntime().maxMemory() / 8 / (EventRing.RECORD * 8), 1 << 16, 1 << 22);

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
  private final List<String> waits = new CopyOnWriteArrayList<>();
  private final ArrayDeque<Phase> phases = new ArrayDeque<>();
  private volatile List<ChunkTable> blocks = List.of();
  private volatile MigrationStatus status = MigrationStatus.NONE;
  private volatile @Nullable String waitingFor;
  private int wait;
  private long waitBegan;

  /**
   * @param monitored whether events and history are kept; metrics always are
   */
  public SessionTelemetry(Role role, boolean monitored) {
    this(role, monitored, LOG_CAPACITY);
  }

  /**
   * @param monitored whether events and history are kept; metrics always are
   * @param eventsKept how many of the newest events are kept at least
   */
  public SessionTelemetry(Role role, boolean monitored, int eventsKept) {
    this.role = role;
    ring = monitored ? new EventRing(RING_CAPACITY) : null;
    log = new EventLog(eventsKept);
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

  /** Notes what the engine waits for from now on, or null for nothing; for its thread only. */
  public void setWaitingFor(@Nullable String waitingFor) {
    setWaitingFor(waitingFor, 0);
  }

  /**
   * Notes what the engine waits for from now on, or null for nothing; for its thread only.
   *
   * @param wrid the request whose completion it waits for, or 0
   */
  public void setWaitingFor(@Nullable String waitingFor, long wrid) {
    long now = System.nanoTime();
    if (this.waitingFor != null) {
      event(EventKind.WAIT_END, wait, 0, 0, now - waitBegan);
    }
    this.waitingFor = waitingFor;
    if (waitingFor != null) {
      wait = numberOf(waitingFor);
      waitBegan = now;
      event(EventKind.WAIT_BEGIN, wait, 0, wrid, 0);
    }
  }

  /**
   * Notes that the wait that goes on threw a completion away; for the engine's thread only.
   *
   * @param wrid of the completion
   */
  public void completionDropped(long wrid) {
    metrics.increment(Metric.COMPLETIONS_DROPPED);
    event(EventKind.COMPLETION_DROPPED, wait, 0, wrid, 0);
  }

  /** Everything that the engine waited for so far; the details of waits are indices of this. */
  public List<String> waits() {
    return Collections.unmodifiableList(waits);
  }

  private int numberOf(String waitingFor) {
    int known = waits.indexOf(waitingFor);
    if (known < 0) {
      known = waits.size();
      waits.add(waitingFor);
    }
    return known;
  }

  void sample(long nanos) {
    if (ring != null) {
      log.drain(ring);
      history.add(nanos, metrics);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.time.Time;

/** The only reader of the event rings: a thread that samples every session fifty times a second. */
public final class Sampler implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Sampler.class);

  private final List<SessionTelemetry> sessions = new CopyOnWriteArrayList<>();

  /** Sessions whose defect has been logged already. */
  private final Set<SessionTelemetry> defective = ConcurrentHashMap.newKeySet();

  private final Thread thread;
  private volatile boolean closed;

  public Sampler() {
    thread = Time.startObserver("telemetry", this::run);
  }

  public void add(SessionTelemetry session) {
    sessions.add(session);
  }

  /** Takes a last sample of a session, which must have stopped writing, and removes it. */
  public void remove(SessionTelemetry session) {
    if (sessions.remove(session)) {
      sampleSafely(session);
      defective.remove(session);
    }
  }

  private void run() {
    var ticker = new Ticker();
    while (!closed) {
      sessions.forEach(this::sampleSafely);
      ticker.await();
    }
  }

  /** Samples a session; a defect must not affect other sessions. */
  private void sampleSafely(SessionTelemetry session) {
    try {
      sample(session);
    } catch (RuntimeException | Error e) {
      if (defective.add(session)) {
        LOG.error("the telemetry of a {} cannot be sampled", session.role(), e);
      }
    }
  }

  /** Locked, because a ring may have only one reader at a time. */
  private static void sample(SessionTelemetry session) {
    synchronized (session) {
      session.sample(Time.nanos());
    }
  }

  @Override
  public void close() {
    closed = true;
    Time.unpark(thread);
    Time.join(thread);
  }
}

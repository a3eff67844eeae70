// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.time.Time;

/** The only reader of the event rings: a thread that samples every session fifty times a second. */
public final class Sampler implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Sampler.class);

  private final List<SessionTelemetry> sessions = new CopyOnWriteArrayList<>();

  /** Sessions whose defect has been logged already. */
  private final Set<SessionTelemetry> defective = ConcurrentHashMap.newKeySet();

  /** Null until there is a session. */
  private @Nullable Thread thread;

  private volatile boolean closed;

  /** Does nothing if the session is not monitored: there is nothing to sample. */
  public synchronized void add(SessionTelemetry session) {
    if (session.monitored()) {
      sessions.add(session);
      if (thread == null) {
        thread = Time.startObserver("telemetry", this::run);
      }
    }
  }

  /** Takes a sample of all sessions now. */
  public void sample() {
    sessions.forEach(this::sampleSafely);
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
      sample();
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
    Thread started = started();
    if (started != null) {
      Time.unpark(started);
      Time.join(started);
    }
  }

  private synchronized @Nullable Thread started() {
    return thread;
  }
}

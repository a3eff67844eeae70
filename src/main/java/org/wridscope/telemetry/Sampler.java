// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The one reader of the event rings: a thread that samples every session fifty times a second. */
public final class Sampler implements AutoCloseable {
  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final List<SessionTelemetry> sessions = new CopyOnWriteArrayList<>();
  private final Thread thread;
  private volatile boolean closed;

  public Sampler() {
    thread = Thread.ofPlatform().daemon().name("telemetry").start(this::run);
  }

  public void add(SessionTelemetry session) {
    sessions.add(session);
  }

  /** Takes a last sample of the session, which must not write any more, and forgets it. */
  public void remove(SessionTelemetry session) {
    if (sessions.remove(session)) {
      sample(session);
    }
  }

  private void run() {
    long next = System.nanoTime();
    while (!closed) {
      sessions.forEach(Sampler::sample);
      next += INTERVAL_NANOS;
      long rest = next - System.nanoTime();
      if (rest > 0) {
        LockSupport.parkNanos(rest);
      } else {
        next = System.nanoTime();
      }
    }
  }

  /** One sample at a time, so that the ring has one reader. */
  private static void sample(SessionTelemetry session) {
    synchronized (session) {
      session.sample(System.nanoTime());
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

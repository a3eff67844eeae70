// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.qmp.QmpServer;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.EventLog;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Ticker;

/**
 * Sends QEMU's events to the clients: a thread that reads the log of the present session fifty
 * times a second, so that the engine never waits for a client. A client may begin the next
 * migration before that; the events of the one before it are told to their end.
 */
final class EventPump implements AutoCloseable {
  /** How many events are read while the log is locked. */
  private static final int PIECE = 4_096;

  private static final MigrationStatus[] STATUSES = MigrationStatus.values();

  private final QmpServer server;
  private final PresentSession present;
  private final GuestControl guest;
  private final Capabilities capabilities;
  private final Thread thread;
  private volatile boolean closed;

  /** What is told: that of the present session, and others until they have ended. */
  private final List<Log> logs = new ArrayList<>();

  /** The sessions that were there in the last round. */
  private Set<Session> known = Set.of();

  /** The log of a session, and the number of the next event that is told. */
  private static final class Log {
    final Session session;
    long next;

    Log(Session session, long next) {
      this.session = session;
      this.next = next;
    }
  }

  EventPump(
      QmpServer server, PresentSession present, GuestControl guest, Capabilities capabilities) {
    this.server = server;
    this.present = present;
    this.guest = guest;
    this.capabilities = capabilities;
    thread = Thread.ofPlatform().daemon().name("qmp events").unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  private void run() {
    var ticker = new Ticker();
    while (!closed) {
      pump();
      ticker.await();
    }
    pump();
  }

  /** A round; for one thread. */
  void pump() {
    tellChanges();
    List<Session> here = present.all();
    Session now = here.isEmpty() ? null : here.getLast();
    if (now != null) {
      follow(here, now);
    }
    known = Set.copyOf(here);
    logs.removeIf(log -> isComplete(log, now));
  }

  /** Decides whose events are told: those of the present session, and of what it has replaced. */
  private void follow(List<Session> here, Session now) {
    here.stream()
        .filter(session -> !known.contains(session) && session.role() == now.role())
        .forEach(session -> logs.add(new Log(session, 0)));
    if (logs.stream().noneMatch(log -> log.session.equals(now))) {
      // Those after it were removed.
      logs.add(new Log(now, now.telemetry().log().size()));
    }
    // The destination of a lab is there before its source; no other one is replaced while it runs.
    logs.removeIf(log -> !log.session.equals(now) && !log.session.status().isEnd());
  }

  /** Tells what a session has written since; returns whether that was the last of it. */
  private boolean isComplete(Log of, @Nullable Session now) {
    boolean complete = !of.session.equals(now) && hasEnded(of.session);
    EventLog log = of.session.telemetry().log();
    long end = log.size();
    if (!server.hasClients()) {
      // Nobody is told later what happened before it came.
      of.next = end;
    }
    while (of.next < end) {
      of.next = log.read(of.next, PIECE, this::take);
    }
    return complete;
  }

  /** Its status is that of an end a moment before its last events are in its log. */
  private static boolean hasEnded(Session session) {
    try {
      return session.await(Duration.ZERO);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** What clients did to the guest is in no log, and may come after the end of its session. */
  private void tellChanges() {
    GuestControl.Change change = guest.nextChange();
    while (change != null) {
      server.event(change.event(), null, change.when());
      change = guest.nextChange();
    }
  }

  private boolean take(
      long number, long nanos, EventKind kind, int detail, int length, long wrid, long argument) {
    switch (kind) {
      case STATUS, ROUND_BEGIN, GUEST_PAUSED, GUEST_RESUMED ->
          tell(new Event(number, nanos, kind, detail, length, wrid, argument));
      default -> {
        // no event of QEMU
      }
    }
    return true;
  }

  private void tell(Event event) {
    Instant when = Instant.now().minusNanos(System.nanoTime() - event.nanos());
    switch (event.kind()) {
      case STATUS -> {
        if (capabilities.events()) {
          String status = MigrationAnswer.status(STATUSES[event.detail()]);
          server.event("MIGRATION", Json.of("status", status), when);
        }
      }
      case ROUND_BEGIN -> {
        if (capabilities.events()) {
          server.event("MIGRATION_PASS", Json.of("pass", event.detail()), when);
        }
      }
      case GUEST_PAUSED -> {
        if (event.detail() == 0) {
          server.event("STOP", null, when);
        }
      }
      default -> server.event("RESUME", null, when);
    }
  }

  /** Sends what has happened until now, and ends. */
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

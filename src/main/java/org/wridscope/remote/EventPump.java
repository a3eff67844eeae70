// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.wridscope.control.Session;
import org.wridscope.qmp.QmpServer;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.EventLog;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Ticker;

/**
 * Sends QEMU's events to the clients: a thread that reads the log of the present session fifty
 * times a second, so that the engine never waits for a client.
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

  /** The sessions whose events are told: the present one is the last; the others are ending. */
  private final List<Followed> followed = new ArrayList<>();

  /** A session, and the number of the event of it that is told next. */
  private static final class Followed {
    final Session session;
    long next;

    Followed(Session session) {
      this.session = session;
    }
  }

  EventPump(
      QmpServer server, PresentSession present, GuestControl guest, Capabilities capabilities) {
    this.server = server;
    this.present = present;
    this.guest = guest;
    this.capabilities = capabilities;
    thread = Thread.ofPlatform().daemon().name("qmp events").start(this::run);
  }

  private void run() {
    var ticker = new Ticker();
    while (!closed) {
      pump();
      ticker.await();
    }
    pump();
  }

  private void pump() {
    tellChanges();
    Session now = present.now().orElse(null);
    if (now == null) {
      return;
    }
    if (followed.isEmpty() || !now.equals(followed.getLast().session)) {
      followed.add(new Followed(now));
    }
    // A client may know the end of a session, and begin the next one, before its last event is
    // read.
    followed.removeIf(each -> {
      boolean told = !now.equals(each.session) && hasEnded(each.session);
      tellNew(each);
      return told;
    });
  }

  private static boolean hasEnded(Session session) {
    try {
      return session.await(Duration.ZERO);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private void tellNew(Followed of) {
    EventLog log = of.session.telemetry().log();
    long end = log.size();
    if (!server.hasClients()) {
      // Nobody is told later what happened before it came.
      of.next = end;
    }
    while (of.next < end) {
      of.next = log.read(of.next, PIECE, this::take);
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

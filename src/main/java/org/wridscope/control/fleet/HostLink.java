// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.fleet.FleetHost.Phase;
import org.wridscope.libvirt.VirtConnector;
import org.wridscope.libvirt.VirtDomain;
import org.wridscope.libvirt.VirtException;
import org.wridscope.libvirt.VirtHost;
import org.wridscope.libvirt.VirtUri;

/**
 * The connection to one host, and the thread that asks it. Nothing can interrupt a call of libvirt:
 * a thread whose host does not answer ends when libvirt gives the host up, and meanwhile {@link
 * #now} says how long it has waited. Thread-safe.
 */
final class HostLink implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HostLink.class);

  /** Time between two questions if no event arrives. */
  private static final Duration PAUSE = Duration.ofSeconds(2);

  /** Time until a connection that was lost is tried again. */
  private static final Duration RETRY = Duration.ofSeconds(5);

  private final VirtUri uri;
  private final VirtConnector connector;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // guarded by the lock
  private Phase phase = Phase.CONNECTING;
  private VirtHost.@Nullable Identity identity;
  private List<VirtDomain> domains = List.of();
  private String message = "";
  private long askedNanos = System.nanoTime();
  private boolean asking;
  private boolean closed;
  private boolean noted;

  private HostLink(VirtUri uri, VirtConnector connector) {
    this.uri = uri;
    this.connector = connector;
  }

  static HostLink start(VirtUri uri, VirtConnector connector) {
    var link = new HostLink(uri, connector);
    // Not a virtual thread: it would keep its carrier thread while it is in a call of libvirt.
    Thread.ofPlatform().daemon().name("connection to " + uri).start(link::run);
    return link;
  }

  /** What is known of the host. */
  FleetHost now() {
    lock.lock();
    try {
      // Whole seconds: what is shown changes no more often.
      long silence = asking ? TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - askedNanos) : 0;
      return new FleetHost(uri, phase, identity, domains, Duration.ofSeconds(silence), message);
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    try {
      do {
        askUntilItFails();
      } while (pause(RETRY));
    } catch (InterruptedException e) {
      LOG.debug("{}", uri, e);
    } catch (RuntimeException | Error e) {
      LOG.error("the connection to {}", uri, e);
      lost("This program made an error; see its log.");
    }
  }

  private void askUntilItFails() throws InterruptedException {
    ask();
    try (VirtHost host = connector.open(uri)) {
      host.onEvent(this::note);
      VirtHost.Identity answered = host.identity();
      do {
        ask();
        answered(answered, host.domains());
      } while (pause(PAUSE));
    } catch (VirtException e) {
      lost(e.sentence());
    }
  }

  /** A question begins. */
  private void ask() {
    lock.lock();
    try {
      askedNanos = System.nanoTime();
      asking = true;
    } finally {
      lock.unlock();
    }
  }

  private void answered(VirtHost.Identity who, List<VirtDomain> listed) {
    lock.lock();
    try {
      asking = false;
      phase = Phase.CONNECTED;
      identity = who;
      domains = listed;
      message = "";
    } finally {
      lock.unlock();
    }
  }

  private void lost(String why) {
    lock.lock();
    try {
      asking = false;
      phase = Phase.LOST;
      message = why;
    } finally {
      lock.unlock();
    }
  }

  /** Asks again soon; from libvirt's thread of events. */
  private void note() {
    lock.lock();
    try {
      noted = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the time or an event; false if the host is not to be asked any more. */
  private boolean pause(Duration time) throws InterruptedException {
    lock.lock();
    try {
      long left = time.toNanos();
      while (left > 0 && !noted && !closed) {
        left = changed.awaitNanos(left);
      }
      noted = false;
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import java.time.Duration;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.libvirt.VirtDomain;
import org.wridscope.libvirt.VirtException;
import org.wridscope.libvirt.VirtHost;
import org.wridscope.libvirt.VirtJob;

/**
 * Asks a libvirt five times a second how far a domain's migration is, and passes orders on once its
 * QEMU migrates: what libvirt begins the migration with would replace them before. Its thread waits
 * for the answers, so that nobody else has to; {@link #silence} says for how long.
 */
final class JobWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(JobWatch.class);

  private static final Duration PAUSE = Duration.ofMillis(200);

  private final VirtHost host;
  private final UUID domain;
  private final Queue<Order> orders;
  private final Semaphore news = new Semaphore(0);
  private final LinkedBlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
  private volatile long askedNanos = System.nanoTime();
  private volatile boolean asking;
  private volatile boolean abort;

  /** Only its thread uses it. */
  private boolean migrates;

  private volatile boolean closed;

  /** What libvirt said. */
  record Answer(VirtJob job, VirtDomain.State state, long nanos) {
    /** Whether QEMU migrates, rather than libvirt preparing it. */
    boolean migrates() {
      return job.state() == VirtJob.State.RUNNING && job.figure("memory_total") > 0;
    }
  }

  /** Something that libvirt is told. */
  @FunctionalInterface
  interface Order {
    void give(VirtHost host) throws VirtException;
  }

  private JobWatch(VirtHost host, UUID domain, Queue<Order> orders) {
    this.host = host;
    this.domain = domain;
    this.orders = orders;
  }

  /**
   * Starts it.
   *
   * @param host must stay open until this is closed; an answer that is waited for keeps it open
   * @param orders that it takes from; for use by several threads
   */
  static JobWatch start(VirtHost host, UUID domain, Queue<Order> orders, String name) {
    var watch = new JobWatch(host, domain, orders);
    Thread.ofPlatform().daemon().name("progress of " + name).start(watch::run);
    return watch;
  }

  /** Looks for orders now. */
  void wake() {
    news.release();
  }

  /** Cancels the migration, as soon as libvirt has begun it. */
  void abort() {
    abort = true;
    wake();
  }

  /** The next answer; null if there is none within the time. */
  @Nullable Answer poll(Duration time) throws InterruptedException {
    return answers.poll(time.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** How long the present question has no answer. */
  Duration silence() {
    return asking ? Duration.ofNanos(System.nanoTime() - askedNanos) : Duration.ZERO;
  }

  private void run() {
    try {
      while (!closed) {
        if (news.tryAcquire(PAUSE.toNanos(), TimeUnit.NANOSECONDS)) {
          news.drainPermits();
        }
        askedNanos = System.nanoTime();
        asking = true;
        if (migrates) {
          giveOrders();
        }
        ask();
        asking = false;
      }
    } catch (InterruptedException e) {
      LOG.debug("nobody interrupts this thread", e);
    } catch (RuntimeException | Error e) {
      LOG.error("the progress of a migration", e);
    }
  }

  private void giveOrders() {
    Order order = orders.poll();
    while (order != null) {
      try {
        order.give(host);
      } catch (VirtException e) {
        LOG.warn("an order to a migration: {}", e.sentence());
      }
      order = orders.poll();
    }
  }

  private void ask() {
    try {
      VirtJob job = host.job(domain);
      if (abort && job.state() == VirtJob.State.RUNNING) {
        host.abortJob(domain);
        abort = false;
      }
      VirtDomain.State state =
          host.domain(domain).map(VirtDomain::state).orElse(VirtDomain.State.UNKNOWN);
      var answer = new Answer(job, state, System.nanoTime());
      migrates = answer.migrates();
      answers.add(answer);
    } catch (VirtException e) {
      // The migration itself says how it ends; the domain may be gone by now.
      LOG.debug("the progress of a migration: {}", e.sentence());
    }
  }

  /** Ends the questions; does not wait. */
  @Override
  public void close() {
    closed = true;
    wake();
  }
}

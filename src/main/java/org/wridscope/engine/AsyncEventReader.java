// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.text.Format;
import org.wridscope.time.Time;
import org.wridscope.verbs.AsyncEvent;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.QueuePair;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.Uninterrupted;

/**
 * Reads the asynchronous events of one device on its own thread, and passes each to the handler of
 * its queue pair, or to all handlers if it is an event of the device. A device has one reader for
 * all sessions, because only one reader gets each event.
 */
final class AsyncEventReader {
  private static final Logger LOG = LoggerFactory.getLogger(AsyncEventReader.class);
  private static final ReentrantLock LOCK = new ReentrantLock();

  /** The readers that read; guarded by {@link #LOCK}. */
  private static final Map<RdmaDevice, AsyncEventReader> READERS = new HashMap<>();

  /** How long to wait for an event at a time; to end the reader, its thread is interrupted. */
  private static final Duration SLICE = Duration.ofMinutes(1);

  /** How long a handler may take, which does not block. */
  static final Duration HANDLER_LIMIT = Duration.ofSeconds(10);

  private final RdmaDevice device;
  private final QueuePairTable table = new QueuePairTable();
  private final Thread thread;
  private volatile boolean ended;

  /** Number of registrations; guarded by {@link #LOCK}. */
  private int users;

  private AsyncEventReader(RdmaDevice device) {
    this.device = device;
    thread = Time.unstarted(device.name() + "-events", this::read);
  }

  /**
   * Registration of a handler. It begins before the queue pair is created, so that no event is
   * missed, and ends before the queue pair is destroyed.
   */
  static final class Registration implements AutoCloseable {
    private final AsyncEventReader reader;
    private final AsyncEventHandler handler;
    private QueuePairTable.@Nullable Entry entry;
    private boolean expecting = true;
    private boolean closed;

    private Registration(AsyncEventReader reader, AsyncEventHandler handler) {
      this.reader = reader;
      this.handler = handler;
    }

    /** The queue pair was created; from now on its events reach the handler. */
    void enter(QueuePair queuePair) {
      try {
        entry = reader.table.enter(queuePair.number(), queuePair.workQueueIds(), handler);
      } finally {
        expectNoMore();
      }
    }

    private void expectNoMore() {
      if (expecting) {
        expecting = false;
        reader.table.expectNoMore();
      }
    }

    /** The number of the queue pair, 0 before it was entered. */
    int number() {
      QueuePairTable.Entry own = entry;
      return own == null ? 0 : own.number();
    }

    /** How many events of the queue pair are being handled now. */
    int references() {
      QueuePairTable.Entry own = entry;
      return own == null ? 0 : reader.table.references(own);
    }

    /**
     * No event reaches the handler from now on.
     *
     * @return how many are being handled, for which {@link #close} will wait
     */
    int withdraw() {
      QueuePairTable.Entry own = entry;
      return own == null ? 0 : reader.table.withdraw(own);
    }

    /**
     * Must be called before the queue pair is destroyed. Afterwards its handler is not called, and
     * no call is in progress.
     *
     * @throws MigrationException if a call does not return in time. The queue pair may be destroyed
     *     all the same: the handler has nothing but the inbox of a session that has ended
     */
    @Override
    public void close() throws MigrationException {
      if (!closed) {
        closed = true;
        expectNoMore();
        reader.leave(entry);
      }
    }

    /** Must be called after the queue pair was destroyed. */
    void destroyed() {
      QueuePairTable.Entry own = entry;
      if (own != null) {
        reader.table.destroyed(own);
      }
    }
  }

  /**
   * Registers the handler of a queue pair that is about to be created, and must be {@linkplain
   * Registration#enter entered} then.
   */
  static Registration open(RdmaDevice device, AsyncEventHandler handler) {
    while (true) {
      AsyncEventReader reader = join(device);
      if (!reader.ended) {
        return new Registration(reader, handler);
      }
      // Two readers at a time would take each other's events.
      Uninterrupted.join(reader.thread, HANDLER_LIMIT);
    }
  }

  /** Keeps the reader of a device, without a queue pair, until the registration is closed. */
  static Registration keep(RdmaDevice device) {
    Registration kept = open(device, (_, _) -> {});
    kept.expectNoMore();
    return kept;
  }

  /** The reader of a device, with one more user unless it has ended. */
  private static AsyncEventReader join(RdmaDevice device) {
    LOCK.lock();
    try {
      AsyncEventReader reader = READERS.get(device);
      if (reader == null) {
        reader = new AsyncEventReader(device);
        READERS.put(device, reader);
        Time.start(reader.thread);
      }
      if (!reader.ended) {
        reader.table.expect();
        reader.users++;
      }
      return reader;
    } finally {
      LOCK.unlock();
    }
  }

  /** Whether the events of a device are being read. */
  static boolean isReading(RdmaDevice device) {
    LOCK.lock();
    try {
      return READERS.containsKey(device);
    } finally {
      LOCK.unlock();
    }
  }

  private void leave(QueuePairTable.@Nullable Entry entry) throws MigrationException {
    boolean free = entry == null || table.remove(entry, HANDLER_LIMIT);
    if (endsWithoutUser()) {
      Time.interrupt(thread);
      Uninterrupted.join(thread, HANDLER_LIMIT);
      forget();
    }
    if (!free && entry != null) {
      throw new MigrationException(
          "The handler of an event of queue pair %d did not return within %s; the queue pair is destroyed anyway."
              .formatted(entry.number(), Format.duration(HANDLER_LIMIT.toNanos())));
    }
  }

  /** A user leaves; returns whether the reader is to end because it was the last one. */
  private boolean endsWithoutUser() {
    LOCK.lock();
    try {
      users--;
      ended |= users == 0;
      return users == 0;
    } finally {
      LOCK.unlock();
    }
  }

  private void read() {
    try {
      while (!ended) {
        AsyncEvent event = device.nextAsyncEvent(SLICE);
        if (event != null) {
          handle(event);
        }
      }
    } catch (InterruptedException e) {
      // The reader has been ended.
    } catch (VerbsException e) {
      LOG.warn("the events of {} can no longer be read: {}", device.name(), e.getMessage());
    } catch (RuntimeException | Error e) {
      LOG.error("the events of a device can no longer be read", e);
      Time.note(e);
    } finally {
      // The next session gets a reader that reads.
      forget();
    }
  }

  private void forget() {
    LOCK.lock();
    try {
      READERS.remove(device, this);
    } finally {
      LOCK.unlock();
    }
  }

  /**
   * The event is acknowledged before the reference is released: until then the device does not
   * destroy the queue pair and reuse its number.
   */
  private void handle(AsyncEvent event) {
    int id = event.queuePairNumber();
    AsyncEventType type = event.type();
    if (id == 0) {
      LOG.info("{} reports {}", device.name(), type);
      for (QueuePairTable.Entry entry : table.holdAll()) {
        try {
          call(entry, type, 0);
        } finally {
          table.release(entry);
        }
      }
      event.acknowledge();
      return;
    }
    QueuePairTable.Entry entry = table.hold(id, type);
    try {
      LOG.info("{} reports {} of queue pair {}", device.name(), type, id);
      if (entry != null) {
        call(entry, type, entry.number());
      }
    } finally {
      try {
        event.acknowledge();
      } finally {
        if (entry != null) {
          table.release(entry);
        }
      }
    }
  }

  private static void call(QueuePairTable.Entry entry, AsyncEventType type, int number) {
    try {
      entry.handler().happened(type, number);
    } catch (RuntimeException | Error e) {
      LOG.error("an event of queue pair {} could not be handled", entry.number(), e);
      Time.note(e);
    }
  }
}

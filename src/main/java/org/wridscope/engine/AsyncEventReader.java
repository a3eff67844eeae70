// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.verbs.AsyncEvent;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;

/**
 * Reads the asynchronous events of one device on a thread of its own, and hands each to whom the
 * queue pair belongs that it names, or to all when it names none. A device has one reader, however
 * many sessions it has: an event goes to whoever takes it first.
 */
final class AsyncEventReader {
  private static final Logger LOG = LoggerFactory.getLogger(AsyncEventReader.class);
  private static final Map<RdmaDevice, AsyncEventReader> READERS = new HashMap<>();

  /** Between two looks at a device without events; its end interrupts the thread. */
  private static final Duration SLICE = Duration.ofMinutes(1);

  /** How long a handler may take, which only notes what happened. */
  private static final Duration HANDLER_LIMIT = Duration.ofSeconds(10);

  private final RdmaDevice device;
  private final QueuePairTable table = new QueuePairTable();
  private final Thread thread;
  private volatile boolean ended;

  /** Queue pairs that are registered; guarded by the lock of the readers. */
  private int users;

  private AsyncEventReader(RdmaDevice device) {
    this.device = device;
    thread = Thread.ofPlatform().daemon().name(device.name() + "-events").unstarted(this::read);
  }

  /** A queue pair whose events are handed out until this is closed. */
  static final class Registration implements AutoCloseable {
    private final AsyncEventReader reader;
    private final QueuePairTable.Entry entry;
    private boolean closed;

    private Registration(AsyncEventReader reader, QueuePairTable.Entry entry) {
      this.reader = reader;
      this.entry = entry;
    }

    /** Before the queue pair is destroyed. No handler is called, or being called, afterwards. */
    @Override
    public void close() throws MigrationException {
      if (!closed) {
        closed = true;
        reader.leave(entry);
      }
    }
  }

  /**
   * Has the events of a queue pair handed to somebody.
   *
   * @param queuePairNumber of a queue pair of this device
   */
  static Registration register(RdmaDevice device, int queuePairNumber, AsyncEventHandler handler) {
    synchronized (READERS) {
      AsyncEventReader reader = READERS.get(device);
      if (reader == null) {
        reader = new AsyncEventReader(device);
        READERS.put(device, reader);
        reader.thread.start();
      }
      QueuePairTable.Entry entry = reader.table.enter(queuePairNumber, handler);
      reader.users++;
      return new Registration(reader, entry);
    }
  }

  private void leave(QueuePairTable.Entry entry) throws MigrationException {
    boolean free = table.remove(entry, HANDLER_LIMIT);
    synchronized (READERS) {
      users--;
      if (users == 0) {
        READERS.remove(device);
        end();
      }
    }
    if (!free) {
      throw new MigrationException(
          "The handler of an event of queue pair %d has not returned.".formatted(entry.number()));
    }
  }

  private void end() {
    ended = true;
    thread.interrupt();
    boolean interrupted = false;
    long end = System.nanoTime() + HANDLER_LIMIT.toNanos();
    while (thread.isAlive() && System.nanoTime() - end < 0) {
      try {
        thread.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
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
      // This is its end.
    } catch (VerbsException e) {
      LOG.warn("the events of {} cannot be read any more: {}", device.name(), e.getMessage());
    } catch (RuntimeException | Error e) {
      LOG.error("the events of a device cannot be read any more", e);
    }
  }

  /** Acknowledges at the end, since the device keeps the number until then. */
  private void handle(AsyncEvent event) {
    try {
      int number = event.queuePairNumber();
      if (number == 0) {
        table.holdAll().forEach(entry -> call(entry, event.type(), number));
      } else {
        QueuePairTable.Entry entry = table.hold(number);
        if (entry != null) {
          call(entry, event.type(), number);
        }
      }
    } finally {
      event.acknowledge();
    }
  }

  private void call(QueuePairTable.Entry entry, AsyncEventType type, int number) {
    try {
      entry.handler().happened(type, number);
    } catch (RuntimeException | Error e) {
      LOG.error("an event of queue pair {} could not be handled", entry.number(), e);
    } finally {
      table.letGo(entry);
    }
  }
}

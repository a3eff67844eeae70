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
import org.wridscope.verbs.common.Uninterrupted;

/**
 * Reads the asynchronous events of one device on its own thread, and passes each to the handler of
 * its queue pair, or to all handlers if it is an event of the device. A device has one reader for
 * all sessions, because only one reader gets each event.
 */
final class AsyncEventReader {
  private static final Logger LOG = LoggerFactory.getLogger(AsyncEventReader.class);
  private static final Map<RdmaDevice, AsyncEventReader> READERS = new HashMap<>();

  /** How long to wait for an event at a time; to end the reader, its thread is interrupted. */
  private static final Duration SLICE = Duration.ofMinutes(1);

  /** How long a handler may take, which does not block. */
  private static final Duration HANDLER_LIMIT = Duration.ofSeconds(10);

  private final RdmaDevice device;
  private final QueuePairTable table = new QueuePairTable();
  private final Thread thread;
  private volatile boolean ended;

  /** Number of registered queue pairs; guarded by {@link #READERS}. */
  private int users;

  private AsyncEventReader(RdmaDevice device) {
    this.device = device;
    thread = Thread.ofPlatform().daemon().name(device.name() + "-events").unstarted(this::read);
  }

  /** Registration of a handler, until it is closed. */
  static final class Registration implements AutoCloseable {
    private final AsyncEventReader reader;
    private final QueuePairTable.Entry entry;
    private boolean closed;

    private Registration(AsyncEventReader reader, QueuePairTable.Entry entry) {
      this.reader = reader;
      this.entry = entry;
    }

    /**
     * Must be called before the queue pair is destroyed. Afterwards its handler is not called, and
     * no call is in progress.
     */
    @Override
    public void close() throws MigrationException {
      if (!closed) {
        closed = true;
        reader.leave(entry);
      }
    }
  }

  /**
   * Registers the handler of a queue pair.
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
          "The handler of an event of queue pair %d did not return.".formatted(entry.number()));
    }
  }

  private void end() {
    ended = true;
    thread.interrupt();
    Uninterrupted.join(thread, HANDLER_LIMIT);
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
    }
  }

  /** Acknowledges the event last, since the queue pair's number is not reused before. */
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
      table.release(entry);
    }
  }
}

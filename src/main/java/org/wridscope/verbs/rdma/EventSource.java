// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.Timeout;
import org.wridscope.verbs.rdma.ffm.Descriptors;
import org.wridscope.verbs.rdma.ffm.NativeCallException;

/**
 * A descriptor that events of one kind arrive on. Threads may wait for one while another closes it:
 * the close returns only when nobody uses the descriptor any more.
 */
final class EventSource {
  /**
   * How long a thread waits in one go. {@link Thread#interrupt} does not end poll(2), and neither
   * does a close, so this is how long they take to be noticed.
   */
  private static final int SLICE_MILLIS = 20;

  private final int descriptor;
  private final String what;
  private int users;
  private boolean closed;

  /**
   * @param descriptor does not block when read
   * @param what the object that is closed, for messages
   */
  EventSource(int descriptor, String what) {
    this.descriptor = descriptor;
    this.what = what;
  }

  /** Takes an event. */
  interface Taker<T> {
    /** The next event, or null when there is none after all, or none for the caller. */
    @Nullable T take() throws NativeCallException, VerbsException;
  }

  /**
   * Waits for the next event.
   *
   * @return null when none came in time
   * @throws VerbsException with {@link Errno#EINVAL} when this is or gets closed
   */
  <T> @Nullable T next(Duration duration, Taker<T> taker)
      throws VerbsException, InterruptedException {
    Timeout timeout = new Timeout(duration);
    enter();
    try {
      while (true) {
        if (Descriptors.awaitReadable(descriptor, timeout.millis(SLICE_MILLIS))) {
          T event = taker.take();
          if (event != null) {
            return event;
          }
        }
        if (timeout.nanos() == 0) {
          return null;
        }
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        requireOpen();
      }
    } catch (NativeCallException e) {
      throw Installation.failed("waiting for an event of " + what, e);
    } finally {
      leave();
    }
  }

  private synchronized void enter() throws VerbsException {
    requireOpen();
    users++;
  }

  private synchronized void leave() {
    users--;
    notifyAll();
  }

  private synchronized void requireOpen() throws VerbsException {
    if (closed) {
      throw new VerbsException(Errno.EINVAL, what + " was closed");
    }
  }

  /** Lets nobody in any more, and waits until all have left. */
  synchronized void close() {
    closed = true;
    boolean interrupted = false;
    while (users > 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

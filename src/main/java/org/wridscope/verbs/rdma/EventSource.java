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
 * A file descriptor that delivers events of one kind. Threads may wait for events while another
 * thread closes it: closing returns when no thread uses the descriptor any more.
 */
final class EventSource {
  /**
   * How long a thread waits at a time. Neither {@link Thread#interrupt} nor closing ends poll(2),
   * so both are noticed after at most this time.
   */
  private static final int SLICE_MILLIS = 20;

  private final int descriptor;
  private final String what;
  private int users;
  private boolean closed;

  /**
   * @param descriptor a non-blocking descriptor
   * @param what name of the object, for messages
   */
  EventSource(int descriptor, String what) {
    this.descriptor = descriptor;
    this.what = what;
  }

  /** Takes an event. */
  interface Taker<T> {
    /** The next event, or null when there is none for the caller. */
    @Nullable T take() throws NativeCallException, VerbsException;
  }

  /**
   * Waits for the next event.
   *
   * @return null when none arrived in time
   * @throws VerbsException with {@link Errno#EINVAL} when this is closed before or meanwhile
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

  /** Ends all waits, and waits until no thread uses the descriptor. */
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

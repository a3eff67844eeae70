// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** What is still to be written to a client, in bounded memory. Thread-safe. */
final class Outbox {
  private final int limit;
  private final Deque<byte[]> messages = new ArrayDeque<>();
  private long bytes;
  private boolean closed;

  /**
   * @param limit bytes, more only for a single message
   */
  Outbox(int limit) {
    this.limit = limit;
  }

  /**
   * Adds a message without waiting.
   *
   * @return whether there was room
   */
  synchronized boolean offer(byte[] message) {
    if (closed || !hasRoom(message, limit)) {
      return false;
    }
    add(message);
    return true;
  }

  /**
   * Waits until the client has read enough, and adds a message; does nothing once closed.
   *
   * @return whether it was added
   */
  boolean put(byte[] message) throws InterruptedException {
    return put(message, limit);
  }

  /**
   * Waits until little is left to read, and adds a message; does nothing once closed.
   *
   * @param most bytes, with this message; more only if it is alone
   * @return whether it was added
   */
  synchronized boolean put(byte[] message, int most) throws InterruptedException {
    while (!closed && !hasRoom(message, most)) {
      wait();
    }
    if (!closed) {
      add(message);
    }
    return !closed;
  }

  private boolean hasRoom(byte[] message, int most) {
    return bytes == 0 || bytes + message.length <= most;
  }

  private void add(byte[] message) {
    messages.add(message);
    bytes += message.length;
    notifyAll();
  }

  /** Waits for a message; null when there is none any more. */
  synchronized byte @Nullable [] take() throws InterruptedException {
    while (messages.isEmpty() && !closed) {
      wait();
    }
    return messages.poll();
  }

  /** To be called when a message has been written. */
  synchronized void written(byte[] message) {
    bytes -= message.length;
    notifyAll();
  }

  /** Nothing is added any more; what is in it can still be taken. */
  synchronized void close() {
    closed = true;
    notifyAll();
  }
}

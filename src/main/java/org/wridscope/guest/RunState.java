// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

/** Whether a guest runs, has ever run, and is closed; and the checks that follow from it. */
final class RunState {
  private volatile boolean running;
  private boolean ran;
  private boolean closed;

  boolean isRunning() {
    return running;
  }

  void resume() {
    requireOpen();
    running = true;
    ran = true;
  }

  void pause() {
    running = false;
  }

  /** Returns false when it was closed already. */
  boolean close() {
    boolean first = !closed;
    closed = true;
    running = false;
    return first;
  }

  void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the guest is closed");
    }
  }

  void requirePaused() {
    requireOpen();
    if (running) {
      throw new IllegalStateException("the guest must be paused for this");
    }
  }

  /** Checks that the guest can take over a device state. */
  void requireLoadable() {
    requirePaused();
    if (ran) {
      throw new IllegalStateException("the guest has run already: it cannot take over a state");
    }
  }
}

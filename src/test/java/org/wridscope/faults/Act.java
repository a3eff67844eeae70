// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

/** A fault that is injected at a message. */
enum Act {
  KILL(true),
  TERM(true),
  INT(true),
  HUP(true),
  /** SIGSTOP, and SIGCONT 20 s later. */
  STOP(true),
  /** The connection breaks at once. */
  CUT(false),
  /** The connection transfers nothing more, and neither end is notified. */
  STALL(false),
  /** The next message of an end is delayed by 20 s. */
  DELAY(false);

  static final int SECONDS = 20;

  private final boolean signal;

  Act(boolean signal) {
    this.signal = signal;
  }

  /** Whether it is a signal to the process of one end. */
  boolean isSignal() {
    return signal;
  }

  /** Whether it affects one end, not the connection between them. */
  boolean hasVictim() {
    return signal || this == DELAY;
  }
}

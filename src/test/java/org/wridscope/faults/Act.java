// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

/** What happens at a message. */
enum Act {
  KILL(true),
  TERM(true),
  INT(true),
  HUP(true),
  /** SIGSTOP, and SIGCONT 20 s later. */
  STOP(true),
  /** The connection is gone at once. */
  CUT(false),
  /** Nothing passes on the connection any more, and nobody is told. */
  STALL(false),
  /** An end's next message leaves 20 s later. */
  DELAY(false);

  static final int SECONDS = 20;

  private final boolean signal;

  Act(boolean signal) {
    this.signal = signal;
  }

  /** Whether it is a signal to the process of an end. */
  boolean isSignal() {
    return signal;
  }

  /** Whether it happens to one of the ends, and not to what is between them. */
  boolean hasVictim() {
    return signal || this == DELAY;
  }
}

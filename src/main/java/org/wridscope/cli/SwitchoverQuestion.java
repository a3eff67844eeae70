// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import org.wridscope.control.Session;

/** Asks the user to permit the switch-over of a source that waits for permission. */
final class SwitchoverQuestion {
  private final Terminal terminal;
  private final Session source;
  private boolean asked;

  SwitchoverQuestion(Terminal terminal, Session source) {
    this.terminal = terminal;
    this.source = source;
  }

  /** Asks, or looks for the answer; what was typed before is none. To be called repeatedly. */
  void update() {
    boolean answered = terminal.hasLine();
    if (!source.heldBeforeSwitchover()) {
      return;
    }
    if (asked && answered) {
      source.permitSwitchover();
    } else if (!asked) {
      asked = true;
      terminal.message(
          "Ready to switch over. Press Enter to hand the guest over, or Ctrl-C to cancel.");
    }
  }
}

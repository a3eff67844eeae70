// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

/** A check box of a form, in the order in which dialogs show them. */
public enum Option {
  PIN_ALL("Register all RAM at the beginning (pin-all)"),
  UNREGISTER("Unregister RAM as soon as it has been sent"),
  PAUSE("Wait before the switch-over, until you continue"),
  AUTO_CONVERGE("Slow the guest down until it converges (auto-converge)"),
  MOVE_DEFINITION("Move the definition of a persistent domain, too"),
  UNSAFE("Skip libvirt's check of the disks (unsafe)"),
  START_GUEST("Start the guest even if QEMU was started with -S"),
  REFUSE_PIN_ALL("Refuse pin-all at the destination"),
  VERIFY("Compare the RAM before the start (longer downtime)"),
  MONITORED("Keep events and history for the views");

  private final String label;

  Option(String label) {
    this.label = label;
  }

  public String label() {
    return label;
  }
}

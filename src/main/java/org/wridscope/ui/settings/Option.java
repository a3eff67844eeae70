// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

/** A check box of a form, in the order in which dialogs show them. */
public enum Option {
  PIN_ALL(
      "Register all RAM at the beginning (pin-all)",
      "No keys are asked for during rounds, but all RAM stays in physical memory at both ends,"
          + " and the set-up takes longer."),
  UNREGISTER(
      "Unregister RAM as soon as it has been sent",
      "Both ends release a registration when nothing of it is in transit. It pins less RAM, and"
          + " registers again what is written again."),
  PAUSE(
      "Wait before the switch-over, until you continue",
      "The migration keeps sending what the guest writes until you press Switch over."),
  AUTO_CONVERGE(
      "Slow the guest down until it converges (auto-converge)",
      "QEMU takes time from the virtual processors, more and more, as long as rounds do not get"
          + " shorter."),
  MOVE_DEFINITION(
      "Move the definition of a persistent domain, too",
      "The domain is defined at the destination and no longer at the source."),
  UNSAFE(
      "Skip libvirt's check of the disks (unsafe)",
      "Use it only if both hosts see the same disks, and neither caches their content."),
  START_GUEST(
      "Start the guest even if QEMU was started with -S",
      "Otherwise a guest that QEMU was told not to start stays paused at the destination."),
  REFUSE_PIN_ALL(
      "Refuse pin-all at the destination",
      "The destination answers that it does not pin all RAM. A Wridscope source then registers"
          + " RAM in chunks; a QEMU source is rejected."),
  VERIFY(
      "Compare the RAM before the start (longer downtime)",
      "Reads all RAM at both ends while the guest is paused, so that a difference is found"
          + " before the guest runs."),
  MONITORED(
      "Keep events and history for the views",
      "Without them a migration is a little faster, and views, Explain and recordings of it"
          + " stay empty.");

  private final String label;
  private final String hint;

  Option(String label, String hint) {
    this.label = label;
    this.hint = hint;
  }

  public String label() {
    return label;
  }

  /** Sentences that say what follows from it. */
  public String hint() {
    return hint;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import org.wridscope.ui.Texts;

/** A check box of a form, in the order in which dialogs show them. */
public enum Option {
  PIN_ALL(
      Texts.of("Register all RAM at the beginning (pin-all)"),
      Texts.of(
          "No keys are asked for during rounds, but all RAM stays in physical memory at both ends,"
              + " and the set-up takes longer.")),
  UNREGISTER(
      Texts.of("Unregister RAM as soon as it has been sent"),
      Texts.of(
          "Both ends release a registration when nothing of it is in transit. It pins less RAM, and"
              + " registers again what is written again.")),
  PAUSE(
      Texts.of("Wait before the switch-over, until you continue"),
      Texts.of("The migration keeps sending what the guest writes until you press Switch over.")),
  AUTO_CONVERGE(
      Texts.of("Slow the guest down until it converges (auto-converge)"),
      Texts.of(
          "QEMU takes time from the virtual processors, more and more, as long as rounds do not get"
              + " shorter.")),
  MOVE_DEFINITION(
      Texts.of("Move the definition of a persistent domain, too"),
      Texts.of("The domain is defined at the destination and no longer at the source.")),
  UNSAFE(
      Texts.of("Skip libvirt's check of the disks (unsafe)"),
      Texts.of("Use it only if both hosts see the same disks, and neither caches their content.")),
  START_GUEST(
      Texts.of("Start the guest even if QEMU was started with -S"),
      Texts.of(
          "Otherwise a guest that QEMU was told not to start stays paused at the destination.")),
  REFUSE_PIN_ALL(
      Texts.of("Refuse pin-all at the destination"),
      Texts.of(
          "The destination answers that it does not pin all RAM. A Wridscope source then registers"
              + " RAM in chunks; a QEMU source is rejected.")),
  VERIFY(
      Texts.of("Compare the RAM before the start (longer downtime)"),
      Texts.of(
          "Reads all RAM at both ends while the guest is paused, so that a difference is found"
              + " before the guest runs.")),
  MONITORED(
      Texts.of("Keep events and history for the views"),
      Texts.of(
          "Without them a migration is a little faster, and views, Explain and recordings of it"
              + " stay empty."));

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

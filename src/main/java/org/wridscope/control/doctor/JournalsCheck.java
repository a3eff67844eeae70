// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.wridscope.guest.qemu.Journal;
import org.wridscope.guest.qemu.Journals;

/** Checks for QEMUs that a killed process left changed. */
final class JournalsCheck implements Check {

  @Override
  public String title() {
    return "changed QEMUs";
  }

  @Override
  public CheckResult run(Machine machine, Question question) {
    Journals.Listing left;
    try {
      left = machine.journals().left();
    } catch (IOException e) {
      return CheckResult.note(this, "Journals of QEMUs cannot be read: " + e.getMessage());
    }
    if (left.journals().isEmpty() && left.unreadable().isEmpty()) {
      return CheckResult.ok(this, "No QEMU was left changed by a Wridscope that was killed.");
    }
    List<String> sentences =
        new ArrayList<>(left.journals().stream().map(Journal::entry).map(Journals::left).toList());
    sentences.addAll(left.unreadable());
    return CheckResult.warning(
        this,
        String.join(" ", sentences),
        left.journals().isEmpty()
            ? "Look at the file; delete it once the QEMU is as it should be."
            : "Until then, what migrate saves to a file may lack RAM, and it may be open which end"
                + " has the guest.",
        left.journals().isEmpty()
            ? ""
            : Journals.command(left.journals().getFirst().entry().qemu().qmp()));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.wridscope.control.Leftovers;
import org.wridscope.guest.Leftover;

/** Checks for captured guests that a killed process left unfinished. */
final class CapturesCheck implements Check {

  @Override
  public String title() {
    return "captures";
  }

  @Override
  public CheckResult run(Machine machine, Question question) {
    var found = new ArrayList<Leftover>();
    for (Path folder : machine.captureFolders()) {
      try {
        found.addAll(Leftover.in(folder));
      } catch (IOException e) {
        // This user cannot have captured a guest in a directory that it may not read.
      }
    }
    List<Leftover> all = found.stream().distinct().toList();
    if (all.isEmpty()) {
      return CheckResult.ok(this, "There are no unfinished captures in the known directories.");
    }
    String sentences = all.stream().map(Leftovers::sentence).collect(Collectors.joining(" "));
    Optional<Leftover> whole = all.stream().filter(Leftover::seemsWhole).findFirst();
    return whole
        .map(leftover ->
            CheckResult.warning(
                this,
                sentences,
                "Make sure that the guest no longer runs at its source, then finish the capture.",
                Leftovers.command(leftover)))
        .orElseGet(() -> CheckResult.note(this, sentences));
  }
}

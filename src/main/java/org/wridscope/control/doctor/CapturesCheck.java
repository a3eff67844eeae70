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

/** Whether captures were left unfinished by a process that ended too early. */
final class CapturesCheck implements Check {

  @Override
  public String title() {
    return "captures";
  }

  @Override
  public Finding look(Machine machine, Question question) {
    var found = new ArrayList<Leftover>();
    for (Path folder : machine.captureFolders()) {
      try {
        found.addAll(Leftover.in(folder));
      } catch (IOException e) {
        // What may not be read was not captured by this user.
      }
    }
    List<Leftover> all = found.stream().distinct().toList();
    if (all.isEmpty()) {
      return Finding.ok(this, "No capture was left unfinished in the folders that are known.");
    }
    String sentences = all.stream().map(Leftovers::sentence).collect(Collectors.joining(" "));
    Optional<Leftover> whole = all.stream().filter(Leftover::seemsWhole).findFirst();
    return whole
        .map(leftover ->
            Finding.warning(
                this,
                sentences,
                "Make sure that the guest does not run at its source, and finish the capture.",
                Leftovers.command(leftover)))
        .orElseGet(() -> Finding.note(this, sentences));
  }
}

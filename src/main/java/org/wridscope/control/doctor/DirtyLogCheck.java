// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.wridscope.process.WriteTrackers;
import org.wridscope.text.Format;

/** Says how the pages are found here that the guest of a QEMU writes. */
final class DirtyLogCheck implements Check {

  @Override
  public String title() {
    return "dirty log";
  }

  @Override
  public CheckResult run(Machine machine, Question question) {
    List<String> obstacles = new ArrayList<>();
    for (WriteTrackers.Kind kind : WriteTrackers.Kind.values()) {
      Optional<String> obstacle = machine.dirtyLogObstacle(kind);
      if (obstacle.isEmpty()) {
        return found(kind, obstacles);
      }
      obstacles.add(Format.capitalized(obstacle.get()));
    }
    throw new IllegalStateException("comparing is always possible");
  }

  private CheckResult found(WriteTrackers.Kind kind, List<String> obstacles) {
    String found = "The pages that a QEMU's guest writes are found ";
    return switch (kind) {
      case USERFAULTFD -> CheckResult.ok(this, found + "by userfaultfd.");
      case SOFT_DIRTY ->
          CheckResult.note(
              this,
              found
                  + "by soft-dirty bits, for which the guest is held for some milliseconds in each"
                  + " round. "
                  + String.join(" ", obstacles));
      case COMPARE ->
          CheckResult.note(
              this,
              found
                  + "by comparing, which needs as much memory as its RAM and reads all of it in each"
                  + " round. "
                  + String.join(" ", obstacles));
    };
  }
}

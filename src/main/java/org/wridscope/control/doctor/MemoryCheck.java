// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.wridscope.memory.AvailableMemory;
import org.wridscope.text.Format;

/** Checks that the RAM of a guest fits into the memory that this machine can still give. */
final class MemoryCheck implements Check {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  @Override
  public String title() {
    return "free memory";
  }

  @Override
  public CheckResult run(Machine machine, Question question) {
    OptionalLong room = machine.freeBytes(SHARED_MEMORY);
    Optional<AvailableMemory> least =
        Stream.concat(
                AvailableMemory.least(machine.root()).stream(),
                room.stream()
                    .mapToObj(bytes -> new AvailableMemory(bytes, "free in " + SHARED_MEMORY)))
            .min(Comparator.comparingLong(AvailableMemory::bytes));
    String ram = Format.bytes(question.ramBytes());
    if (least.isEmpty()) {
      return CheckResult.note(this, "How much memory this machine has free is not known.");
    }
    AvailableMemory free = least.orElseThrow();
    if (free.bytes() >= question.ramBytes()) {
      return CheckResult.ok(
          this, "A guest with %s of RAM fits into %s.".formatted(ram, free.text()));
    }
    return CheckResult.warning(
        this,
        "A guest that uses all of its %s of RAM does not fit into %s; only what it has touched needs"
                .formatted(ram, free.text())
            + " memory here.",
        "Look up what the guest uses in the overview or the report of its source, and free or allow"
            + " as much here before a migration to this machine.",
        "");
  }
}

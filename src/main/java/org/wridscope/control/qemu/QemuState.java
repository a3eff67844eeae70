// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.wridscope.qmp.MemoryBackend;
import org.wridscope.qmp.MigrationInfo;
import org.wridscope.qmp.RunState;

/**
 * What a QEMU says about itself.
 *
 * @param name of the guest, as given by {@code -name}; may be empty
 * @param version for example {@code 7.2.22 (Debian 1:7.2+dfsg-7)}
 * @param process its process; empty if that is not on this machine, or not found
 * @param run what its guest does
 * @param migration the status in {@code query-migrate}
 * @param backends its memory back ends
 * @param blocks its RAM blocks; empty if it does not tell
 * @param capabilities its migration capabilities, and whether they are on
 * @param take whether Wridscope's engine can migrate its guest away
 * @param fill whether Wridscope's engine can fill it with a guest that arrives
 */
public record QemuState(
    String name,
    String version,
    OptionalLong process,
    RunState run,
    String migration,
    List<MemoryBackend> backends,
    List<Block> blocks,
    Map<String, Boolean> capabilities,
    Fitness take,
    Fitness fill) {

  /**
   * A RAM block.
   *
   * @param length bytes in use
   */
  public record Block(String name, long length) {}

  public QemuState {
    backends = List.copyOf(backends);
    blocks = List.copyOf(blocks);
    capabilities = Map.copyOf(capabilities);
  }

  /** Whether it waits for a guest and does not listen for one yet. */
  public boolean waits() {
    return isIncoming() && migration.equals("none");
  }

  /** Whether it is the destination of a migration that has not arrived. */
  public boolean isIncoming() {
    return run.status().equals("inmigrate");
  }

  /** Whether it has a guest that can be migrated away now. */
  public boolean hasGuest() {
    return !isIncoming() && !run.status().equals("postmigrate") && !migrates();
  }

  /** Whether a migration is under way, out of it or into it. */
  public boolean migrates() {
    return MigrationInfo.isInProgress(migration, run);
  }

  /** What it does, in a few words. */
  public String condition() {
    return switch (run.status()) {
      case "inmigrate" -> migration.equals("none") ? "waits for a guest" : "listens for a guest";
      case "postmigrate" -> "guest has left";
      case "running" -> migrates() ? "running, migrating" : "running";
      default -> run.status();
    };
  }

  /** The bytes of all RAM blocks, or of the back ends if the blocks are not known; 0 if neither. */
  public long ramBytes() {
    return blocks.isEmpty()
        ? backends.stream().mapToLong(MemoryBackend::size).sum()
        : blocks.stream().mapToLong(Block::length).sum();
  }
}

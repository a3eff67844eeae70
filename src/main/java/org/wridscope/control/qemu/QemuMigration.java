// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A migration from one QEMU to another. The guest stands still all the time, so that nothing but
 * the migration takes part; its RAM is the content of a file.
 *
 * @param uri where the destination listens and the source goes, for example {@code
 *     tcp:127.0.0.1:4444}
 * @param capabilities to be switched on at both ends, for example {@code rdma-pin-all}
 */
public record QemuMigration(String uri, List<String> capabilities) {
  private static final Duration TIMEOUT = Duration.ofMinutes(10);

  public QemuMigration {
    capabilities = List.copyOf(capabilities);
  }

  /**
   * Runs it.
   *
   * @param ram a file as long as the guest's RAM, a multiple of 1 MiB
   * @param directory for the logs of both QEMUs
   * @return its total time as QEMU measured it, set-up included, to the millisecond
   * @throws IOException when it did not complete
   */
  public Duration run(Path ram, Path directory) throws IOException, InterruptedException {
    long bytes = Files.size(ram);
    // Page faults are no part of a migration, at neither end and neither program.
    String empty = "memory-backend-ram,prealloc=on";
    String filled = "memory-backend-file,share=off,prealloc=on,mem-path=" + ram;
    try (Qemu destination =
            start(empty, bytes, directory.resolve("destination.log"), "-incoming", "defer");
        Qemu source = start(filled, bytes, directory.resolve("source.log"))) {
      for (String capability : capabilities) {
        destination.qmp().enable(capability);
        source.qmp().enable(capability);
      }
      source.qmp().liftBandwidthLimit();
      destination.qmp().listen(uri);
      source.qmp().migrate(uri);
      JsonObject state = source.qmp().awaitMigration(TIMEOUT);
      String status = state.get("status").getAsString();
      if (!status.equals("completed")) {
        throw new QmpException(
            "QEMU's migration to %s ended as '%s': %s"
                .formatted(uri, status, source.qmp().lastMessage()));
      }
      return Duration.ofMillis(state.get("total-time").getAsLong());
    }
  }

  private static Qemu start(String memory, long bytes, Path log, String... more)
      throws IOException, InterruptedException {
    var arguments =
        new ArrayList<String>(
            List.of("-accel", "tcg", "-nodefaults", "-display", "none", "-S", "-m", bytes + "B"));
    arguments.addAll(List.of("-object", "%s,id=pc.ram,size=%d".formatted(memory, bytes)));
    arguments.addAll(List.of("-machine", "pc,memory-backend=pc.ram"));
    arguments.addAll(List.of(more));
    return Qemu.start(arguments, log);
  }
}

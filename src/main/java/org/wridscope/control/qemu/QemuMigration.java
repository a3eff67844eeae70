// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.wridscope.host.Processor;
import org.wridscope.qmp.MigrationInfo;
import org.wridscope.qmp.QemuMonitor;

/**
 * A migration from one QEMU to another, by QEMU's own engine.
 *
 * @param uri address of the destination, for example {@code tcp:127.0.0.1:4444}
 * @param capabilities to be enabled at both ends, for example {@code rdma-pin-all}
 */
public record QemuMigration(String uri, List<String> capabilities) {
  private static final Duration TIMEOUT = Duration.ofMinutes(10);
  private static final Duration POLL = Duration.ofMillis(20);

  /** Bytes per second; the default is 128 MiB/s. */
  private static final long UNLIMITED = 1L << 40;

  public QemuMigration {
    capabilities = List.copyOf(capabilities);
  }

  /**
   * Migrates a guest that is paused throughout, so that only the migration is measured.
   *
   * @param ram a file with the guest's RAM, whose length is a multiple of 1 MiB
   * @param directory for the logs of both QEMUs
   * @return the total time measured by QEMU, including the set-up, in whole milliseconds
   * @throws IOException if it did not complete
   */
  public Duration run(Path ram, Path directory) throws IOException, InterruptedException {
    long bytes = Files.size(ram);
    // Preallocated at both ends, so that page faults are not measured; Wridscope does the same.
    String empty = "memory-backend-ram,prealloc=on";
    String filled = "memory-backend-file,share=off,prealloc=on,mem-path=" + ram;
    try (Qemu destination =
            start(empty, bytes, directory.resolve("destination.log"), "-incoming", "defer");
        Qemu source = start(filled, bytes, directory.resolve("source.log"))) {
      return run(source.monitor(), destination.monitor());
    }
  }

  /**
   * Runs the migration.
   *
   * @param source a QEMU with a guest
   * @param destination a QEMU that was started with {@code -incoming defer}
   * @return the total time measured by QEMU, including the set-up, in whole milliseconds
   * @throws IOException if it did not complete
   */
  Duration run(QemuMonitor source, QemuMonitor destination)
      throws IOException, InterruptedException {
    if (!capabilities.isEmpty()) {
      Map<String, Boolean> enabled =
          capabilities.stream().collect(Collectors.toMap(Function.identity(), _ -> true));
      destination.setCapabilities(enabled);
      source.setCapabilities(enabled);
    }
    var parameters = new JsonObject();
    parameters.addProperty("max-bandwidth", UNLIMITED);
    source.setParameters(parameters);
    destination.migrateIncoming(uri);
    source.migrate(uri);
    return awaitEnd(source);
  }

  /** Returns the total time. */
  private Duration awaitEnd(QemuMonitor source) throws IOException, InterruptedException {
    long end = System.nanoTime() + TIMEOUT.toNanos();
    while (true) {
      MigrationInfo migration = source.migration();
      Duration total = migration.totalTime().orElse(Duration.ZERO);
      // QEMU reports the status shortly before the total time, which is 0 until then.
      if (migration.status().equals("completed") && total.isPositive()) {
        return total;
      }
      if (List.of("failed", "cancelled").contains(migration.status())) {
        throw new IOException(
            "QEMU's migration to %s ended as '%s': %s"
                .formatted(
                    uri, migration.status(), migration.errorDesc().orElse("it gives no reason.")));
      }
      if (System.nanoTime() > end) {
        throw new IOException(
            "QEMU's migration to %s was still '%s' after %d s."
                .formatted(uri, migration.status(), TIMEOUT.toSeconds()));
      }
      Thread.sleep(POLL);
    }
  }

  private static Qemu start(String memory, long bytes, Path log, String... more)
      throws IOException, InterruptedException {
    var arguments =
        new ArrayList<String>(
            List.of("-accel", "tcg", "-nodefaults", "-display", "none", "-S", "-m", bytes + "B"));
    arguments.addAll(List.of("-object", "%s,id=pc.ram,size=%d".formatted(memory, bytes)));
    arguments.addAll(
        Processor.HERE == Processor.X86_64
            ? List.of("-machine", "pc,memory-backend=pc.ram")
            : List.of("-machine", "virt,memory-backend=pc.ram", "-cpu", "max"));
    arguments.addAll(List.of(more));
    return Qemu.start(Processor.HERE.qemu(), arguments, log);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.wridscope.control.qemu.CounterGuest;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;

/** A QEMU whose guest counts in its RAM for ever, controlled through QMP. */
final class Qemu implements AutoCloseable {
  static final int RAM_MIB = 32;

  private static final Gson GSON = new Gson();
  private static final String PROGRAM = "qemu-system-x86_64";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Its writes to one MiB end in a switch-over even on a starved link. */
  private static final CounterGuest GUEST =
      new CounterGuest((long) RAM_MIB << 20, 1 << 20, 1 << 20, false);

  private final Path folder;
  private final Process process;
  private final QemuMonitor monitor;
  private final Path errors;

  /**
   * @param folder for its files, with a short name without blanks
   * @param machine a machine type
   */
  Qemu(Path folder, String machine, String... more) throws IOException, InterruptedException {
    this.folder = folder;
    errors = Files.createTempFile(folder, "qemu", ".log");
    var command =
        new ArrayList<>(
            List.of(PROGRAM, "-accel", "tcg", "-machine", machine, "-m", String.valueOf(RAM_MIB)));
    command.addAll(List.of("-display", "none", "-nodefaults", "-vga", "std", "-qmp", "stdio"));
    command.addAll(
        List.of(
            "-drive",
            "file=%s,format=raw,if=floppy,readonly=on"
                .formatted(Files.write(folder.resolve("floppy.img"), GUEST.floppy())),
            "-boot",
            "a"));
    command.addAll(List.of(more));
    process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    monitor = new QemuMonitor(Qmp.overStdio(process, PATIENCE));
  }

  /** Whether a supported QEMU is installed. */
  static boolean isInstalled() {
    try {
      Process version = new ProcessBuilder(PROGRAM, "--version").start();
      return version.waitFor(20, TimeUnit.SECONDS) && version.exitValue() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Executes a command, its arguments given as names and values in turn. */
  JsonElement execute(String command, Object... arguments)
      throws IOException, InterruptedException {
    var named = new JsonObject();
    for (int i = 0; i < arguments.length; i += 2) {
      named.add((String) arguments[i], GSON.toJsonTree(arguments[i + 1]));
    }
    return monitor.qmp().execute(command, named);
  }

  void setCapability(String name, boolean state) throws IOException, InterruptedException {
    monitor.setCapabilities(Map.of(name, state));
  }

  /** All physical memory of the guest. */
  byte[] ram() throws IOException, InterruptedException {
    return memory(0, RAM_MIB << 20);
  }

  private byte[] memory(long from, int length) throws IOException, InterruptedException {
    Path file = folder.resolve("memory");
    execute("pmemsave", "val", from, "size", length, "filename", file.toString());
    return Files.readAllBytes(file);
  }

  /** The value of the guest's counter. */
  int counter() throws IOException, InterruptedException {
    return ByteBuffer.wrap(memory(CounterGuest.COUNT, 4)).order(ByteOrder.LITTLE_ENDIAN).getInt();
  }

  /** Waits until the guest's counter has changed. */
  void awaitCounting() throws IOException, InterruptedException {
    int before = counter();
    await("the guest to count on from " + before, () -> counter() > before + 2);
  }

  /** Saves the guest in a file, as its user would. */
  void save(Path file) throws IOException, InterruptedException {
    migrate("exec:cat > " + file);
    await(
        "the migration",
        () -> {
          String status = status("query-migrate");
          assertThat(status).as(() -> log()).isNotEqualTo("failed");
          return status.equals("completed");
        });
  }

  /** Starts to migrate the guest away, as fast as it can go unless that was set. */
  void migrate(String uri) throws IOException, InterruptedException {
    monitor.migrate(uri);
  }

  void awaitMigrationActive() throws IOException, InterruptedException {
    await("the migration to be active", () -> status("query-migrate").equals("active"));
  }

  /** Waits for it to end by itself. Returns its log. */
  String awaitEnd() throws InterruptedException {
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as(log()).isTrue();
    return log();
  }

  /** Waits until the guest has arrived. */
  void awaitLoaded() throws IOException, InterruptedException {
    await("the guest to come in", () -> !status("query-status").equals("inmigrate"));
  }

  private String status(String query) throws IOException, InterruptedException {
    JsonElement status = execute(query).getAsJsonObject().get("status");
    return status == null ? "" : status.getAsString();
  }

  private String log() {
    try {
      return Files.readString(errors);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** A condition that QEMU is asked for. */
  @FunctionalInterface
  private interface Condition {
    boolean holds() throws IOException, InterruptedException;
  }

  private void await(String what, Condition done) throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!done.holds()) {
      assertThat(System.nanoTime()).as("waiting for %s: %s", what, log()).isLessThan(end);
      Thread.sleep(20);
    }
  }

  /** Ends it as a crash does. */
  void kill() {
    process.destroyForcibly();
  }

  @Override
  public void close() {
    kill();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

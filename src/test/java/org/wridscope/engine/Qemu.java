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
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;

/** A QEMU whose guest counts in its RAM for ever, controlled through QMP. */
final class Qemu implements AutoCloseable {
  static final int RAM_MIB = 64;

  private static final Gson GSON = new Gson();
  private static final String PROGRAM = "qemu-system-x86_64";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Address of the guest's counter, which begins at 0. */
  private static final long COUNTER = 0x1000;

  /**
   * A boot sector that switches to protected mode, fills 8 MiB to 40 MiB with a pattern, and then
   * counts for ever: at 0x1000, and in each page from 7 MiB to 8 MiB.
   */
  private static final String BOOT_SECTOR =
      """
      fa 31c0 8ed8                 cli; ax = 0; ds = ax
      0f0116787c                   lgdt [0x7c78]
      0f20c0 6683c801 0f22c0       cr0 |= 1
      ea197c0800                   jmp 8:0x7c19
      b810000000 8ed8              ds = 16
      bf00008000                   edi = 8 MiB
      89f8 35a5a55a5a 8907 83c704  do [edi] = edi ^ 0x5a5aa5a5, edi += 4
      81ff00008002 72ec            while edi < 40 MiB
      ff0500100000                 again: [0x1000]++
      bf00007000 a100100000        edi = 7 MiB, eax = [0x1000]
      8907 81c700100000            do [edi] = eax, edi += 4096
      81ff00008000 72f0            while edi < 8 MiB
      ebde                         jmp again
      9090909090                   to 0x7c60
      0000000000000000             no segment
      ffff0000009acf00             code: 4 GiB from 0
      ffff00000092cf00             data: 4 GiB from 0
      1700607c0000                 23 bytes at 0x7c60
      """;

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
            "file=" + floppy(folder) + ",format=raw,if=floppy,snapshot=on",
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

  private static Path floppy(Path folder) throws IOException {
    var sector = ByteBuffer.allocate(512);
    for (String line : BOOT_SECTOR.lines().toList()) {
      // The rest of the line is for people.
      String code = line.substring(0, 29);
      sector.put(HexFormat.of().parseHex(code.replace(" ", "")));
    }
    sector.putShort(510, (short) 0x55aa);
    return Files.write(folder.resolve("floppy.img"), sector.array());
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

  void setCapability(String name) throws IOException, InterruptedException {
    monitor.setCapabilities(Map.of(name, true));
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
    return ByteBuffer.wrap(memory(COUNTER, 4)).order(ByteOrder.LITTLE_ENDIAN).getInt();
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

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

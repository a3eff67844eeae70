// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A QEMU with a guest that counts in its RAM for ever, steered through QMP. */
final class Qemu implements AutoCloseable {
  static final int RAM_MIB = 64;

  private static final String PROGRAM = "qemu-system-x86_64";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Where the guest counts, from 0. */
  private static final long COUNTER = 0x1000;

  /**
   * A boot sector that switches to protected mode, fills 2 MiB to 6 MiB with a pattern, and then
   * counts for ever: at 0x1000, and in each page from 7 MiB to 8 MiB.
   */
  private static final String BOOT_SECTOR =
      """
      fa 31c0 8ed8                 cli; ax = 0; ds = ax
      0f0116787c                   lgdt [0x7c78]
      0f20c0 6683c801 0f22c0       cr0 |= 1
      ea197c0800                   jmp 8:0x7c19
      b810000000 8ed8              ds = 16
      bf00002000                   edi = 2 MiB
      89f8 35a5a55a5a 8907 83c704  do [edi] = edi ^ 0x5a5aa5a5, edi += 4
      81ff00006000 72ec            while edi < 6 MiB
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
  private final BufferedReader answers;
  private final Writer commands;
  private final Path errors;

  /**
   * @param folder where it keeps files, with a short name without blanks
   * @param machine a machine type
   */
  Qemu(Path folder, String machine, String... more) throws IOException {
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
    answers = process.inputReader(StandardCharsets.UTF_8);
    commands = process.outputWriter(StandardCharsets.UTF_8);
    answers.readLine();
    execute("qmp_capabilities");
  }

  /** Whether there is one that this was made for. */
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

  /** Executes a command. Returns what it returns. */
  JsonElement execute(String command, Object... arguments) throws IOException {
    var named = new JsonObject();
    for (int i = 0; i < arguments.length; i += 2) {
      named.add((String) arguments[i], toJson(arguments[i + 1]));
    }
    var message = new JsonObject();
    message.addProperty("execute", command);
    message.add("arguments", named);
    commands.write(message + "\n");
    commands.flush();
    while (true) {
      String line = answers.readLine();
      assertThat(line).as("%s: %s", command, Files.readString(errors)).isNotNull();
      if (!line.startsWith("{")) {
        continue; // its RDMA code prints there, too
      }
      JsonObject answer = JsonParser.parseString(line).getAsJsonObject();
      assertThat(answer.has("error")).as("%s: %s", command, answer).isFalse();
      if (answer.has("return")) {
        return answer.get("return");
      }
    }
  }

  private static JsonElement toJson(Object value) {
    return value instanceof JsonElement json
        ? json
        : JsonParser.parseString(
            value instanceof String ? "\"" + value + "\"" : String.valueOf(value));
  }

  void setCapability(String name) throws IOException {
    execute(
        "migrate-set-capabilities",
        "capabilities",
        JsonParser.parseString("[{'capability': '%s', 'state': true}]".formatted(name)));
  }

  /** All physical memory of the guest. */
  byte[] ram() throws IOException {
    return memory(0, RAM_MIB << 20);
  }

  private byte[] memory(long from, int length) throws IOException {
    Path file = folder.resolve("memory");
    execute("pmemsave", "val", from, "size", length, "filename", file.toString());
    return Files.readAllBytes(file);
  }

  /** What the guest has counted to. */
  int counter() throws IOException {
    return ByteBuffer.wrap(memory(COUNTER, 4)).order(ByteOrder.LITTLE_ENDIAN).getInt();
  }

  /** Waits until the guest has counted on. */
  void awaitCounting() throws IOException, InterruptedException {
    int before = counter();
    await("the guest to count on from " + before, () -> count() > before + 2);
  }

  private int count() {
    try {
      return counter();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Saves the guest in a file, as its user would. */
  void save(Path file) throws IOException, InterruptedException {
    execute("migrate", "uri", "exec:cat > " + file);
    await(
        "the migration",
        () -> {
          String status = status("query-migrate");
          assertThat(status).as(() -> log()).isNotEqualTo("failed");
          return status.equals("completed");
        });
  }

  /** Starts to migrate the guest away, as fast as it can go unless that was set. */
  void migrate(String uri) throws IOException {
    execute("migrate", "uri", uri);
  }

  void awaitMigrationActive() throws InterruptedException {
    await("the migration to be active", () -> status("query-migrate").equals("active"));
  }

  /** Waits for it to end by itself. Returns its log. */
  String awaitEnd() throws InterruptedException {
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as(log()).isTrue();
    return log();
  }

  /** Waits until the guest has come in. */
  void awaitLoaded() throws InterruptedException {
    await("the guest to come in", () -> !status("query-status").equals("inmigrate"));
  }

  private String status(String query) {
    try {
      JsonElement status = execute(query).getAsJsonObject().get("status");
      return status == null ? "" : status.getAsString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String log() {
    try {
      return Files.readString(errors);
    } catch (IOException e) {
      return e.toString();
    }
  }

  private void await(String what, BooleanSupplier done) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!done.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waiting for %s: %s", what, log()).isLessThan(end);
      Thread.sleep(20);
    }
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    answers.close();
  }
}

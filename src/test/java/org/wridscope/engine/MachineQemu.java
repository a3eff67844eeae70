// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.wridscope.QuickFirmware;
import org.wridscope.TimeLimit;
import org.wridscope.control.qemu.CounterGuest;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpAddress;

/** A QEMU whose guest counts, with a QMP socket for a session and another for the test. */
final class MachineQemu implements AutoCloseable {
  static final String PROGRAM = "qemu-system-x86_64";

  /** A few times as much as a guest needs to run and to write to while it is migrated. */
  static final int RAM_MIB = 32;

  /** Its writes to one MiB end in a switch-over even on a starved link. */
  private static final CounterGuest SMALL =
      new CounterGuest((long) RAM_MIB << 20, 1 << 20, 1 << 20, false);

  private static final Gson GSON = new Gson();
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Path folder;
  private final CounterGuest guest;
  private final Path errors;
  private final Path socket;
  private final Process process;
  private final QemuMonitor monitor;

  /**
   * Starts one.
   *
   * @param folder for its files, with a short name; its own
   * @param arguments all but those for QMP, the display and the firmware
   */
  MachineQemu(Path folder, CounterGuest guest, List<String> arguments)
      throws IOException, InterruptedException {
    this(PROGRAM, folder, guest, arguments);
  }

  /**
   * Starts one of any release; see the other constructor.
   *
   * @param program a {@code qemu-system-x86_64}
   */
  MachineQemu(String program, Path folder, CounterGuest guest, List<String> arguments)
      throws IOException, InterruptedException {
    this.folder = folder;
    this.guest = guest;
    errors = Files.createTempFile(folder, "qemu", ".log");
    socket = folder.resolve("qmp");
    var command = new ArrayList<>(List.of(program, "-accel", "tcg", "-nodefaults"));
    command.addAll(List.of("-display", "none", "-qmp", "stdio"));
    command.addAll(List.of("-qmp", "unix:" + socket + ",server=on,wait=off"));
    command.addAll(QuickFirmware.write(folder.resolve("firmware"), guest));
    command.addAll(arguments);
    process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    try {
      monitor = new QemuMonitor(Qmp.overStdio(process, PATIENCE));
    } catch (IOException e) {
      throw new IOException(log(), e);
    }
  }

  /**
   * Starts one in a folder of its own.
   *
   * @param more arguments
   */
  static MachineQemu start(
      Path folder, String name, String machine, Memory memory, CounterGuest guest, String... more)
      throws IOException, InterruptedException {
    Path own = Files.createDirectory(folder.resolve(name));
    var arguments = new ArrayList<>(List.of("-machine", machine, "-vga", "std"));
    arguments.addAll(memory.arguments(own));
    arguments.addAll(List.of(more));
    return new MachineQemu(own, guest, arguments);
  }

  /**
   * Starts one that does not share its RAM, and writes little, in a new folder.
   *
   * @param more arguments
   */
  static MachineQemu small(Path folder, String machine, String... more)
      throws IOException, InterruptedException {
    var arguments = new ArrayList<>(List.of("-machine", machine, "-vga", "std"));
    arguments.addAll(List.of("-m", RAM_MIB + "M"));
    arguments.addAll(List.of(more));
    return new MachineQemu(Files.createTempDirectory(folder, "qemu"), SMALL, arguments);
  }

  /** How a guest has its RAM. */
  enum Memory {
    FILE,
    FOLDER,
    MEMFD,
    TWO_NODES,
    DIMM;

    List<String> arguments(Path own) {
      return switch (this) {
        case FILE -> file(own, RAM_MIB);
        case FOLDER -> one("memory-backend-file,mem-path=" + own, RAM_MIB);
        case MEMFD -> one("memory-backend-memfd", RAM_MIB);
        case TWO_NODES ->
            List.of(
                "-m",
                RAM_MIB + "M",
                "-object",
                "memory-backend-memfd,id=a,share=on,size=%dM".formatted(RAM_MIB / 2),
                "-object",
                "memory-backend-memfd,id=b,share=on,size=%dM".formatted(RAM_MIB / 2),
                "-numa",
                "node,memdev=a",
                "-numa",
                "node,memdev=b");
        case DIMM -> {
          var arguments = new ArrayList<>(one("memory-backend-memfd", RAM_MIB));
          arguments.set(arguments.indexOf("-m") + 1, RAM_MIB + "M,slots=1,maxmem=1G");
          arguments.addAll(
              List.of(
                  "-object",
                  "memory-backend-file,id=plugged,share=on,size=128M,mem-path="
                      + own.resolve("dimm"),
                  "-device",
                  "pc-dimm,memdev=plugged"));
          yield arguments;
        }
      };
    }

    /** All RAM in one named file. */
    static List<String> file(Path own, int mebibytes) {
      return one("memory-backend-file,mem-path=" + own.resolve("ram"), mebibytes);
    }

    private static List<String> one(String backend, int mebibytes) {
      return List.of(
          "-m",
          mebibytes + "M",
          "-object",
          "%s,id=ram0,share=on,size=%dM".formatted(backend, mebibytes),
          "-machine",
          "memory-backend=ram0");
    }
  }

  /** The machine types of this machine's QEMU, each with what the QEMU says of it. */
  private static Map<String, String> machines() throws IOException {
    Process help = new ProcessBuilder(PROGRAM, "-machine", "help").start();
    try (BufferedReader lines = help.inputReader(StandardCharsets.UTF_8)) {
      return lines
          .lines()
          .map(line -> line.split(" ", 2))
          .filter(words -> words.length == 2)
          .collect(Collectors.toMap(words -> words[0], words -> words[1]));
    }
  }

  /** Skips the test if this machine's QEMU has no machine of a type: newer ones lack old types. */
  static void assumeMachine(String type) throws IOException {
    assumeThat(machines()).as("machine types of this QEMU").containsKey(type);
  }

  /** The type for which another name stands, such as {@code pc-i440fx-7.2} for {@code pc}. */
  static String machineOf(String alias) throws IOException {
    return machines().getOrDefault(alias, alias).replaceFirst(".*\\(alias of (\\S+)\\).*", "$1");
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

  /** Where a session connects to. */
  QmpAddress address() {
    return new QmpAddress.Unix(socket);
  }

  long pid() {
    return process.pid();
  }

  QemuMonitor monitor() {
    return monitor;
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

  String status() throws IOException, InterruptedException {
    return monitor.status().status();
  }

  /** All physical memory of the guest. */
  byte[] ram() throws IOException, InterruptedException {
    return memory(guest.ramBytes());
  }

  /** The guest's physical memory from 0 on. */
  private byte[] memory(long length) throws IOException, InterruptedException {
    Path file = folder.resolve("memory");
    execute("pmemsave", "val", 0, "size", length, "filename", file.toString());
    return Files.readAllBytes(file);
  }

  /** The value of the guest's counter. */
  int count() throws IOException, InterruptedException {
    byte[] begin = memory(CounterGuest.COUNT + 4);
    return ByteBuffer.wrap(begin).order(ByteOrder.LITTLE_ENDIAN).getInt(CounterGuest.COUNT);
  }

  /** Waits until the guest has counted on. */
  void awaitCounting() throws IOException, InterruptedException {
    int before = count();
    await("the guest to count on from " + before, () -> count() > before + 2);
  }

  /** Waits until the guest has arrived. */
  void awaitLoaded() throws IOException, InterruptedException {
    await("the guest to come in", () -> !status().equals("inmigrate"));
  }

  /** Writes bytes to the beginning of a disk; a QEMU whose guest is elsewhere may not. */
  void write(String disk, int value) throws IOException, InterruptedException {
    var _ = monitor.humanMonitor("qemu-io %s \"write -P %d 0 512\"".formatted(disk, value));
  }

  void setCapability(String name, boolean state) throws IOException, InterruptedException {
    monitor.setCapabilities(Map.of(name, state));
  }

  /** Saves the guest in a file, as its user would. */
  void save(Path file) throws IOException, InterruptedException {
    monitor.migrate("exec:cat > " + file);
    await(
        "the migration",
        () -> {
          String status = monitor.migration().status();
          assertThat(status).as(this::log).isNotEqualTo("failed");
          return status.equals("completed");
        });
  }

  void awaitMigrationActive() throws IOException, InterruptedException {
    await("the migration to be active", () -> monitor.migration().status().equals("active"));
  }

  /** Waits until the process has ended. */
  void awaitEnd() throws InterruptedException {
    assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as(log()).isTrue();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Kills it, as a crash does. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }

  String log() {
    try {
      return Files.readString(errors);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** A condition that QEMU is asked for. */
  @FunctionalInterface
  interface Condition {
    boolean holds() throws IOException, InterruptedException;
  }

  void await(String what, Condition done) throws IOException, InterruptedException {
    var limit = new TimeLimit(PATIENCE);
    while (!done.holds()) {
      assertThat(limit.lasts()).as("waiting for %s: %s", what, log()).isTrue();
    }
  }

  @Override
  public void close() {
    monitor.qmp().close();
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

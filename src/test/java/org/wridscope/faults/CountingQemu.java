// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.wridscope.QuickFirmware;
import org.wridscope.TimeLimit;
import org.wridscope.control.qemu.CounterGuest;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.RunState;

/**
 * A real QEMU whose guest counts and has touched an eighth of its RAM, with a QMP socket for a
 * Wridscope and another connection.
 */
final class CountingQemu implements AutoCloseable {
  static final String PROGRAM = "qemu-system-x86_64";
  static final long RAM = 256L << 20;

  private static final CounterGuest GUEST = new CounterGuest(RAM / 8, 1 << 20, 8 << 20, false);
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final int LEAST_COUNT = 20;

  private final Path folder;
  private final Process process;
  private final QemuMonitor monitor;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment ram;
  private Map<String, Boolean> capabilities = Map.of();
  private JsonObject parameters = new JsonObject();

  /**
   * @param program a {@code qemu-system-x86_64}
   * @param folder for its files; its own
   * @param waits whether it waits for a guest
   */
  CountingQemu(String program, Path folder, boolean waits)
      throws IOException, InterruptedException {
    this(program, folder, waits, RAM);
  }

  /**
   * @param ramBytes at least {@link #RAM}; the guest touches as much of it as of that
   */
  CountingQemu(String program, Path folder, boolean waits, long ramBytes)
      throws IOException, InterruptedException {
    this.folder = Files.createDirectory(folder);
    Path memory = folder.resolve("ram");
    var command = new ArrayList<>(List.of(program, "-accel", "tcg", "-nodefaults"));
    command.addAll(List.of("-display", "none", "-qmp", "stdio"));
    command.addAll(List.of("-qmp", "unix:%s,server=on,wait=off".formatted(socket())));
    command.addAll(List.of("-m", ramBytes + "B"));
    command.addAll(
        List.of(
            "-object",
            "memory-backend-file,id=ram0,share=on,size=%d,mem-path=%s"
                .formatted(ramBytes, memory)));
    command.addAll(List.of("-machine", "pc,memory-backend=ram0"));
    command.addAll(QuickFirmware.write(this.folder.resolve("firmware"), GUEST));
    if (waits) {
      command.addAll(List.of("-incoming", "defer"));
    }
    process =
        new ProcessBuilder(command).redirectError(folder.resolve("messages").toFile()).start();
    try {
      monitor = new QemuMonitor(Qmp.overStdio(process, PATIENCE));
      try (FileChannel file = FileChannel.open(memory, StandardOpenOption.READ)) {
        ram = file.map(MapMode.READ_ONLY, 0, RAM, arena);
      }
      if (!waits && !countsOn(LEAST_COUNT, PATIENCE)) {
        throw new IOException("the guest does not count");
      }
      capabilities = monitor.capabilities();
      parameters = monitor.parameters();
    } catch (IOException | InterruptedException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  Path socket() {
    return folder.resolve("qmp");
  }

  /** Runs something each time the guest stops. */
  void onStop(Runnable task) {
    Qmp.Subscription _ =
        monitor
            .qmp()
            .onEvent(event -> {
              if (event.name().equals("STOP")) {
                task.run();
              }
            });
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Whether it waits for a guest, and no Wridscope has begun to bring one. */
  boolean isUntouched() throws IOException, InterruptedException {
    return isAlive() && monitor.status().status().equals("inmigrate") && leftovers().isEmpty();
  }

  /** Begins to migrate the guest with QEMU's own engine, as fast as it can. */
  void send(String uri) throws IOException, InterruptedException {
    var fast = new JsonObject();
    fast.addProperty("max-bandwidth", 10L << 30);
    monitor.setParameters(fast);
    monitor.migrate(uri);
  }

  /** Whether the migration of {@link #send} goes on. */
  boolean isSending() throws IOException, InterruptedException {
    return monitor.migration().isInProgress();
  }

  /** Begins to wait for the guest of another QEMU. */
  void receive(String uri) throws IOException, InterruptedException {
    monitor.migrateIncoming(uri);
  }

  /** The file of its RAM. */
  Path memory() {
    return folder.resolve("ram");
  }

  int count() {
    return CounterGuest.count(ram);
  }

  /** Whether the guest counts on by so much within the time. */
  boolean countsOn(int by, Duration limit) throws InterruptedException {
    int before = count();
    var left = new TimeLimit(limit);
    while (count() - before < by && left.lasts()) {}
    return count() - before >= by;
  }

  /** Whether the guest runs, as QEMU says and its count confirms. */
  boolean runs() throws IOException, InterruptedException {
    if (!isAlive()) {
      return false;
    }
    RunState state = monitor.status();
    if (state.running() != countsOn(state.running() ? 5 : 1, waiting(state.running()))) {
      throw new IOException(
          "QEMU says that its guest is '%s', but it counts from %d to %d"
              .formatted(state.status(), count(), count()));
    }
    return state.running();
  }

  private static Duration waiting(boolean running) {
    return running ? PATIENCE : Duration.ofMillis(100);
  }

  /** What is not as it was at the start; empty if everything is. */
  List<String> leftovers() throws IOException, InterruptedException {
    var found = new ArrayList<String>();
    if (!isAlive()) {
      return found;
    }
    Map<String, Boolean> nowCapabilities = monitor.capabilities();
    capabilities.forEach((name, before) -> {
      if (!before.equals(nowCapabilities.get(name))) {
        found.add("capability " + name);
      }
    });
    JsonObject nowParameters = monitor.parameters();
    for (String name : parameters.keySet()) {
      if (!parameters.get(name).equals(nowParameters.get(name))) {
        found.add("parameter %s: %s".formatted(name, nowParameters.get(name)));
      }
    }
    Path proc = Path.of("/proc", Long.toString(pid()));
    try (Stream<Path> links = Files.list(proc.resolve("fd"))) {
      for (Path link : links.toList()) {
        if (Files.isSymbolicLink(link)
            && Files.readSymbolicLink(link).toString().contains("userfaultfd")) {
          found.add("descriptor " + link.getFileName() + " of a userfaultfd");
        }
      }
    }
    try (Stream<Path> threads = Files.list(proc.resolve("task"))) {
      for (Path thread : threads.toList()) {
        Files.readString(thread.resolve("status"))
            .lines()
            .filter(line -> line.startsWith("TracerPid:") && !line.endsWith("\t0"))
            .forEach(found::add);
      }
    }
    // "uw": write-protected by a userfaultfd; see proc_pid_smaps(5).
    Files.readString(proc.resolve("smaps"))
        .lines()
        .filter(line -> line.startsWith("VmFlags:") && line.contains(" uw"))
        .findAny()
        .ifPresent(_ -> found.add("memory that is write-protected by a userfaultfd"));
    return found;
  }

  /**
   * Saves the guest with QEMU's own {@code migrate}, and continues it.
   *
   * @return the length of the file
   */
  long save() throws IOException, InterruptedException {
    Path file = folder.resolve("save");
    monitor.migrate("exec:cat > " + file);
    var limit = new TimeLimit(PATIENCE);
    while (monitor.migration().isInProgress() && limit.lasts()) {}
    String status = monitor.migration().status();
    if (!status.equals("completed")) {
      throw new IOException("QEMU did not save its guest: " + status);
    }
    monitor.cont();
    return Files.size(file);
  }

  String messages() {
    try {
      return Files.readString(folder.resolve("messages"));
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Override
  public void close() {
    monitor.qmp().close();
    process.destroyForcibly();
    try {
      boolean _ = process.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    arena.close();
  }
}

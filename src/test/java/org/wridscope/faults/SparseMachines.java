// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.TimeLimit;
import org.wridscope.files.Folder;
import org.wridscope.telemetry.Role;

/**
 * What {@code lab/sparse} runs: moves the guest of a QEMU that has touched little of its RAM, by
 * Wridscope and by QEMU itself, and prints how long each took and by how much the memory of both
 * ends grew. Arguments: GiB of RAM, the host of this machine's device, the device, how QEMU is to
 * be told the host, such as {@code rdma:10.9.0.1:4444}, and the program, if it is to be started as
 * users start it and not with the classes of this process.
 */
public final class SparseMachines {
  private static final long MIB = 1 << 20;
  private static final Duration PATIENCE = Duration.ofMinutes(20);
  private static final int COUNTS = 5;

  /** Lines of the source's summary with the time that the migration itself took. */
  private static final Pattern TIMES = Pattern.compile(" *(total time|downtime) .*");

  private final @Nullable Path program;
  private final long ramBytes;
  private boolean failed;

  private SparseMachines(@Nullable Path program, long ramBytes) {
    this.program = program;
    this.ramBytes = ramBytes;
  }

  public static void main(String[] args) throws Exception {
    var machines =
        new SparseMachines(
            args.length > 4 ? Path.of(args[4]) : null, Long.parseLong(args[0]) << 30);
    machines.requireRoom();
    machines.print("", "seconds", "at the source", "destination", "counts on", "RAM");
    Path folder = Files.createTempDirectory(KillSetting.folder(), "sparse");
    try {
      machines.byWridscope(folder.resolve("wridscope"), args[1], args[2]);
      machines.byQemu(folder.resolve("qemu"), args[3]);
    } finally {
      Folder.delete(folder);
    }
    System.exit(machines.failed ? 1 : 0);
  }

  /** QEMU allocates all RAM at both ends; without room for it the kernel ends it. */
  private void requireRoom() throws IOException {
    long free = Files.getFileStore(KillSetting.folder()).getUsableSpace();
    if (free < 2 * ramBytes) {
      System.err.printf(
          "%s has room for %d MiB, and QEMU takes %d MiB at both ends; name fewer GiB.%n",
          KillSetting.folder(), free / MIB, 2 * ramBytes / MIB);
      System.exit(2);
    }
  }

  private interface Move {
    /** Moves the guest; returns what is known of whether the RAM is equal. */
    String run(CountingQemu source, CountingQemu destination) throws Exception;
  }

  private void byWridscope(Path folder, String host, String device) throws Exception {
    measure(
        "Wridscope",
        folder,
        (source, destination) -> {
          long begin = System.nanoTime();
          try (var there =
              program(folder, Role.DESTINATION, "rdma:" + host + ":0", device, destination)) {
            String uri = there.uri();
            String listening = seconds(begin);
            try (var here = program(folder, Role.SOURCE, uri, device, source)) {
              if (!here.await(PATIENCE) || !there.await(PATIENCE) || here.exitCode() != 0) {
                failed = true;
                return "%s %s".formatted(here.output(), there.output());
              }
              System.out.printf(
                  "  the destination listened after %s s; the source said:%n", listening);
              here.output().lines().filter(TIMES.asMatchPredicate()).forEach(System.out::println);
              boolean equal = here.output().contains("verified: every RAM block is equal");
              failed |= !equal;
              return equal ? "equal" : here.output();
            }
          }
        });
  }

  private Program program(Path folder, Role role, String uri, String device, CountingQemu qemu)
      throws IOException {
    var arguments =
        new ArrayList<>(
            List.of(role.text(), uri, "--device", device, "--qemu", "unix:" + qemu.socket()));
    if (role == Role.DESTINATION) {
      arguments.add("--verify");
    }
    return program == null
        ? new Program(folder, folder, arguments)
        : Program.of(program, folder, arguments);
  }

  private void byQemu(Path folder, String uri) throws Exception {
    measure(
        "QEMU",
        folder,
        (source, destination) -> {
          try {
            destination.receive(uri);
            source.send(uri);
            var limit = new TimeLimit(PATIENCE);
            while (source.isSending()) {
              limit.glance("the end of QEMU's migration");
            }
          } catch (IOException e) {
            failed = true;
            return "%s %s %s".formatted(e.getMessage(), source.messages(), destination.messages());
          }
          return "not compared";
        });
  }

  private void measure(String name, Path folder, Move move) throws Exception {
    Files.createDirectory(folder);
    try (var source = new CountingQemu(CountingQemu.PROGRAM, folder.resolve("s"), false, ramBytes);
        var destination =
            new CountingQemu(CountingQemu.PROGRAM, folder.resolve("d"), true, ramBytes)) {
      long there = used(destination);
      long here = used(source);
      print(name + ", before", "", here / MIB + " MiB", there / MIB + " MiB", "", "");
      long begin = System.nanoTime();
      int count = source.count();
      String equal = move.run(source, destination);
      String seconds = seconds(begin);
      boolean on = destination.count() >= count && destination.countsOn(COUNTS, PATIENCE);
      failed |= !on;
      print(
          name + ", after",
          seconds,
          used(source) / MIB + " MiB",
          used(destination) / MIB + " MiB",
          on ? "yes" : "NO",
          equal);
    }
  }

  private static String seconds(long begin) {
    return String.format(Locale.ROOT, "%.1f", (System.nanoTime() - begin) / 1e9);
  }

  /** Bytes of memory that the file of a guest's RAM has. */
  private static long used(CountingQemu qemu) throws IOException {
    Process stat = new ProcessBuilder("stat", "-c", "%b", qemu.memory().toString()).start();
    try (BufferedReader blocks = stat.inputReader()) {
      return 512 * Long.parseLong(blocks.readLine());
    }
  }

  private void print(
      String what, String seconds, String source, String destination, String counts, String ram) {
    System.out.printf(
        "%-20s %8s %14s %14s %10s  %s%n", what, seconds, source, destination, counts, ram);
  }
}

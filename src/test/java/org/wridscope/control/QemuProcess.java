// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.wridscope.TimeLimit;
import org.wridscope.qmp.QmpAddress;

/** A QEMU with a small guest, which the firmware keeps running, and a QMP socket. */
public final class QemuProcess implements AutoCloseable {
  private static final Path PROGRAM = Path.of("/usr/bin/qemu-system-x86_64");

  /** RAM of its guest in bytes. */
  public static final int RAM = 32 << 20;

  private final Process process;
  private final QmpAddress address;

  private QemuProcess(Process process, QmpAddress address) {
    this.process = process;
    this.address = address;
  }

  /** Skips the test where QEMU is not installed. */
  public static void assumeInstalled() {
    assumeTrue(Files.isExecutable(PROGRAM), PROGRAM + " is not installed");
  }

  /** Writes a file for the guest's RAM that is not zero. */
  public static Path ram(Path directory, String name) throws IOException {
    var bytes = new byte[RAM];
    new Random(name.hashCode()).nextBytes(bytes);
    return Files.write(directory.resolve(name), bytes);
  }

  /**
   * Starts a QEMU.
   *
   * @param directory where its socket and its log are made
   * @param name of the guest and of these files
   * @param ram what is its RAM, options of {@code -object} before the id
   */
  public static QemuProcess start(Path directory, String name, String ram, String... more)
      throws IOException, InterruptedException {
    Path socket = directory.resolve(name + ".qmp");
    var command =
        new ArrayList<String>(
            List.of(PROGRAM.toString(), "-accel", "tcg", "-nodefaults", "-display", "none"));
    command.addAll(List.of("-name", name, "-m", RAM + "B"));
    command.addAll(List.of("-object", "%s,id=ram0,size=%d".formatted(ram, RAM)));
    command.addAll(List.of("-machine", "pc,memory-backend=ram0"));
    command.addAll(List.of("-qmp", "unix:%s,server=on,wait=off".formatted(socket)));
    command.addAll(List.of(more));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve(name + ".log").toFile())
            .start();
    var qemu = new QemuProcess(process, QmpAddress.parse(socket.toString()));
    var limit = new TimeLimit();
    while (!Files.exists(socket)) {
      if (!process.isAlive()) {
        throw new IOException(Files.readString(directory.resolve(name + ".log")));
      }
      limit.glance("the QMP socket");
    }
    return qemu;
  }

  /** A running guest whose RAM is a file that is not zero. */
  public static QemuProcess running(Path directory, String name, String... more)
      throws IOException, InterruptedException {
    Path ram = ram(directory, name + ".ram");
    return start(directory, name, "memory-backend-file,share=on,mem-path=" + ram, more);
  }

  /** A QEMU that waits for a guest, which it leaves paused. */
  public static QemuProcess waiting(Path directory, String name, String... more)
      throws IOException, InterruptedException {
    var options = new ArrayList<String>(List.of("-S", "-incoming", "defer"));
    options.addAll(List.of(more));
    return start(directory, name, "memory-backend-memfd,share=on", options.toArray(String[]::new));
  }

  public QmpAddress address() {
    return address;
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Kills it. */
  public void kill() {
    process.destroyForcibly();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}

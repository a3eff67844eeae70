// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.text.Legible;
import org.wridscope.verbs.common.Uninterrupted;

/** A QEMU of a {@link QemuLab}, with its RAM in a shared file and its serial port in another. */
public final class LabQemu implements AutoCloseable {
  private static final Duration END = Duration.ofSeconds(10);

  /**
   * Becomes the command that its arguments from the second on form. When standard input ends, with
   * this process at the latest, that command ends too, and the folder that is the first argument is
   * removed. Sessions of their own keep QEMUs from a Ctrl-C that is meant for Wridscope.
   */
  private static final String UNTIL_EOF =
      """
      folder=$1; shift; exec 3<&0
      (read -r _ <&3; read -r _ _ _ parent _ </proc/self/stat
       [ "$parent" = $$ ] && kill $$; rm -rf "$folder") >/dev/null 2>&1 &
      exec "$@" </dev/null 3<&-\
      """;

  private final Process process;
  private final QmpAddress.Unix address;
  private final Path ram;
  private final Path serial;
  private final Path log;

  private LabQemu(Process process, QmpAddress.Unix address, Path ram, Path serial, Path log) {
    this.process = process;
    this.address = address;
    this.ram = ram;
    this.serial = serial;
    this.log = log;
  }

  /**
   * Starts a QEMU.
   *
   * @param folder for its files
   * @param name of those files
   * @param machine its arguments for a machine that has the memory backend {@code ram}
   * @param keep whether it continues after this process
   * @param more arguments
   */
  static LabQemu start(
      Path program,
      Path folder,
      String name,
      List<String> machine,
      long ramBytes,
      boolean keep,
      List<String> more)
      throws IOException {
    QmpAddress.Unix address = address(folder, name);
    Path ram = folder.resolve(name + ".ram");
    Path serial = folder.resolve(name + ".serial");
    Path log = folder.resolve(name + ".log");
    var command = new ArrayList<String>(List.of("setsid"));
    if (!keep) {
      command.addAll(List.of("sh", "-c", UNTIL_EOF, "sh", folder.toString()));
    }
    command.addAll(List.of(program.toString(), "-name", "wridscope-" + name));
    command.addAll(List.of("-nodefaults", "-no-user-config", "-display", "none", "-accel", "tcg"));
    command.addAll(machine);
    command.addAll(List.of("-m", ramBytes + "B", "-object"));
    command.add("memory-backend-file,id=ram,share=on,size=%d,mem-path=%s".formatted(ramBytes, ram));
    command.addAll(List.of("-serial", "file:" + serial, "-qmp", address + ",server=on,wait=off"));
    command.addAll(more);
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(log.toFile())
            .start();
    return new LabQemu(process, address, ram, serial, log);
  }

  static QmpAddress.Unix address(Path folder, String name) {
    return new QmpAddress.Unix(folder.resolve(name + ".qmp"));
  }

  /** Where it accepts QMP. */
  public QmpAddress address() {
    return address;
  }

  /** The file with its RAM. */
  Path ram() {
    return ram;
  }

  long pid() {
    return process.pid();
  }

  /** For a sentence, for example {@code QEMU 4711}. */
  public String name() {
    return "QEMU " + process.pid();
  }

  boolean listens() {
    return Files.exists(address.path());
  }

  /** Everything that its guest has written to its serial port, bytes as characters. */
  String written() throws IOException {
    try {
      return Files.readString(serial, StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException _) {
      return "";
    }
  }

  /**
   * @throws IOException if it has ended, with its last message
   */
  void requireAlive() throws IOException {
    if (!process.isAlive()) {
      String last = lastMessage();
      throw new IOException(
          "QEMU ended with status %d: %s"
              .formatted(process.exitValue(), last == null ? "it wrote no message." : last));
    }
  }

  private @Nullable String lastMessage() throws IOException {
    List<String> lines = Files.readAllLines(log, StandardCharsets.ISO_8859_1);
    return lines.isEmpty() ? null : Legible.of(lines.getLast());
  }

  /** The thread of its processor, {@code /proc/PID/task/TID}. */
  Path processor() throws IOException, InterruptedException {
    try (Qmp qmp = Qmp.connect(address, END)) {
      if (qmp.execute("query-cpus-fast") instanceof JsonArray list
          && list.size() == 1
          && list.get(0) instanceof JsonObject processor
          && processor.get("thread-id") instanceof JsonPrimitive thread) {
        return Path.of("/proc", Long.toString(pid()), "task", thread.getAsString());
      }
    }
    throw new IOException("QEMU does not tell the thread of its processor.");
  }

  /** Writes nothing more from the serial port. */
  void silence() throws IOException, InterruptedException {
    var backend = new JsonObject();
    backend.addProperty("type", "null");
    backend.add("data", new JsonObject());
    var arguments = new JsonObject();
    arguments.addProperty("id", "serial0");
    arguments.add("backend", backend);
    try (Qmp qmp = Qmp.connect(address, END)) {
      var _ = qmp.execute("chardev-change", arguments);
    }
  }

  /** Ends it, whatever it does. */
  @Override
  public void close() {
    process.destroy();
    if (!Uninterrupted.exit(process, END)) {
      process.destroyForcibly();
    }
  }
}

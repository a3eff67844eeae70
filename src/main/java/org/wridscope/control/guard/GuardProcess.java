// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.guest.qemu.JournalEntry.Role;

/** A guard, as the process sees it that started it. Thread-safe. */
final class GuardProcess implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GuardProcess.class);

  /** For a virtual machine to start on an emulated processor that others use, too. */
  private static final Duration START = Duration.ofMinutes(5);

  /**
   * Detaches a command from the terminal: Ctrl-C and the end of a terminal reach the processes of
   * its session (setsid(2)), and a service manager sends SIGTERM to all of a service. Signals that
   * are ignored stay so (execve(2)). Done here and not by the guard, since calling C would double
   * the time that it takes to start.
   */
  private static final List<String> DETACHED =
      List.of(
          "/bin/sh",
          "-c",
          "trap '' HUP INT QUIT TERM;"
              + " command -v setsid >/dev/null && exec setsid \"$@\"; exec \"$@\"",
          "guard");

  /** For an answer: the guard only remembers the note, or calls one function in the QEMU. */
  private static final Duration ANSWER = Duration.ofSeconds(30);

  /** For the process to end after it was told to. */
  private static final Duration END = Duration.ofSeconds(10);

  private final Process process;
  private final Writer notes;

  /** An empty Optional marks the end of the guard's output. */
  private final BlockingQueue<Optional<String>> answers = new LinkedBlockingQueue<>();

  /** Whether an answer is missing; one that comes later would be taken for that to another note. */
  private boolean silent;

  private boolean closed;

  private GuardProcess(Process process) {
    this.process = process;
    notes = process.outputWriter(StandardCharsets.UTF_8);
    Thread.ofPlatform().daemon().name("guard " + process.pid()).start(this::read);
  }

  /**
   * Starts a guard, and does not wait for it.
   *
   * @param log the file to which it writes what it did
   * @param role for which it gets ready
   */
  static GuardProcess spawn(Path log, Role role) throws IOException {
    return new GuardProcess(
        new ProcessBuilder(command(log, role))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start());
  }

  /** Tells the guard its QEMU, and waits until it knows. If that fails, it is ended. */
  void begin(Note first) throws IOException {
    try {
      tell(first, START);
    } catch (IOException | RuntimeException | Error e) {
      process.destroyForcibly();
      throw e;
    }
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** This program's class path on this virtual machine, whose launcher may be another program. */
  private static List<String> command(Path log, Role role) throws IOException {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    if (!Files.isExecutable(java)) {
      throw new IOException("The guard of a QEMU needs %s, which is not there.".formatted(java));
    }
    var command = new ArrayList<>(DETACHED);
    command.add(java.toString());
    // -Xrs: signals stay ignored.
    command.addAll(
        List.of(
            "-Xmx32m",
            "-XX:+UseSerialGC",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:TieredStopAtLevel=1",
            "-Xrs",
            "-Xlog:disable"));
    // An archive of classes, which makes the start of a virtual machine fast.
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option ->
            option.startsWith("-XX:SharedArchiveFile=") || option.startsWith("-XX:AOTCache="))
        .forEach(command::add);
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            GuardMain.class.getName(),
            log.toString(),
            role.name()));
    return command;
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        answers.add(Optional.of(line));
      }
    } catch (IOException e) {
      LOG.debug("guard {}: {}", process.pid(), e.getMessage());
    } finally {
      answers.add(Optional.empty());
    }
  }

  /**
   * Tells the guard something, and waits until it has taken it. An interrupt does not end the wait.
   *
   * @return its answer
   * @throws IOException if it refused, is gone, or does not answer; one sentence
   */
  JsonObject tell(Note note) throws IOException {
    return tell(note, ANSWER);
  }

  private synchronized JsonObject tell(Note note, Duration limit) throws IOException {
    if (silent) {
      throw new IOException("The guard of the QEMU does not answer.");
    }
    try {
      notes.write(note.line() + "\n");
      notes.flush();
    } catch (IOException e) {
      throw new IOException("The guard of the QEMU is gone: " + e.getMessage(), e);
    }
    JsonObject answer = Note.object(answer(limit));
    if (answer.has(Note.ERROR)) {
      throw new IOException(answer.get(Note.ERROR).getAsString());
    }
    return answer;
  }

  private String answer(Duration limit) throws IOException {
    long end = System.nanoTime() + limit.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          Optional<String> line = answers.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
          if (line == null) {
            silent = true;
            throw new IOException(
                "The guard of the QEMU did not answer within %d s.".formatted(limit.toSeconds()));
          }
          if (line.isEmpty()) {
            answers.add(line);
            throw new IOException("The guard of the QEMU has ended.");
          }
          return line.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Has the guard act as at the end of this process. */
  void takeOver() {
    if (endNotes()) {
      try {
        notes.close();
      } catch (IOException e) {
        LOG.warn("the guard of the QEMU is gone: {}", e.getMessage());
      }
    }
  }

  /** Returns false if that was done before. */
  private synchronized boolean endNotes() {
    boolean first = !closed;
    closed = true;
    return first;
  }

  /** Tells the guard to leave, and waits for its end. */
  @Override
  public void close() {
    if (!endNotes()) {
      return;
    }
    try {
      tell(Note.of(Note.Kind.LEAVE));
    } catch (IOException e) {
      LOG.warn("{}", e.getMessage());
    }
    boolean interrupted = Thread.interrupted();
    try {
      if (!process.waitFor(END.toNanos(), TimeUnit.NANOSECONDS)) {
        LOG.warn("the guard of the QEMU did not end, and is killed");
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      interrupted = true;
      process.destroyForcibly();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

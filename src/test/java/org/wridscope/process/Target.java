// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.wridscope.ChildJvm;

/**
 * A process that is watched. It is a child of a shell, not of this JVM: the JVM waits for its own
 * children, and would take a stop of one that it traces for the end of that child.
 */
final class Target implements AutoCloseable {
  /** Prints the process id before the program can print anything. */
  private static final String BEGIN = "echo $$; exec \"$@\"";

  private final Process shell;
  private final BufferedReader output;
  private final OutputStream input;
  private final long pid;

  private Target(List<String> command) throws IOException {
    List<String> words =
        new ArrayList<>(
            List.of(
                "sh",
                "-c",
                "exec 3<&0; sh -c '%s' begin \"$@\" <&3 3<&- & exec 3<&-; wait".formatted(BEGIN),
                "target"));
    words.addAll(command);
    shell = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    output =
        new BufferedReader(new InputStreamReader(shell.getInputStream(), StandardCharsets.UTF_8));
    input = shell.getOutputStream();
    pid = Long.parseLong(line());
    awaitProgram();
  }

  /** Until the shell has become the program, it has other descriptors. */
  private void awaitProgram() throws IOException {
    Path line = Path.of("/proc", Long.toString(pid), "cmdline");
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (Files.readString(line, StandardCharsets.ISO_8859_1).contains(BEGIN)) {
      if (System.nanoTime() > deadline) {
        throw new IOException("the program was not started");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** A program that is given its own standard input and output. */
  static Target program(String... command) throws IOException {
    return new Target(List.of(command));
  }

  /** A JVM that runs a main class of the tests. */
  static Target java(Class<?> main, String... arguments) throws IOException {
    List<String> command = ChildJvm.command(main, "-Xmx64m");
    command.addAll(List.of(arguments));
    return new Target(command);
  }

  /** A {@link TargetMain} that has mapped some files. */
  static Target mapping(Path... files) throws IOException {
    return mapping(Stream.of(files).map(Path::toString).toArray(String[]::new));
  }

  /** A {@link TargetMain} that has mapped a file in memory. */
  static Target mappingMemoryFile(String name) throws IOException {
    return mapping(TargetMain.MEMFD + name);
  }

  private static Target mapping(String... files) throws IOException {
    Target target = java(TargetMain.class, files);
    try {
      assertThat(target.line()).isEqualTo("mapped");
      return target;
    } catch (Throwable e) {
      target.close();
      throw e;
    }
  }

  long pid() {
    return pid;
  }

  /** The next line of its output; empty at the end. */
  String line() throws IOException {
    return Objects.requireNonNullElse(output.readLine(), "");
  }

  void write(String line) throws IOException {
    input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    input.flush();
  }

  /** Has it execute a command; returns the answer. */
  String execute(String command) throws IOException {
    write(command);
    return line();
  }

  /** Has it map these files instead of others. */
  void map(List<Path> files) throws IOException {
    String names = files.stream().map(Path::toString).collect(Collectors.joining(" "));
    assertThat(execute("map " + names)).isEqualTo("ok");
  }

  void writePage(int range, long page, int value) throws IOException {
    assertThat(execute("write %d %d %d".formatted(range, page, value))).isEqualTo("ok");
  }

  /**
   * Its open descriptors with what they are open on. Without the libraries of its class path: a JVM
   * with a class archive opens them when it first needs a class that is not there.
   */
  Set<String> descriptors() throws IOException {
    Set<String> descriptors = new TreeSet<>();
    try (Stream<Path> entries = Files.list(proc("fd"))) {
      for (Path entry : entries.toList()) {
        Path file = Files.readSymbolicLink(entry);
        if (!file.toString().endsWith(".jar")) {
          descriptors.add(entry.getFileName() + " " + file);
        }
      }
    }
    return descriptors;
  }

  /** Whether anybody traces it. */
  boolean isTraced() throws IOException {
    return Files.readAllLines(proc("status")).stream()
        .anyMatch(line -> line.matches("TracerPid:\\s+[1-9].*"));
  }

  /** Whether a userfaultfd has a part of its memory. */
  boolean hasUserfault() throws IOException {
    return Files.readAllLines(proc("smaps")).stream()
        .anyMatch(line -> line.startsWith("VmFlags:") && line.matches(".* u[mwi]( .*|$)"));
  }

  boolean isAlive() {
    return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
  }

  private Path proc(String name) {
    return Path.of("/proc", Long.toString(pid), name);
  }

  @Override
  public void close() {
    ProcessHandle.of(pid)
        .ifPresent(process -> {
          List<ProcessHandle> children = process.descendants().toList();
          process.destroyForcibly();
          children.forEach(ProcessHandle::destroyForcibly);
        });
    try {
      assertThat(shell.waitFor(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    shell.destroyForcibly();
  }
}

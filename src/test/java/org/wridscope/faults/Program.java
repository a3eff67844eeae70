// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.ChildJvm;
import org.wridscope.Main;
import org.wridscope.Signals;

/** The program, with its command line, in a process of its own. */
final class Program extends LocalProgram {
  private final @Nullable OomGroup group;
  private final Process process;
  private volatile List<ProcessHandle> guards = List.of();

  /**
   * @param state for what outlives it, such as the log of its guards
   * @param temporary for temporary files, of which none may outlive it and its guards
   */
  Program(Path state, Path temporary, List<String> arguments) throws IOException {
    this(
        state,
        temporary,
        ChildJvm.command(Main.class, "-Xmx128m", "-Djava.io.tmpdir=" + temporary),
        arguments);
  }

  /**
   * As users start it.
   *
   * @param script {@code wridscope}
   * @param folder for what outlives it, and for temporary files
   */
  static Program of(Path script, Path folder, List<String> arguments) throws IOException {
    return new Program(folder, folder, List.of(script.toString()), arguments);
  }

  private Program(Path state, Path temporary, List<String> program, List<String> arguments)
      throws IOException {
    var command = new ArrayList<>(program);
    command.addAll(arguments);
    group = OomGroup.create();
    var builder =
        new ProcessBuilder(group == null ? command : group.within(command))
            .redirectErrorStream(true);
    builder.environment().put("XDG_STATE_HOME", state.toString());
    builder.environment().put("XDG_CONFIG_HOME", state.toString());
    builder.environment().put("TMPDIR", temporary.toString());
    process = builder.start();
    read("" + process.pid(), process.inputReader(StandardCharsets.UTF_8));
  }

  /**
   * Kills it. Guards are what is left of it then.
   *
   * @return whether it ran until then
   */
  boolean kill() {
    guards = process.children().toList();
    // Process.destroyForcibly also closes the pipe to which the guards write.
    return process.toHandle().destroyForcibly();
  }

  /**
   * Kills it and its guards at once; where there are control groups, by exhausting their memory.
   */
  void killWithGuards() {
    guards = process.children().toList();
    if (group != null) {
      try {
        group.exhaust();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return;
    }
    try {
      boolean _ =
          Signals.send(
              "KILL",
              Stream.concat(Stream.of(process.toHandle()), guards.stream())
                  .mapToLong(ProcessHandle::pid)
                  .toArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** After {@link #await}. */
  int exitCode() {
    return process.exitValue();
  }

  /** Asks it to end. */
  void stop() {
    process.toHandle().destroy();
  }

  @Override
  void onEnd(Runnable task) {
    var _ = process.onExit().thenRun(task);
  }

  @Override
  boolean await(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    if (!process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
      return false;
    }
    for (ProcessHandle guard : guards) {
      try {
        guard.onExit().get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        return false;
      } catch (ExecutionException e) {
        throw new IllegalStateException(e);
      }
    }
    // Its guards write to the same output.
    return awaitOutput(end - System.nanoTime());
  }

  /** Kills it and its guards. */
  @Override
  public void close() {
    process.children().forEach(ProcessHandle::destroyForcibly);
    guards.forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    if (group != null) {
      try {
        group.delete();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}

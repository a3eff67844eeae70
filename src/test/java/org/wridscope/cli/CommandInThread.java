// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.Channels;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.doctor.ThisMachine;

/**
 * A command with real sessions on a thread of this process, which starts much faster than a process
 * does on an emulated processor.
 */
public final class CommandInThread implements AutoCloseable {
  private static final Duration END = Duration.ofSeconds(60);

  private final CompletableFuture<Integer> status = new CompletableFuture<>();
  private final BufferedReader output;
  private final Thread thread;
  private volatile @Nullable SessionManager sessions;

  /** Starts it. */
  public CommandInThread(String... arguments) throws IOException {
    Pipe pipe = Pipe.open();
    output = new BufferedReader(Channels.newReader(pipe.source(), StandardCharsets.UTF_8));
    var out = new PrintStream(Channels.newOutputStream(pipe.sink()), true, StandardCharsets.UTF_8);
    thread =
        Thread.ofPlatform()
            .daemon()
            .name("command " + arguments[0])
            .start(() -> {
              try (out) {
                status.complete(
                    WridscopeCommand.run(
                        arguments,
                        this::open,
                        CommandRun.NO_WINDOW,
                        Map.of(),
                        new Terminal(null, out, out, false, false, false),
                        FreeMemory.HERE,
                        new ThisMachine()));
              } catch (RuntimeException | Error e) {
                status.completeExceptionally(e);
              }
            });
  }

  private SessionManager open() {
    var opened = new LocalSessions();
    sessions = opened;
    return opened;
  }

  /** What it prints, on both streams. */
  public BufferedReader output() {
    return output;
  }

  /** Runs something when it has ended. */
  public void onEnd(Runnable task) {
    var _ = status.whenComplete((_, _) -> task.run());
  }

  /** Waits for its end; returns its exit status. */
  public int await(long seconds) throws InterruptedException, ExecutionException, TimeoutException {
    return status.get(seconds, TimeUnit.SECONDS);
  }

  /** Cancels it if it has not ended, and waits for its end. */
  @Override
  public void close() {
    SessionManager opened = sessions;
    if (opened != null) {
      opened.sessions().forEach(Session::cancel);
    }
    thread.interrupt();
    try {
      assertThat(thread.join(END)).as("%s ends", thread.getName()).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}

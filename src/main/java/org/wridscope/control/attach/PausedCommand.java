// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A command that is started, but does not run yet: a shell stops itself, and when it is let go,
 * becomes the command, with the same number of process. Its input and output are ours.
 */
public final class PausedCommand implements AutoCloseable {
  private static final String STOP_THEN_BECOME = "kill -STOP $$; exec \"$@\"";
  private static final String LET_GO = "kill -CONT \"$1\"";
  private static final Duration START = Duration.ofSeconds(10);
  private static final Duration SLICE = Duration.ofMillis(10);

  private final Process process;
  private boolean running;

  private PausedCommand(Process process) {
    this.process = process;
  }

  /**
   * Starts a command and returns when it has stopped.
   *
   * @param words the command and its arguments, which no shell reads
   * @throws IOException if there is no shell; one sentence
   */
  public static PausedCommand start(List<String> words) throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of("/bin/sh", "-c", STOP_THEN_BECOME, "sh"));
    command.addAll(words);
    PausedCommand paused;
    try {
      paused = new PausedCommand(new ProcessBuilder(command).inheritIO().start());
    } catch (IOException e) {
      throw new IOException("The command cannot be started, because there is no /bin/sh.", e);
    }
    long end = System.nanoTime() + START.toNanos();
    while (!paused.isStopped()) {
      if (!paused.process.isAlive() || System.nanoTime() > end) {
        paused.close();
        throw new IOException("The command could not be stopped before it began to run.");
      }
      Thread.sleep(SLICE);
    }
    return paused;
  }

  /** Whether its state in proc_pid_stat(5) is that of a stopped process. */
  private boolean isStopped() {
    try {
      byte[] stat = Files.readAllBytes(Path.of("/proc/%d/stat".formatted(process.pid())));
      String text = new String(stat, StandardCharsets.ISO_8859_1);
      return text.startsWith(") T ", text.lastIndexOf(')'));
    } catch (IOException e) {
      // It has ended.
      return false;
    }
  }

  public long pid() {
    return process.pid();
  }

  /** Lets it run. */
  public void run() throws IOException, InterruptedException {
    Process signal =
        new ProcessBuilder("/bin/sh", "-c", LET_GO, "sh", Long.toString(process.pid())).start();
    if (signal.waitFor() != 0) {
      throw new IOException("The command could not be continued after it was stopped.");
    }
    running = true;
  }

  /** Waits for its end and returns its exit status. */
  public int status() throws InterruptedException {
    return process.waitFor();
  }

  /** Whether it has not ended. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** Ends it if it was never let run; otherwise it goes on. */
  @Override
  public void close() {
    if (!running) {
      process.destroyForcibly();
      try {
        process.waitFor(START.toSeconds(), TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}

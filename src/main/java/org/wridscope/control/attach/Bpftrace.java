// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A bpftrace that runs a program of ours; see bpftrace(8). */
final class Bpftrace implements Tracer {
  static final String COMMAND = "bpftrace";

  /** Pages of the buffer of each processor, from which bpftrace reads: 4 MiB. */
  private static final int BUFFER_PAGES = 1024;

  /** Time limit for reading and writing what is still in its buffers. */
  private static final Duration DRAIN = Duration.ofSeconds(20);

  private static final Pattern LOST = Pattern.compile("Lost (\\d{1,9}) events?");

  private final Process process;
  private final BufferedReader output;
  private final BpftraceMessages messages = new BpftraceMessages();

  private Bpftrace(Process process) {
    this.process = process;
    output = process.inputReader(StandardCharsets.ISO_8859_1);
  }

  /**
   * Starts it.
   *
   * @throws IOException if it is not installed; one sentence that says what to do
   */
  static Bpftrace start(String script) throws IOException {
    // It takes places in libraries without symbols only with --unsafe; the program calls nothing
    // that this would allow. Each line is written at once.
    var builder =
        new ProcessBuilder(COMMAND, "--unsafe", "-B", "line", "-e", script)
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    builder.environment().put("BPFTRACE_PERF_RB_PAGES", Integer.toString(BUFFER_PAGES));
    try {
      return new Bpftrace(builder.start());
    } catch (IOException e) {
      throw new IOException(
          "bpftrace cannot be started; install it (Debian: apt-get install bpftrace).", e);
    }
  }

  @Override
  public @Nullable TraceLine next() throws IOException {
    String text;
    while ((text = output.readLine()) != null) {
      Matcher losing = LOST.matcher(text);
      if (losing.matches()) {
        return TraceLine.of(TraceLine.Kind.LOST, 0, Integer.parseInt(losing.group(1)));
      }
      TraceLine line = TraceLine.parse(text);
      if (line != null) {
        return line;
      }
      messages.add(text);
    }
    return null;
  }

  @Override
  public String reason() {
    return messages.reason();
  }

  /** Asks it to end; it prints what is still in its buffers. */
  @Override
  public void stop() {
    // Process.destroy() would also close the pipe that is still to be read.
    process.toHandle().destroy();
  }

  /** Asks it to end and waits until it has; ends it after a time limit. */
  @Override
  public void close() {
    stop();
    boolean interrupted = false;
    long end = System.nanoTime() + DRAIN.toNanos();
    while (process.isAlive()) {
      try {
        if (!process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          process.toHandle().destroyForcibly();
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

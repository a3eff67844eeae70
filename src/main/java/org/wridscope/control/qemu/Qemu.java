// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A QEMU process started by this program, controlled through QMP on its standard input and output.
 * Not thread-safe.
 */
public final class Qemu implements AutoCloseable {
  public static final String COMMAND = "qemu-system-x86_64";

  private static final Logger LOG = LoggerFactory.getLogger(Qemu.class);

  /** Time limit for ending after {@code quit}. */
  private static final Duration END = Duration.ofSeconds(10);

  private final Process process;
  private final Qmp qmp;

  private Qemu(Process process, Qmp qmp) {
    this.process = process;
    this.qmp = qmp;
  }

  /**
   * Starts a QEMU and waits until it accepts commands.
   *
   * @param arguments of {@value #COMMAND}, without those for QMP
   * @param log file for its messages
   * @throws IOException if it is not installed, or ended at once
   */
  public static Qemu start(List<String> arguments, Path log)
      throws IOException, InterruptedException {
    var command = new ArrayList<String>(List.of(COMMAND, "-qmp", "stdio"));
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    try {
      return new Qemu(process, Qmp.open(process, log));
    } catch (IOException | InterruptedException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  public Qmp qmp() {
    return qmp;
  }

  /** Ends the QEMU with {@code quit}, or by killing it if that fails. */
  @Override
  public void close() {
    boolean interrupted = false;
    try {
      if (process.isAlive()) {
        qmp.execute("quit");
      }
    } catch (IOException e) {
      LOG.debug("QEMU {} at its end: {}", process.pid(), e.getMessage());
    } catch (InterruptedException e) {
      interrupted = true;
    }
    try {
      if (interrupted || !process.waitFor(END.toNanos(), TimeUnit.NANOSECONDS)) {
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

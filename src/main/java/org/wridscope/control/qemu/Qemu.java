// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.qemu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpException;
import org.wridscope.text.Legible;

/**
 * A QEMU process started by this program, controlled through QMP on its standard input and output.
 * Not thread-safe.
 */
public final class Qemu implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Qemu.class);

  /** Time limit for ending after {@code quit}. */
  private static final Duration END = Duration.ofSeconds(10);

  private final Process process;
  private final QemuMonitor monitor;

  private Qemu(Process process, Qmp qmp) {
    this.process = process;
    this.monitor = new QemuMonitor(qmp);
  }

  /**
   * Starts a QEMU and waits until it accepts commands.
   *
   * @param program for example {@code qemu-system-x86_64}
   * @param arguments without those for QMP
   * @param log file for its messages
   * @throws IOException if it is not installed, or ended at once
   */
  static Qemu start(String program, List<String> arguments, Path log)
      throws IOException, InterruptedException {
    var command = new ArrayList<String>(List.of(program, "-qmp", "stdio"));
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    try {
      return new Qemu(process, Qmp.overStdio(process, Qmp.ANSWER));
    } catch (QmpException e) {
      process.destroyForcibly();
      throw new IOException(
          "%s The last line of QEMU's log: %s".formatted(e.getMessage(), lastLine(log)), e);
    } catch (IOException | InterruptedException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  QemuMonitor monitor() {
    return monitor;
  }

  private static String lastLine(Path log) {
    try {
      List<String> lines = Files.readAllLines(log);
      return lines.isEmpty() ? "(none)" : Legible.of(lines.getLast());
    } catch (IOException e) {
      return "(it cannot be read: %s)".formatted(e.getMessage());
    }
  }

  /** Ends the QEMU with {@code quit}, or by killing it if that fails. */
  @Override
  public void close() {
    boolean interrupted = false;
    try {
      if (process.isAlive()) {
        monitor.quit();
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

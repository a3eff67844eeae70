// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs {@code ib_write_bw} of Debian's package perftest, which measures the throughput of RDMA
 * writes of 1 MiB.
 */
final class IbWriteBw {
  private static final String COMMAND = "ib_write_bw";
  private static final int SIZE = 1 << 20;
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  /** Time limit until the server listens. */
  private static final Duration START = Duration.ofSeconds(10);

  private static final Duration BETWEEN_ATTEMPTS = Duration.ofMillis(200);

  /** The line of results: size, iterations, then peak and average in Gbit/s. */
  private static final Pattern RESULT =
      Pattern.compile("(?m)^\\s*" + SIZE + "\\s+\\d+\\s+[\\d.]+\\s+([\\d.]+)\\s");

  private IbWriteBw() {}

  /**
   * Writes a number of bytes from one process to another.
   *
   * @param address an IP address of the device
   * @return bytes per nanosecond
   */
  static double measure(String device, String address, long bytes)
      throws IOException, InterruptedException {
    // -R: connects through the connection manager, as migrations do.
    List<String> options =
        List.of(
            "-R",
            "-F",
            "-d",
            device,
            "-s",
            Integer.toString(SIZE),
            "-n",
            Long.toString(Math.max(5, bytes / SIZE)),
            "--report_gbits");
    Process server = start(options);
    try {
      long end = System.nanoTime() + START.toNanos();
      while (true) {
        Process client = start(options, address);
        String output = finish(client);
        Matcher result = RESULT.matcher(output);
        if (client.exitValue() == 0 && result.find()) {
          return Double.parseDouble(result.group(1)) / 8;
        }
        if (!server.isAlive() || System.nanoTime() > end) {
          throw new IOException(
              "ib_write_bw failed on %s: %s"
                  .formatted(device, output.strip().replaceAll("\\s+", " ")));
        }
        Thread.sleep(BETWEEN_ATTEMPTS);
      }
    } finally {
      server.destroyForcibly();
    }
  }

  private static String finish(Process process) throws IOException, InterruptedException {
    // Its output fits into the pipe.
    if (!process.waitFor(TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)) {
      process.destroyForcibly();
      throw new IOException("ib_write_bw did not end within %d s.".formatted(TIMEOUT.toSeconds()));
    }
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static Process start(List<String> options, String... more) throws IOException {
    var command = new ArrayList<String>(List.of(COMMAND));
    command.addAll(options);
    command.addAll(List.of(more));
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new IOException("ib_write_bw cannot be started; install Debian's package perftest.", e);
    }
  }
}

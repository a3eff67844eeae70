// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.UserFiles;
import org.wridscope.metrics.MetricsFile;
import org.wridscope.metrics.MetricsServer;
import org.wridscope.units.Parse;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options for metrics of a migration. */
final class MetricsOptions {
  static final String STAY = "--metrics-stay";
  static final String FILE = "--metrics-file";

  @Mixin private final MetricsOption served = new MetricsOption();

  @Option(
      names = STAY,
      paramLabel = "TIME",
      description =
          "With --metrics: after the end, wait this long for the last values to be read, and end"
              + " when they were. Default: 0, end at once")
  private @Nullable String stay;

  @Option(
      names = FILE,
      paramLabel = "FILE.prom",
      description =
          "At the end, write the metrics to a file, for the textfile collector of the node"
              + " exporter")
  private @Nullable Path file;

  boolean isGiven() {
    return served.isGiven() || stay != null || file != null;
  }

  /**
   * Starts to serve, and creates the file.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  MetricsOutput open(Terminal terminal) throws InputException, IOException {
    Duration staying = stay == null ? Duration.ZERO : Parse.duration(STAY, stay);
    if (stay != null && !served.isGiven()) {
      throw new InputException(
          "%s: it has an effect only with %s; give that, too, or leave it out."
              .formatted(STAY, MetricsOption.NAME));
    }
    MetricsFile written = file == null ? null : MetricsFile.create(FILE, file);
    try {
      MetricsServer server = served.start(terminal);
      return new MetricsOutput(server, staying, written);
    } catch (InputException | IOException | RuntimeException e) {
      if (written != null) {
        written.close();
      }
      throw e;
    }
  }

  /**
   * Refuses to write metrics to the same file as something else.
   *
   * @param what the other file is, for the message
   */
  void refuseSame(String what, Path other) {
    if (file != null) {
      UserFiles.refuseSame(FILE, file, what, other);
    }
  }

  /** Refuses to write metrics to the file of another output. */
  void refuseSame(ReportOption report, RecordOption record, ExportOption export) {
    if (file != null) {
      report.refuseSame("the metrics", file);
      record.refuseSame("the metrics", file);
      export.refuseSame("the metrics", file);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.metrics;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.files.OutputException;
import org.wridscope.files.Target;
import org.wridscope.files.WholeFile;

/** A file for the textfile collector of Prometheus's node exporter. */
public final class MetricsFile implements AutoCloseable {
  private final MigrationMetrics metrics = new MigrationMetrics();
  private final WholeFile file;

  private MetricsFile(WholeFile file) {
    this.file = file;
  }

  /**
   * Creates the file, under another name until it is written.
   *
   * @param field name of the option, for the message
   * @throws OutputException if it cannot be written
   */
  public static MetricsFile create(String field, Path path) throws OutputException {
    return new MetricsFile(WholeFile.create(Output.of(field, path, FileKind.METRICS)));
  }

  /**
   * Writes the present state, and gives the file its name.
   *
   * @throws IOException if that fails; the message is one sentence for the user
   */
  public void write(List<Session> sessions) throws IOException {
    try {
      file.write(out -> PrometheusTextFormatWriter.create().write(out, metrics.of(sessions)));
    } catch (IOException e) {
      throw new IOException(
          "The metrics could not be written to %s (%s); nothing else is affected."
              .formatted(file.file(), Target.reason(e)),
          e);
    }
  }

  /** One sentence that says why the file got another name; null if it did not. */
  public @Nullable String displaced() {
    return file.displaced();
  }

  /** Removes the file if it is unfinished. */
  @Override
  public void close() {
    file.close();
  }
}

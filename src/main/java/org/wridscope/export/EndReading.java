// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.wridscope.analysis.Finding;
import org.wridscope.analysis.Findings;
import org.wridscope.analysis.Requests;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Recorded;
import org.wridscope.control.Session;
import org.wridscope.figures.Figure;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.Role;

/**
 * One end of a migration after all its events have been read.
 *
 * @param requests the analysis of the events; it keeps the newest half million requests
 * @param samples all metrics over time
 */
record EndReading(
    Session session,
    Requests requests,
    MigrationReport report,
    List<Finding> findings,
    List<Sample> samples) {
  private static final long REQUESTS_KEPT = 1 << 19;

  /** The metrics at a moment. */
  record Sample(long nanos, Metrics metrics) {}

  /** Receives samples. */
  @FunctionalInterface
  interface SampleSink {
    /** Receives a sample. */
    void sample(long nanos, Metrics metrics) throws IOException;
  }

  static EndReading of(Session session, Meter meter) throws IOException {
    var requests = new Requests(session.telemetry(), REQUESTS_KEPT);
    EventFeed.forEach(session, meter, requests::take);
    MigrationReport report = session.report();
    List<Sample> samples = history(session);
    return new EndReading(
        session, requests, report, Findings.of(requests, report.downtimePhases()), samples);
  }

  /** Whether the dirty rate was measured at the moment of a sample. */
  boolean knowsDirtyRate(Metrics sample) {
    return Figure.knowsDirtyRate(
        session.observation(),
        sample.get(Metric.DIRTY_BYTES_RATE),
        sample.get(Metric.DIRTY_SYNC_COUNT));
  }

  /** The samples that the telemetry keeps, thinned out if there were very many. */
  private static List<Sample> history(Session session) {
    var samples = new ArrayList<Sample>();
    session
        .telemetry()
        .history()
        .forEach((nanos, metrics) -> samples.add(new Sample(nanos, metrics.copy())));
    return samples;
  }

  /**
   * Passes on the samples of a session: all of its recording, or those that its telemetry keeps.
   */
  static void forEachSample(Session session, SampleSink sink) throws IOException {
    Recorded recorded = session.recorded().orElse(null);
    if (recorded != null) {
      recorded.forEachSample(sink::sample);
      return;
    }
    for (Sample sample : history(session)) {
      sink.sample(sample.nanos(), sample.metrics());
    }
  }

  /** The name of a session, without that of its file if it is recorded. */
  static String nameOf(Session session) {
    return session.recorded().map(Recorded::ownName).orElse(session.name());
  }

  /** {@code source} or {@code destination}. */
  String end() {
    return end(session);
  }

  /** {@code source} or {@code destination}, or {@code program} if it is no end of a migration. */
  static String end(Session session) {
    return session.migrates() ? end(session.role()) : "program";
  }

  static String end(Role role) {
    return role == Role.SOURCE ? "source" : "destination";
  }
}

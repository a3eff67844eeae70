// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.wridscope.analysis.Finding;
import org.wridscope.analysis.Findings;
import org.wridscope.analysis.Requests;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Session;
import org.wridscope.recording.RecordedSession;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.Role;

/**
 * One end, all of whose events were read.
 *
 * @param requests what they mean; of more than half a million requests the newest
 * @param samples all metrics over time
 */
record EndReading(
    Session session,
    Requests requests,
    MigrationReport report,
    List<Finding> findings,
    List<Sample> samples) {
  private static final long REQUESTS_KEPT = 1 << 19;

  /** What was counted at a moment. */
  record Sample(long nanos, Metrics metrics) {}

  /** Takes samples. */
  @FunctionalInterface
  interface SampleSink {
    /** A sample. */
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

  /** The samples that its telemetry keeps, thinned out where there were very many. */
  private static List<Sample> history(Session session) {
    var samples = new ArrayList<Sample>();
    session
        .telemetry()
        .history()
        .forEach((nanos, metrics) -> samples.add(new Sample(nanos, metrics.copy())));
    return samples;
  }

  /** Hands out the samples of a session: all of a recorded one, else those that are kept. */
  static void forEachSample(Session session, SampleSink sink) throws IOException {
    if (session instanceof RecordedSession recorded) {
      recorded.forEachSample(sink::sample);
      return;
    }
    for (Sample sample : history(session)) {
      sink.sample(sample.nanos(), sample.metrics());
    }
  }

  /** The name of a session; of a recorded one without that of its file. */
  static String nameOf(Session session) {
    return session instanceof RecordedSession recorded ? recorded.ownName() : session.name();
  }

  /** {@code source} or {@code destination}. */
  String end() {
    return end(session.role());
  }

  static String end(Role role) {
    return role == Role.SOURCE ? "source" : "destination";
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.time.Duration;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Reports;

/** A copy of a session of a stepped run, which is steered by choices and not by its ends. */
final class SteppedSession extends FedSession {
  private final String run;
  private volatile long nanos;

  SteppedSession(String run, FeedReplay feed) {
    super(feed);
    this.run = run;
  }

  void standsAt(long nowNanos) {
    nanos = nowNanos;
  }

  @Override
  public String name() {
    return run + " " + role().text();
  }

  @Override
  public boolean isLive() {
    return false;
  }

  @Override
  public long clock(long nowNanos) {
    return nanos;
  }

  @Override
  public boolean isWatched() {
    return true;
  }

  @Override
  public MigrationReport report() {
    return feed.report().orElseGet(() -> Reports.ofTelemetry(this, nanos));
  }

  /** Does nothing: the run is ended by whoever steps through it. */
  @Override
  public void cancel() {}

  /** Does not wait: it stands still. */
  @Override
  public boolean await(Duration timeout) {
    return status().isEnd();
  }

  /** Does nothing; the run that it is a copy of is closed by whoever steps through it. */
  @Override
  public void close() {}
}

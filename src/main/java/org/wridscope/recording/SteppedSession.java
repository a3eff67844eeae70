// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Reports;
import org.wridscope.control.Session;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.telemetry.SessionTelemetry;

/** A copy of a session of a stepped run, which is steered by choices and not by its ends. */
final class SteppedSession implements Session {
  private final String run;
  private final LiveTrace trace;
  private volatile long nanos;

  SteppedSession(String run, LiveTrace trace) {
    this.run = run;
    this.trace = trace;
  }

  void standsAt(long nowNanos) {
    nanos = nowNanos;
  }

  @Override
  public String name() {
    return run + " " + role().name().toLowerCase(Locale.ROOT);
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
  public String uri() {
    return trace.uri();
  }

  @Override
  public String device() {
    return trace.device();
  }

  @Override
  public String deviceReason() {
    return trace.deviceReason();
  }

  @Override
  public SessionTelemetry telemetry() {
    return trace.telemetry();
  }

  @Override
  public @Nullable String outcome() {
    return trace.outcome();
  }

  @Override
  public boolean guestRunning() {
    return trace.guestRunning();
  }

  @Override
  public Optional<VirtioSnapshot> virtio() {
    return trace.virtio();
  }

  @Override
  public List<String> notes() {
    return trace.notes();
  }

  @Override
  public MigrationReport report() {
    return trace.report().orElseGet(() -> Reports.ofTelemetry(this, nanos));
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

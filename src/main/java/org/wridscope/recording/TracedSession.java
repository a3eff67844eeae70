// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Session;
import org.wridscope.figures.Observation;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionTelemetry;

/** A copy of a session that is elsewhere, as its trace tells of it. */
public abstract class TracedSession implements Session {
  protected final LiveTrace trace;

  protected TracedSession(LiveTrace trace) {
    this.trace = trace;
  }

  @Override
  public final String uri() {
    return trace.uri();
  }

  @Override
  public final String device() {
    return trace.device();
  }

  @Override
  public final String deviceReason() {
    return trace.deviceReason();
  }

  @Override
  public final SessionTelemetry telemetry() {
    return trace.telemetry();
  }

  @Override
  public final Observation observation() {
    return trace.observation();
  }

  @Override
  public final boolean migrates() {
    return trace.migrates();
  }

  @Override
  public @Nullable SessionOutcome result() {
    return trace.result();
  }

  @Override
  public final boolean guestRunning() {
    return trace.guestRunning();
  }

  @Override
  public final Optional<VirtioSnapshot> virtio() {
    return trace.virtio();
  }

  @Override
  public final Optional<MigrationReport.Machine> machine() {
    return trace.report().flatMap(report -> Optional.ofNullable(report.machine()));
  }

  @Override
  public List<String> notes() {
    return trace.notes();
  }
}

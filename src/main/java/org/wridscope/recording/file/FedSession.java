// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Session;
import org.wridscope.figures.Observation;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionTelemetry;

/** A copy of a session that is elsewhere, as the pieces of its recording tell of it. */
public abstract class FedSession implements Session {
  protected final FeedReplay feed;

  protected FedSession(FeedReplay feed) {
    this.feed = feed;
  }

  @Override
  public final String uri() {
    return feed.uri();
  }

  @Override
  public final String device() {
    return feed.device();
  }

  @Override
  public final String deviceReason() {
    return feed.deviceReason();
  }

  @Override
  public final SessionTelemetry telemetry() {
    return feed.telemetry();
  }

  @Override
  public final Observation observation() {
    return feed.observation();
  }

  @Override
  public final boolean migrates() {
    return feed.migrates();
  }

  @Override
  public @Nullable SessionOutcome result() {
    return feed.result();
  }

  @Override
  public final boolean guestRunning() {
    return feed.guestRunning();
  }

  @Override
  public final Optional<VirtioSnapshot> virtio() {
    return feed.virtio();
  }

  @Override
  public final Optional<MigrationReport.Machine> machine() {
    return feed.report().flatMap(report -> Optional.ofNullable(report.machine()));
  }

  @Override
  public List<String> notes() {
    return feed.notes();
  }
}

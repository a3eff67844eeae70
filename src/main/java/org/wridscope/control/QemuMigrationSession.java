// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.figures.Observation;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Sampler;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.verbs.common.Uninterrupted;

/**
 * One end of a migration by QEMU's own engine. The thread of the migration, which somebody else
 * has, writes what it learns of QEMU.
 */
public final class QemuMigrationSession implements Session {
  private static final Logger LOG = LoggerFactory.getLogger(QemuMigrationSession.class);

  private static final Duration SLICE = Duration.ofMillis(100);

  private final String name;
  private final Shown shown;
  private final QemuSteering steering;
  private final SessionTelemetry telemetry;
  private final Sampler sampler;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile String deviceReason = "not known before QEMU is connected";
  private volatile MigrationReport.@Nullable Machine machine;
  private volatile boolean guestRunning;
  private volatile @Nullable SessionOutcome result;

  /**
   * What is known of the migration before it begins.
   *
   * @param uri as QEMU or libvirt is told it
   * @param bandwidthLimit bytes per second, 0 for none
   * @param monitored whether events and history are kept
   */
  public record Shown(
      String uri, boolean pinAll, long bandwidthLimit, Duration downtimeLimit, boolean monitored) {}

  /**
   * @param steering of the migration
   * @param sampler reads the telemetry, until the session has ended
   */
  public QemuMigrationSession(
      String name, Role role, Shown shown, QemuSteering steering, Sampler sampler) {
    this.name = name;
    this.shown = shown;
    this.steering = steering;
    this.sampler = sampler;
    telemetry = new SessionTelemetry(role, shown.monitored());
    telemetry.metrics().set(Metric.BANDWIDTH_LIMIT, shown.bandwidthLimit());
    telemetry.metrics().set(Metric.DOWNTIME_LIMIT, shown.downtimeLimit().toNanos());
    sampler.add(telemetry);
  }

  // ---- for the thread of the migration

  /**
   * Notes which QEMU this is.
   *
   * @param phrase names it
   */
  public void connected(String phrase, MigrationReport.Machine qemu) {
    deviceReason = phrase + ", which selects the device itself";
    machine = qemu;
  }

  /** Notes whether the guest runs at this end. */
  public void setGuestRunning(boolean running) {
    guestRunning = running;
  }

  /** Notes a status that is not an end. */
  public void setStatus(MigrationStatus status) {
    if (telemetry.status() != status) {
      telemetry.setStatus(status);
    }
  }

  /** Begins a phase, unless it is the present one. */
  public void beginPhase(Phase.Kind phase) {
    if (telemetry.phases().isEmpty() || telemetry.phases().getLast().kind() != phase) {
      telemetry.beginPhase(phase);
    }
  }

  /** Notes what is waited for; null for nothing. */
  public void waitFor(@Nullable Wait what) {
    if (!Objects.equals(telemetry.waitingFor(), what)) {
      telemetry.setWaitingFor(what);
    }
  }

  /** Ends the session; nothing is written to its telemetry after that. */
  public void end(MigrationStatus status, SessionOutcome how) {
    telemetry.setWaitingFor(null);
    result = how;
    telemetry.beginPhase(Phase.Kind.of(status));
    telemetry.setStatus(status);
    try {
      sampler.remove(telemetry);
      telemetry.closeRing();
    } finally {
      ended.countDown();
    }
  }

  // ---- for everybody

  @Override
  public String name() {
    return name;
  }

  @Override
  public String uri() {
    return shown.uri();
  }

  @Override
  public Observation observation() {
    return Observation.QMP;
  }

  @Override
  public String device() {
    return QEMU_ENGINE;
  }

  @Override
  public String deviceReason() {
    return deviceReason;
  }

  @Override
  public SessionTelemetry telemetry() {
    return telemetry;
  }

  @Override
  public @Nullable SessionOutcome result() {
    return result;
  }

  @Override
  public boolean guestRunning() {
    return guestRunning;
  }

  @Override
  public Optional<MigrationReport.Machine> machine() {
    return Optional.ofNullable(machine);
  }

  @Override
  public void cancel() {
    steering.cancel();
  }

  @Override
  public boolean mustFinish() {
    return ended.getCount() > 0 && steering.isSwitchingOver();
  }

  @Override
  public void permitSwitchover() {
    steering.permitSwitchover();
  }

  @Override
  public void setBandwidthLimit(long bytesPerSecond) {
    steering.setBandwidthLimit(bytesPerSecond);
  }

  @Override
  public void setDowntimeLimit(Duration limit) {
    steering.setDowntimeLimit(limit);
  }

  @Override
  public MigrationReport report() {
    return Reports.ofQemu(this, shown.pinAll());
  }

  @Override
  public boolean await(Duration timeout) throws InterruptedException {
    return ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public void close() {
    cancel();
    long begin = System.nanoTime();
    while (!Uninterrupted.await(ended, SLICE)) {
      if (System.nanoTime() - begin >= END_PATIENCE.toNanos() && !mustFinish()) {
        LOG.warn(
            "session {} has not ended {} s after it was cancelled", name, END_PATIENCE.toSeconds());
        return;
      }
    }
  }
}

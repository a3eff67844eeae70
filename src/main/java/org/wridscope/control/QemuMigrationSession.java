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
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Sampler;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.common.Uninterrupted;

/** One end of a migration by QEMU's own engine. Its thread is that of {@link QemuMigrationRun}. */
final class QemuMigrationSession implements Session {
  private static final Logger LOG = LoggerFactory.getLogger(QemuMigrationSession.class);

  private static final Duration SLICE = Duration.ofMillis(100);

  private final String name;
  private final QemuMigrationSettings settings;
  private final QemuMigrationRun run;
  private final SessionTelemetry telemetry;
  private final Sampler sampler;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile String deviceReason = "not known before QEMU is connected";
  private volatile MigrationReport.@Nullable Machine machine;
  private volatile boolean guestRunning;
  private volatile @Nullable String outcome;

  QemuMigrationSession(
      String name,
      Role role,
      QemuMigrationSettings settings,
      QemuMigrationRun run,
      Sampler sampler) {
    this.name = name;
    this.settings = settings;
    this.run = run;
    this.sampler = sampler;
    telemetry = new SessionTelemetry(role, settings.monitored());
    telemetry.metrics().set(Metric.BANDWIDTH_LIMIT, settings.bandwidthLimit());
    telemetry.metrics().set(Metric.DOWNTIME_LIMIT, settings.downtimeLimit().toNanos());
    sampler.add(telemetry);
  }

  // ---- for the thread of the migration

  /** Notes which QEMU this is. */
  void connected(QemuEnd qemu) {
    deviceReason = qemu.name() + ", which selects the device itself";
    machine =
        new MigrationReport.Machine("QEMU " + qemu.version(), qemu.address().toString(), null);
  }

  void setGuestRunning(boolean running) {
    guestRunning = running;
  }

  /** Notes a status that is not an end. */
  void setStatus(MigrationStatus status) {
    if (telemetry.status() != status) {
      telemetry.setStatus(status);
    }
  }

  void beginPhase(String phase) {
    if (telemetry.phases().isEmpty() || !telemetry.phases().getLast().name().equals(phase)) {
      telemetry.beginPhase(phase);
    }
  }

  void waitFor(@Nullable String what) {
    if (!Objects.equals(telemetry.waitingFor(), what)) {
      telemetry.setWaitingFor(what);
    }
  }

  /** Ends the session; nothing is written to its telemetry after that. */
  void end(MigrationStatus status, String sentence) {
    telemetry.setWaitingFor(null);
    outcome = sentence;
    telemetry.beginPhase(status.qemuName());
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
    return settings.uri().text();
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
  public @Nullable String outcome() {
    return outcome;
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
    run.cancel();
  }

  @Override
  public boolean mustFinish() {
    return ended.getCount() > 0 && run.isSwitchingOver();
  }

  @Override
  public void permitSwitchover() {
    run.permitSwitchover();
  }

  @Override
  public void setBandwidthLimit(long bytesPerSecond) {
    run.setBandwidthLimit(bytesPerSecond);
  }

  @Override
  public void setDowntimeLimit(Duration limit) {
    run.setDowntimeLimit(limit);
  }

  @Override
  public MigrationReport report() {
    return Reports.ofQemu(
        this, settings.capabilities().getOrDefault(QemuMigrationSettings.PIN_ALL, false));
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

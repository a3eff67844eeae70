// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.fake;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Session;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;

/** One end; {@link FakeMigration} moves it, or a test does by hand. */
public final class FakeSession implements Session {
  private final List<Hint> hints = new CopyOnWriteArrayList<>();
  private final String name;
  private final String uri;
  private final SessionTelemetry telemetry;
  private final CountDownLatch end = new CountDownLatch(1);
  private volatile @Nullable String outcome;
  private volatile boolean guestRunning;
  private volatile @Nullable String guestFate;
  private volatile @Nullable VirtioSnapshot virtio;
  private volatile boolean cancelled;
  private volatile boolean mustFinish;
  private volatile boolean closed;

  public FakeSession(String name, String uri, Role role, boolean monitored) {
    this(name, uri, new SessionTelemetry(role, monitored));
  }

  public FakeSession(String name, String uri, SessionTelemetry telemetry) {
    this.name = name;
    this.uri = uri;
    this.telemetry = telemetry;
    guestRunning = telemetry.role() == Role.SOURCE;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String uri() {
    return uri;
  }

  @Override
  public String device() {
    return "soft0";
  }

  @Override
  public String deviceReason() {
    return "the software device, as chosen";
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

  /** Sets what its guest's virtio devices do. */
  public void setVirtio(VirtioSnapshot snapshot) {
    virtio = snapshot;
  }

  @Override
  public Optional<VirtioSnapshot> virtio() {
    return Optional.ofNullable(virtio);
  }

  @Override
  public @Nullable String guestFate() {
    return guestFate;
  }

  public void setGuestFate(String fate) {
    guestFate = fate;
  }

  public void setGuestRunning(boolean running) {
    guestRunning = running;
  }

  @Override
  public void cancel() {
    cancelled = true;
  }

  /** Sets whether the source may have given the guest up, so that closing must wait. */
  public synchronized void setMustFinish(boolean value) {
    mustFinish = value;
    notifyAll();
  }

  @Override
  public boolean mustFinish() {
    return mustFinish;
  }

  public boolean cancelled() {
    return cancelled;
  }

  /** A range that was said not to have to stay registered. */
  public record Hint(String block, long offset, long length) {}

  @Override
  public void hintUnregister(String block, long offset, long length) {
    if (cancelled) {
      throw new IllegalArgumentException("It was cancelled.");
    }
    hints.add(new Hint(block, offset, length));
  }

  public List<Hint> hints() {
    return hints;
  }

  @Override
  public void setBandwidthLimit(long bytesPerSecond) {
    telemetry.metrics().set(Metric.BANDWIDTH_LIMIT, bytesPerSecond);
  }

  @Override
  public void setDowntimeLimit(Duration limit) {
    telemetry.metrics().set(Metric.DOWNTIME_LIMIT, limit.toNanos());
  }

  /** Ends the session. */
  public void end(MigrationStatus status, String sentence) {
    outcome = sentence;
    telemetry.beginPhase(status.qemuName());
    telemetry.setStatus(status);
    end.countDown();
  }

  @Override
  public MigrationReport report() {
    return new MigrationReport(
        status().qemuName(),
        0,
        null,
        null,
        0,
        new MigrationReport.Ram(0, 0, 0, 0, 0, 0, 0, 0, 0, 4096, 0),
        null,
        role().name(),
        uri,
        device(),
        MigrationReport.WRIDSCOPE,
        false,
        status() == MigrationStatus.COMPLETED,
        List.of(),
        Map.of(),
        new MigrationReport.Completions(
            new MigrationReport.Completions.Queue(0, 0),
            new MigrationReport.Completions.Queue(0, 0),
            0),
        new MigrationReport.Registrations(0, 0, 0, 0, 0, 0, 0, 0),
        new MigrationReport.Messages(Map.of(), Map.of()),
        new MigrationReport.Digests(Map.of(), Map.of()),
        null,
        0);
  }

  @Override
  public boolean await(Duration timeout) throws InterruptedException {
    return end.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public synchronized void close() {
    try {
      while (mustFinish) {
        wait();
      }
      if (!status().isEnd()) {
        end(MigrationStatus.CANCELLED, "Cancelled; the guest goes on running at the source.");
      }
      closed = true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public boolean closed() {
    return closed;
  }
}

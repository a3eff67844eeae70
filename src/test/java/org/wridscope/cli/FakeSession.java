// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Session;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;

/** A session that ends when it is told to, and as it is told to. */
final class FakeSession implements Session {
  static final String DIGEST = "0123456789abcdef".repeat(4);

  private final String name;
  private final SessionTelemetry telemetry;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile @Nullable String outcome;
  private volatile boolean verified;
  private volatile @Nullable String destinationDigest;
  private volatile @Nullable String finding;
  private volatile boolean closed;

  FakeSession(String name, Role role) {
    this.name = name;
    telemetry = new SessionTelemetry(role, false);
    telemetry.setStatus(MigrationStatus.ACTIVE);
  }

  void end(MigrationStatus status, boolean verified, @Nullable String outcome) {
    if (ended.getCount() > 0) {
      this.verified = verified;
      if (verified) {
        destinationDigest = DIGEST;
      }
      // A real session that has completed always says so.
      this.outcome = outcome != null ? outcome : "The guest was migrated.";
      telemetry.setStatus(status);
      ended.countDown();
    }
  }

  /** Sets the digest of what is at the destination. */
  void arrivedAs(String digest) {
    destinationDigest = digest;
  }

  /** Sets what became of a request of the virtio devices, a sentence. */
  void found(String sentence) {
    finding = sentence;
  }

  boolean closed() {
    return closed;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String uri() {
    return "rdma:127.0.0.1:4444";
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
    return role() == Role.SOURCE ^ status() == MigrationStatus.COMPLETED;
  }

  @Override
  public void cancel() {
    end(MigrationStatus.CANCELLED, false, "Cancelled; the guest runs on here.");
  }

  @Override
  public void setBandwidthLimit(long bytesPerSecond) {
    telemetry.metrics().set(Metric.BANDWIDTH_LIMIT, bytesPerSecond);
  }

  @Override
  public void setDowntimeLimit(Duration limit) {
    telemetry.metrics().set(Metric.DOWNTIME_LIMIT, limit.toNanos());
  }

  @Override
  public MigrationReport report() {
    return report(status(), telemetry.metrics(), verified);
  }

  private MigrationReport report(MigrationStatus status, Metrics metrics, boolean verified) {
    boolean completed = status == MigrationStatus.COMPLETED;
    String arrived = destinationDigest;
    return new MigrationReport(
        status.qemuName(),
        metrics.get(Metric.TOTAL_TIME) / 1_000_000,
        completed ? 38L : null,
        completed ? null : 120L,
        13,
        new MigrationReport.Ram(
            4_500_000, 0, 8_388_608, 848, 1200, 4_915_200, 51_200, 84_210.5, 3, 4096, 2_570_000),
        completed ? null : outcome,
        role() == Role.SOURCE ? "source" : "destination",
        uri(),
        device(),
        MigrationReport.WRIDSCOPE,
        false,
        verified,
        verified ? List.of() : List.of("The destination's digests are not known."),
        completed ? Map.of("last round", 37.0) : Map.of(),
        new MigrationReport.Completions(
            new MigrationReport.Completions.Queue(1234, 1230),
            new MigrationReport.Completions.Queue(40, 40),
            4),
        new MigrationReport.Registrations(0, 8, 9, 8_388_608, 8, 0, 0, 0),
        new MigrationReport.Messages(Map.of("register-request", 8L), Map.of("ready", 11L)),
        new MigrationReport.Digests(
            Map.of("pc.ram", DIGEST), arrived == null ? Map.of() : Map.of("pc.ram", arrived)),
        new MigrationReport.Virtio(345, 6, 1, 2, finding),
        0);
  }

  @Override
  public boolean await(Duration timeout) throws InterruptedException {
    return ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public void close() {
    cancel();
    closed = true;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.figures.Observation;
import org.wridscope.guest.GuestException;
import org.wridscope.guest.StillRegisteredException;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionTelemetry;

/** A session without an engine: the test writes its telemetry and ends it. */
public class FakeSession implements Session {
  private final List<Hint> hints = new CopyOnWriteArrayList<>();
  private final List<Hint> released = new CopyOnWriteArrayList<>();
  private final String name;
  private final String uri;
  private final SessionTelemetry telemetry;
  private final CountDownLatch end = new CountDownLatch(1);
  private volatile @Nullable SampleReport sampleReport;
  private volatile boolean endsWhenCancelled;
  private volatile boolean hangs;
  private volatile String device = "soft0";
  private volatile String deviceReason = "the software device, as chosen";
  private volatile @Nullable SessionOutcome outcome;
  private volatile boolean preparing;
  private volatile boolean guestRunning;
  private volatile boolean guestStopped;
  private volatile @Nullable String refusal;
  private volatile @Nullable String guestFate;
  private volatile @Nullable CapturedFile captured;
  private volatile MigrationReport.@Nullable Machine machine;
  private volatile @Nullable VirtioSnapshot virtio;
  private volatile boolean cancelled;
  private volatile boolean mustFinish;
  private volatile boolean permitted;
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

  /** A running session that ends when it is cancelled, and reports {@link SampleReport}. */
  public static FakeSession withSampleReport(String name, String uri, Role role) {
    var session = new FakeSession(name, uri, role, false);
    session.sampleReport = new SampleReport(false, false, null, null);
    session.endsWhenCancelled = true;
    session.telemetry.setStatus(MigrationStatus.ACTIVE);
    return session;
  }

  /** Simulates a hang: waits time out at once until the session is cancelled; then it ends. */
  public void hang() {
    hangs = true;
    endsWhenCancelled = false;
  }

  private SampleReport sampleReport() {
    SampleReport sample = sampleReport;
    if (sample == null) {
      throw new IllegalStateException("the report of this session is that of its telemetry");
    }
    return sample;
  }

  /** Reports this digest for the RAM at the destination. */
  public void setDestinationDigest(String digest) {
    sampleReport = sampleReport().withDestinationDigest(digest);
  }

  /** Reports a virtio request that was lost or executed twice. */
  public void setVirtioFinding(String sentence) {
    sampleReport = sampleReport().withVirtioFinding(sentence);
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
  public Observation observation() {
    return device.equals(QEMU_ENGINE) ? Observation.QMP : Observation.ENGINE;
  }

  @Override
  public String device() {
    return device;
  }

  public void setDevice(String device, String reason) {
    this.device = device;
    deviceReason = reason;
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
    return outcome;
  }

  /** Sets the outcome without ending the session. */
  public void setOutcome(String sentence) {
    outcome = new SessionOutcome(sentence);
  }

  @Override
  public boolean guestRunning() {
    return guestRunning;
  }

  public void setGuestRunning(boolean running) {
    guestRunning = running;
  }

  /** Refuses to stop and to continue its guest, with this sentence. */
  public void refuseOperators(String sentence) {
    refusal = sentence;
  }

  /** Whether the guest's RAM is prepared from now on. */
  public void setPreparing(boolean wanted) {
    preparing = wanted;
  }

  @Override
  public boolean preparing() {
    return preparing;
  }

  @Override
  public boolean guestStopped() {
    return guestStopped;
  }

  @Override
  public boolean stopGuest() throws GuestException {
    return steerGuest(false);
  }

  @Override
  public boolean continueGuest() throws GuestException {
    return steerGuest(true);
  }

  private boolean steerGuest(boolean runs) throws GuestException {
    if (refusal != null) {
      throw new GuestException(refusal);
    }
    boolean changes = guestRunning != runs;
    guestRunning = runs;
    guestStopped = !runs;
    return changes;
  }

  @Override
  public @Nullable String guestFate() {
    return guestFate;
  }

  public void setGuestFate(String fate) {
    guestFate = fate;
  }

  @Override
  public Optional<CapturedFile> captured() {
    return Optional.ofNullable(captured);
  }

  public void setCaptured(CapturedFile file) {
    captured = file;
  }

  @Override
  public Optional<MigrationReport.Machine> machine() {
    return Optional.ofNullable(machine);
  }

  /** Puts the guest into another process. */
  public void setMachine(MigrationReport.Machine other) {
    machine = other;
  }

  @Override
  public Optional<VirtioSnapshot> virtio() {
    return Optional.ofNullable(virtio);
  }

  public void setVirtio(VirtioSnapshot snapshot) {
    virtio = snapshot;
  }

  @Override
  public void cancel() {
    cancelled = true;
    if (endsWhenCancelled) {
      endAsCancelled();
    }
  }

  public boolean cancelled() {
    return cancelled;
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

  @Override
  public void permitSwitchover() {
    permitted = true;
  }

  public boolean permitted() {
    return permitted;
  }

  /** A range that was marked as not needing to stay registered. */
  public record Hint(String block, long offset, long length) {}

  @Override
  public void hintUnregister(String block, long offset, long length) {
    if (cancelled) {
      throw new IllegalArgumentException("It was cancelled.");
    }
    hints.add(new Hint(block, offset, length));
  }

  @Override
  public int unregister(String block, long offset, long length, Duration limit)
      throws StillRegisteredException {
    if (cancelled) {
      throw new StillRegisteredException("It was cancelled.");
    }
    released.add(new Hint(block, offset, length));
    return 2;
  }

  /** Ranges that were to be unregistered at once. */
  public List<Hint> released() {
    return released;
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

  /** Completes the session with equal digests. */
  public void endVerified(String sentence) {
    sampleReport = sampleReport().asVerified();
    end(MigrationStatus.COMPLETED, sentence);
  }

  /** Completes the session without digests, as a QEMU that was not to be compared does. */
  public void endUncompared(String sentence) {
    sampleReport = sampleReport().asUncompared();
    end(MigrationStatus.COMPLETED, sentence);
  }

  /** Ends the session; does nothing when it has ended. */
  public void end(MigrationStatus status, String sentence) {
    end(status, new SessionOutcome(sentence));
  }

  /** Ends the session; does nothing when it has ended. */
  public synchronized void end(MigrationStatus status, SessionOutcome how) {
    if (end.getCount() > 0) {
      outcome = how;
      if (sampleReport != null) {
        guestRunning = role() == Role.SOURCE ^ status == MigrationStatus.COMPLETED;
      }
      telemetry.beginPhase(Phase.Kind.of(status));
      telemetry.setStatus(status);
      end.countDown();
    }
  }

  private void endAsCancelled() {
    end(MigrationStatus.CANCELLED, "Cancelled; the guest keeps running at the source.");
  }

  @Override
  public MigrationReport report() {
    SampleReport sample = sampleReport;
    return sample == null ? Reports.ofTelemetry(this, System.nanoTime()) : sample.of(this);
  }

  @Override
  public boolean await(Duration timeout) throws InterruptedException {
    if (hangs) {
      if (cancelled) {
        endAsCancelled();
      }
      return status().isEnd();
    }
    return end.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public synchronized void close() {
    try {
      while (mustFinish) {
        wait();
      }
      if (!status().isEnd()) {
        endAsCancelled();
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

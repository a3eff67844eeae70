// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.Target;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Sampler;
import org.wridscope.verbs.soft.WireTap;

/** Starts sessions without an engine, and keeps the settings that they were started with. */
public final class FakeSessionManager implements SessionManager {

  /** Called for each lab that was started; ends its sessions or leaves them running. */
  @FunctionalInterface
  public interface LabCourse {
    void run(LabSettings settings, FakeSession source, FakeSession destination) throws IOException;
  }

  /** Called for each source or destination that was started. */
  @FunctionalInterface
  public interface OneEndCourse {
    void run(FakeSession session) throws IOException;
  }

  private final boolean sampleReports;
  private final LabCourse labCourse;
  private final OneEndCourse oneEndCourse;
  private final Sampler sampler = new Sampler();
  private final List<Session> sessions = new CopyOnWriteArrayList<>();
  private final List<FakeSession> everStarted = new CopyOnWriteArrayList<>();
  private final List<Object> started = new CopyOnWriteArrayList<>();
  private volatile boolean closed;
  private volatile @Nullable String refusal;
  private volatile CountDownLatch held = new CountDownLatch(0);
  private volatile RamProgress ramProgress = RamProgress.NONE;

  private FakeSessionManager(
      boolean sampleReports, LabCourse labCourse, OneEndCourse oneEndCourse) {
    this.sampleReports = sampleReports;
    this.labCourse = labCourse;
    this.oneEndCourse = oneEndCourse;
  }

  /** Starts monitored sessions that do nothing by themselves. */
  public static FakeSessionManager idle() {
    return new FakeSessionManager(false, (_, _, _) -> {}, _ -> {});
  }

  /** Starts labs only, whose sessions report {@link SampleReport}. */
  public static FakeSessionManager ofLabs(LabCourse course) {
    return new FakeSessionManager(
        true,
        course,
        _ -> {
          throw new UnsupportedOperationException("only labs are expected");
        });
  }

  /** Starts sources and destinations only, which report {@link SampleReport}. */
  public static FakeSessionManager ofOneEnd(OneEndCourse course) {
    return new FakeSessionManager(
        true,
        (_, _, _) -> {
          throw new UnsupportedOperationException("no labs are expected");
        },
        course);
  }

  /** The settings of everything that was started, in order. */
  public List<Object> started() {
    return started;
  }

  /** The settings of all labs that were started. */
  public List<LabSettings> labs() {
    return started.stream()
        .filter(LabSettings.class::isInstance)
        .map(LabSettings.class::cast)
        .toList();
  }

  public List<FakeSession> everStarted() {
    return everStarted;
  }

  public boolean closed() {
    return closed;
  }

  /** Starting fails with this sentence from now on. */
  public void refuse(String sentence) {
    refusal = sentence;
  }

  /** From now on, starting a session waits for this latch, unless it is interrupted. */
  public void holdStarts(CountDownLatch moment) {
    held = moment;
  }

  /** Guests that are being started have this much RAM ready from now on. */
  public void setRamProgress(RamProgress progress) {
    ramProgress = progress;
  }

  @Override
  public RamProgress ramProgress() {
    return ramProgress;
  }

  /** Adds a session as if it had been started elsewhere in this process. */
  public FakeSession add(String name, String uri, Role role) {
    FakeSession session =
        sampleReports
            ? FakeSession.withSampleReport(name, uri, role)
            : new FakeSession(name, uri, role, true);
    session.setDowntimeLimit(Duration.ofMillis(300));
    sampler.add(session.telemetry());
    sessions.add(session);
    everStarted.add(session);
    return session;
  }

  private void begin(Object settings, @Nullable GuestSettings arriving) throws IOException {
    try {
      held.await();
    } catch (InterruptedException e) {
      throw new InterruptedIOException("starting was interrupted");
    }
    String sentence = refusal;
    if (sentence != null) {
      throw new IOException(sentence);
    }
    switch (arriving) {
      case GuestSettings.Capture capture -> Target.of(capture.out());
      case GuestSettings.Image image when image.out() != null -> Target.of(image.out());
      case null, default -> {}
    }
    started.add(settings);
  }

  @Override
  public Session startSource(SourceSettings settings) throws IOException {
    begin(settings, null);
    FakeSession session = add("source " + started.size(), settings.uri(), Role.SOURCE);
    session.setBandwidthLimit(settings.migration().get(MigrationSetting.BANDWIDTH));
    oneEndCourse.run(session);
    return session;
  }

  @Override
  public Session startDestination(DestinationSettings settings) throws IOException {
    begin(settings, settings.guest());
    FakeSession session = add("destination " + started.size(), settings.uri(), Role.DESTINATION);
    oneEndCourse.run(session);
    return session;
  }

  @Override
  public Session openDestination(DestinationSettings settings) throws IOException {
    return startDestination(settings);
  }

  @Override
  public Lab startLab(LabSettings settings, LabFaults faults) throws IOException {
    return startLab(settings);
  }

  /** No device carries anything. */
  @Override
  public void tap(WireTap tap) {}

  @Override
  public synchronized Lab startLab(LabSettings settings) throws IOException {
    begin(settings, settings.guest());
    String name = "lab " + labs().size();
    FakeSession source = add(name + " source", "rdma:127.0.0.1:4444", Role.SOURCE);
    FakeSession destination = add(name + " destination", "rdma:127.0.0.1:4444", Role.DESTINATION);
    MigrationSettings migration = settings.migration();
    source
        .telemetry()
        .metrics()
        .set(Metric.BANDWIDTH_LIMIT, migration.get(MigrationSetting.BANDWIDTH));
    source
        .telemetry()
        .metrics()
        .set(Metric.DOWNTIME_LIMIT, migration.get(MigrationSetting.DOWNTIME_LIMIT).toNanos());
    labCourse.run(settings, source, destination);
    return new Lab(source, destination);
  }

  @Override
  public List<Session> startQemuMigration(QemuMigrationSettings settings) {
    started.add(settings);
    String name = "QEMU " + started.size();
    var ends = new ArrayList<Session>();
    if (settings.source() != null) {
      ends.add(add(name + " source", settings.uri().text(), Role.SOURCE));
    }
    if (settings.destination() != null) {
      ends.add(add(name + " destination", settings.uri().text(), Role.DESTINATION));
    }
    for (Session end : ends) {
      ((FakeSession) end).setDevice(Session.QEMU_ENGINE, "QEMU 9.1.2");
    }
    return ends;
  }

  @Override
  public void add(Session session) {
    sessions.add(session);
  }

  @Override
  public List<Session> sessions() {
    return List.copyOf(sessions);
  }

  @Override
  public void remove(Session ended) {
    sessions.remove(ended);
    sampler.remove(ended.telemetry());
    ended.close();
  }

  @Override
  public DeviceListing devices() {
    return DeviceListings.RXE_AND_SOFT;
  }

  @Override
  public void close() {
    sessions.forEach(Session::close);
    sampler.close();
    closed = true;
  }
}

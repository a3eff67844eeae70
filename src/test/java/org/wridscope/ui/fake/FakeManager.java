// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.fake;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.DeviceListing;
import org.wridscope.control.DeviceListings;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabFaults;
import org.wridscope.control.LabSettings;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.SourceSettings;
import org.wridscope.files.Target;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Sampler;

/** Starts sessions that only seem to migrate. */
public final class FakeManager implements SessionManager {
  private final Sampler sampler = new Sampler();
  private final List<Session> sessions = new CopyOnWriteArrayList<>();
  private final List<FakeMigration> migrations = new CopyOnWriteArrayList<>();
  private final List<Object> started = new CopyOnWriteArrayList<>();
  private volatile boolean closed;
  private volatile boolean moving;
  private volatile @Nullable String refusal;
  private volatile CountDownLatch held = new CountDownLatch(0);
  private int labs;

  /**
   * Makes a manager.
   *
   * @param moving whether labs go on by themselves
   */
  public FakeManager(boolean moving) {
    this.moving = moving;
  }

  /** The settings that something was started with, in order. */
  public List<Object> started() {
    return started;
  }

  /** Starting fails with this sentence from now on. */
  public void refuse(String sentence) {
    refusal = sentence;
  }

  private static void check(GuestSettings guest) throws IOException {
    switch (guest) {
      case GuestSettings.Capture capture -> Target.of(capture.out());
      case GuestSettings.Image image when image.out() != null -> Target.of(image.out());
      default -> {}
    }
  }

  /** Adds a session as if it had been started elsewhere in this process. */
  public FakeSession add(String name, String uri, Role role) {
    var session = new FakeSession(name, uri, role, true);
    session.setDowntimeLimit(Duration.ofMillis(300));
    sampler.add(session.telemetry());
    sessions.add(session);
    return session;
  }

  /** Starting takes until this moment from now on, unless it is interrupted. */
  public void holdStarts(CountDownLatch moment) {
    held = moment;
  }

  private void check() throws IOException {
    try {
      held.await();
    } catch (InterruptedException e) {
      throw new InterruptedIOException("starting was interrupted");
    }
    String sentence = refusal;
    if (sentence != null) {
      throw new IOException(sentence);
    }
  }

  @Override
  public Session startSource(SourceSettings settings) throws IOException {
    check();
    started.add(settings);
    FakeSession session = add("source " + started.size(), settings.uri(), Role.SOURCE);
    session.setBandwidthLimit(settings.bandwidthLimit());
    return session;
  }

  @Override
  public Session startDestination(DestinationSettings settings) throws IOException {
    check();
    check(settings.guest());
    started.add(settings);
    return add("destination " + started.size(), settings.uri(), Role.DESTINATION);
  }

  @Override
  public Lab startLab(LabSettings settings, LabFaults faults) throws IOException {
    return startLab(settings);
  }

  @Override
  public synchronized Lab startLab(LabSettings settings) throws IOException {
    check();
    check(settings.guest());
    started.add(settings);
    String name = "lab " + ++labs;
    FakeSession source = add(name + " source", "rdma:127.0.0.1:4444", Role.SOURCE);
    FakeSession destination = add(name + " destination", "rdma:127.0.0.1:4444", Role.DESTINATION);
    source.telemetry().metrics().set(Metric.BANDWIDTH_LIMIT, settings.bandwidthLimit());
    source.telemetry().metrics().set(Metric.DOWNTIME_LIMIT, settings.downtimeLimit().toNanos());
    if (moving) {
      var migration = new FakeMigration(source, destination, settings, labs);
      migrations.add(migration);
      migration.start();
    }
    return new Lab(source, destination);
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

  public boolean closed() {
    return closed;
  }

  @Override
  public void close() {
    migrations.forEach(FakeMigration::stop);
    sessions.forEach(Session::close);
    sampler.close();
    closed = true;
  }
}

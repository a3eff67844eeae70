// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.engine.MigrationParameters;
import org.wridscope.engine.MigrationSession;
import org.wridscope.guest.Guest;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Sampler;
import org.wridscope.telemetry.SessionTelemetry;

/** A session whose engine runs in this process, on a thread of its own. */
final class LocalSession implements Session {
  private static final Logger LOG = LoggerFactory.getLogger(LocalSession.class);

  /** How long closing waits for the engine, which looks for a cancel many times a second. */
  private static final Duration END_PATIENCE = Duration.ofSeconds(30);

  private final String name;
  private final String uri;
  private final String device;
  private final Guest guest;
  private final MigrationParameters parameters;
  private final MigrationSession engine;
  private final Sampler sampler;
  private final CountDownLatch ended = new CountDownLatch(1);
  private boolean closed;

  LocalSession(
      String name,
      String uri,
      String device,
      Guest guest,
      MigrationParameters parameters,
      MigrationSession engine,
      Sampler sampler) {
    this.name = name;
    this.uri = uri;
    this.device = device;
    this.guest = guest;
    this.parameters = parameters;
    this.engine = engine;
    this.sampler = sampler;
  }

  void start() {
    setBandwidthLimit(parameters.bandwidthLimit());
    setDowntimeLimit(Duration.ofNanos(parameters.downtimeLimitNanos()));
    sampler.add(telemetry());
    Thread.ofPlatform().daemon().name(name).start(this::run);
  }

  private void run() {
    try {
      engine.run();
    } finally {
      sampler.remove(telemetry());
      ended.countDown();
    }
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
    return device;
  }

  @Override
  public SessionTelemetry telemetry() {
    return engine.telemetry();
  }

  @Override
  public @Nullable String outcome() {
    return engine.outcome();
  }

  @Override
  public boolean guestRunning() {
    return guest.isRunning();
  }

  @Override
  public Optional<VirtioSnapshot> virtio() {
    return guest.virtio();
  }

  @Override
  public void cancel() {
    engine.cancel();
  }

  @Override
  public void setBandwidthLimit(long bytesPerSecond) {
    parameters.setBandwidthLimit(bytesPerSecond);
    telemetry().metrics().set(Metric.BANDWIDTH_LIMIT, bytesPerSecond);
  }

  @Override
  public void setDowntimeLimit(Duration limit) {
    parameters.setDowntimeLimit(limit);
    telemetry().metrics().set(Metric.DOWNTIME_LIMIT, limit.toNanos());
  }

  @Override
  public MigrationReport report() {
    return Reports.of(this, engine);
  }

  @Override
  public boolean await(Duration timeout) throws InterruptedException {
    return ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    cancel();
    boolean interrupted = false;
    try {
      if (!await(END_PATIENCE)) {
        LOG.warn(
            "session {} has not ended {} s after it was cancelled", name, END_PATIENCE.toSeconds());
        return;
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    guest.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.Session;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;

/** A session without an engine: a test writes its telemetry. */
public final class ScriptedSession implements Session {
  private final String name;
  private final SessionTelemetry telemetry;

  public ScriptedSession(String name, Role role) {
    this(name, role, true);
  }

  public ScriptedSession(String name, Role role, boolean monitored) {
    this.name = name;
    telemetry = new SessionTelemetry(role, monitored);
  }

  /** Adds a sample to the history, with these values and 0 for all other metrics. */
  public void sample(long nanos, Map<Metric, Long> values) {
    var metrics = new Metrics();
    values.forEach(metrics::set);
    telemetry.history().add(nanos, metrics);
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
  public SessionTelemetry telemetry() {
    return telemetry;
  }

  @Override
  public @Nullable String outcome() {
    return null;
  }

  @Override
  public boolean guestRunning() {
    return true;
  }

  @Override
  public void cancel() {
    throw new UnsupportedOperationException("a view must not steer a session");
  }

  @Override
  public void setBandwidthLimit(long bytesPerSecond) {
    throw new UnsupportedOperationException("a view must not steer a session");
  }

  @Override
  public void setDowntimeLimit(Duration limit) {
    throw new UnsupportedOperationException("a view must not steer a session");
  }

  @Override
  public MigrationReport report() {
    throw new UnsupportedOperationException("a view reads telemetry");
  }

  @Override
  public boolean await(Duration timeout) {
    return true;
  }

  @Override
  public void close() {}
}

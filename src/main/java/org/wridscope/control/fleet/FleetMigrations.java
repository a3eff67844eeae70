// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.wridscope.libvirt.VirtConnector;
import org.wridscope.telemetry.Sampler;

/** Migrations of domains by libvirt. Thread-safe; no method waits. */
public final class FleetMigrations implements AutoCloseable {
  private final VirtConnector connector;
  private final Sampler sampler = new Sampler();
  private final HostLimits limits = new HostLimits();
  private final AtomicInteger started = new AtomicInteger();
  private final List<FleetMigration> all = new CopyOnWriteArrayList<>();

  /**
   * @param connector opens the connections
   */
  public FleetMigrations(VirtConnector connector) {
    this.connector = connector;
  }

  /**
   * Starts a migration; what goes wrong is in the outcome of its session.
   *
   * @param limit it begins when each of its hosts takes part in fewer migrations; at least 1
   */
  public FleetMigration start(FleetPlan plan, int limit) {
    String name = "fleet %d: %s".formatted(started.incrementAndGet(), plan.name());
    var migration = new FleetMigration(name, plan, limit, connector, limits, sampler);
    all.add(migration);
    migration.start();
    return migration;
  }

  /** All that were started, in order. */
  public List<FleetMigration> list() {
    return List.copyOf(all);
  }

  /** Forgets those that have ended; their sessions stay. */
  public void clear() {
    all.removeIf(migration -> migration.session().status().isEnd());
  }

  /** Ends the sampling; whoever has the sessions closes those first. */
  @Override
  public void close() {
    sampler.close();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.Exploration;
import org.wridscope.control.scenario.Scenario;

/**
 * Runs random scenarios under schedules, each in the order of its seed. A run waits for nothing, so
 * there is a worker for each processor.
 *
 * @param managers makes the manager of the sessions of a run
 * @param variant makes of each random scenario the one that is run
 */
public record Explorer(
    Supplier<? extends SessionManager> managers, UnaryOperator<Scenario> variant) {
  /** Devices of all of them, so that a run does not depend on its worker. */
  public static final String DEVICES = "exploration";

  /** Receives runs that have ended, on any thread. */
  @FunctionalInterface
  public interface Listener {
    void ended(Scenario scenario, ScheduledRun run);
  }

  /** The scenario of a seed. */
  public Scenario scenario(long seed) {
    return variant.apply(Exploration.of(DEVICES, seed));
  }

  /**
   * Runs the scenario of each seed.
   *
   * @param stop asked before each run; if true, no further one is started
   */
  public void run(long firstSeed, long runs, BooleanSupplier stop, Listener listener)
      throws IOException, InterruptedException {
    var next = new AtomicLong();
    Workers.run(() -> {
      try {
        for (long run = next.getAndIncrement();
            run < runs && !stop.getAsBoolean();
            run = next.getAndIncrement()) {
          Scenario scenario = scenario(firstSeed + run);
          listener.ended(scenario, run(scenario));
        }
      } finally {
        // After a failure the other workers start no more runs.
        next.set(runs);
      }
    });
  }

  private ScheduledRun run(Scenario scenario) throws IOException, InterruptedException {
    try {
      return ScheduledRun.of(managers, scenario.unmonitored(), scenario.schedule());
    } catch (RuntimeException e) {
      throw new IllegalStateException(
          "seed %d could not be run to its end".formatted(scenario.seed()), e);
    }
  }
}

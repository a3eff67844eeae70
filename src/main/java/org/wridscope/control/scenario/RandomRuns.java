// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.wridscope.control.Lab;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;

/**
 * Runs random scenarios in this process. Each of them mostly waits, so several run concurrently,
 * each on its own devices.
 */
public final class RandomRuns implements AutoCloseable {
  private final UnaryOperator<Scenario> variant;
  private final int atOnce;
  private final BooleanSupplier interrupted;
  private final SessionManager manager;
  private final ExecutorService workers;

  /** Receives runs that have ended, on any thread. */
  @FunctionalInterface
  public interface Listener {
    /**
     * Receives a run.
     *
     * @param lab whose sessions are not yet removed
     */
    void ended(Scenario scenario, Lab lab, Verdict verdict);
  }

  /**
   * @param variant makes of each random scenario the one that is run
   * @param atOnce number of concurrent runs
   * @param interrupted whether no further run is to begin
   */
  public RandomRuns(
      Supplier<SessionManager> managers,
      UnaryOperator<Scenario> variant,
      int atOnce,
      BooleanSupplier interrupted) {
    this.variant = variant;
    this.atOnce = atOnce;
    manager = managers.get();
    workers = Executors.newFixedThreadPool(atOnce);
    this.interrupted = interrupted;
  }

  /** Cancels what runs; to be called when no further run is to begin. */
  public void cancel() {
    manager.sessions().forEach(Session::cancel);
  }

  /**
   * Runs a scenario for each seed, and waits for all; none is started after an interruption. The
   * listener does not receive cancelled runs.
   *
   * @throws IOException if a run cannot be started
   */
  public void run(long firstSeed, int runs, Listener listener)
      throws IOException, InterruptedException {
    var next = new AtomicInteger();
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < Math.min(atOnce, runs); i++) {
      String devices = "random-" + i;
      all.add(
          workers.submit(() -> {
            try {
              for (int run = next.getAndIncrement();
                  run < runs && !interrupted.getAsBoolean();
                  run = next.getAndIncrement()) {
                run(variant.apply(Exploration.of(devices, firstSeed + run)), listener);
              }
            } finally {
              // After a failure the other workers start no more runs.
              next.set(runs);
            }
            return null;
          }));
    }
    for (Future<?> worker : all) {
      try {
        worker.get();
      } catch (ExecutionException e) {
        if (e.getCause() instanceof IOException cause) {
          throw cause;
        }
        throw new IllegalStateException(e.getCause());
      }
    }
  }

  private void run(Scenario scenario, Listener listener) throws IOException, InterruptedException {
    Lab lab = manager.startLab(scenario.lab(), scenario.faults(0));
    if (interrupted.getAsBoolean()) {
      lab.source().cancel();
    }
    Verdict verdict = Verdict.await(scenario, 0, lab, () -> {});
    if (!interrupted.getAsBoolean()) {
      listener.ended(scenario, lab, verdict);
    }
    manager.remove(lab.source());
    manager.remove(lab.destination());
  }

  @Override
  public void close() {
    workers.close();
    manager.close();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.wridscope.control.Lab;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.Exploration;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Verdict;

/**
 * Runs random scenarios in this process. Each of them mostly waits, so several run concurrently,
 * each on its own devices. Ctrl-C cancels them.
 */
final class RandomRuns implements AutoCloseable {
  private final UnaryOperator<Scenario> variant;
  private final int atOnce;
  private final Interruption interruption = new Interruption(Session.END_PATIENCE);
  private final SessionManager manager;
  private final ExecutorService workers;

  /** Receives runs that have ended, on any thread. */
  @FunctionalInterface
  interface Listener {
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
   */
  RandomRuns(Supplier<SessionManager> managers, UnaryOperator<Scenario> variant, int atOnce) {
    this.variant = variant;
    this.atOnce = atOnce;
    manager = managers.get();
    workers = Executors.newFixedThreadPool(atOnce);
    interruption.onRequest(() -> manager.sessions().forEach(Session::cancel));
  }

  boolean interrupted() {
    return interruption.requested();
  }

  /**
   * Runs a scenario for each seed, and waits for all; none is started after Ctrl-C. The listener
   * does not receive cancelled runs.
   *
   * @throws IOException if a run cannot be started
   */
  void run(long firstSeed, int runs, Listener listener) throws IOException, InterruptedException {
    var next = new AtomicInteger();
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < Math.min(atOnce, runs); i++) {
      String devices = "random-" + i;
      all.add(
          workers.submit(() -> {
            try {
              for (int run = next.getAndIncrement();
                  run < runs && !interrupted();
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
    if (interrupted()) {
      lab.source().cancel();
    }
    Verdict verdict = Verdict.await(scenario, 0, lab, () -> {});
    if (!interrupted()) {
      listener.ended(scenario, lab, verdict);
    }
    manager.remove(lab.source());
    manager.remove(lab.destination());
  }

  @Override
  public void close() {
    workers.close();
    manager.close();
    interruption.close();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.wridscope.control.CompletionQueues;
import org.wridscope.control.Lab;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.Exploration;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.MigrationStatus;

/**
 * Runs scenarios made at random and looks for one that breaks what must always hold. Much of the
 * time of each is waiting, so several go on at once, each on devices of its own.
 */
final class ExplorationRunner {
  private static final int TELL_EVERY = 1000;
  private static final int AT_ONCE = 4 * Runtime.getRuntime().availableProcessors();
  private static final Duration END_PATIENCE = Duration.ofSeconds(20);

  private final Supplier<SessionManager> managers;
  private final Terminal terminal;

  // Guarded by this object's lock.
  private final Map<String, Integer> ends = new TreeMap<>();
  private int done;
  private int broken;

  ExplorationRunner(Supplier<SessionManager> managers, Terminal terminal) {
    this.managers = managers;
    this.terminal = terminal;
  }

  /**
   * Runs one scenario for each seed from the given one on.
   *
   * @return what to exit with: 0 when all that must hold held in each
   */
  int run(int runs, long firstSeed, CompletionQueues queues) throws InterruptedException {
    long begin = System.nanoTime();
    try (Interruption interruption = new Interruption(END_PATIENCE);
        SessionManager manager = managers.get();
        ExecutorService workers = Executors.newFixedThreadPool(AT_ONCE)) {
      var next = new AtomicInteger();
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < Math.min(AT_ONCE, runs); i++) {
        String devices = "explore-" + i;
        all.add(
            workers.submit(() -> {
              for (int run = next.getAndIncrement();
                  run < runs && !interruption.requested();
                  run = next.getAndIncrement()) {
                explore(manager, Exploration.of(devices, firstSeed + run).with(queues), runs);
              }
              return null;
            }));
      }
      for (Future<?> worker : all) {
        worker.get();
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException cause) {
        terminal.message("wridscope: " + cause.getMessage());
        return ExitCode.FAILED.number();
      }
      throw new IllegalStateException(e.getCause());
    }
    terminal.result(
        broken == 0 ? Terminal.Colour.GOOD : Terminal.Colour.BAD,
        "%,d runs in %s, %s; %,d broke what must hold"
            .formatted(done, Format.duration(System.nanoTime() - begin), ends, broken));
    return broken == 0 ? ExitCode.COMPLETED.number() : ExitCode.FAILED.number();
  }

  private void explore(SessionManager manager, Scenario scenario, int runs)
      throws IOException, InterruptedException {
    Lab lab = manager.startLab(scenario.lab(), scenario.faults(0));
    boolean _ = lab.source().await(Scenario.PATIENCE);
    boolean _ = lab.destination().await(END_PATIENCE);
    tell(scenario, lab, Verdict.of(scenario, 0, lab), runs);
    manager.remove(lab.source());
    manager.remove(lab.destination());
  }

  /** Whether it did not complete because a wait had thrown a completion away. */
  private static boolean hung(Lab lab) {
    return lab.source().status() != MigrationStatus.COMPLETED
        && String.valueOf(lab.source().outcome()).contains("had thrown away");
  }

  private synchronized void tell(Scenario scenario, Lab lab, Verdict verdict, int runs) {
    List<String> problems = new ArrayList<>(verdict.problems());
    if (hung(lab)) {
      problems.add("It hung: " + lab.source().outcome());
    }
    for (String problem : problems) {
      terminal.result(Terminal.Colour.BAD, "seed %d: %s".formatted(scenario.seed(), problem));
    }
    broken += problems.isEmpty() ? 0 : 1;
    done++;
    ends.merge(lab.source().status().qemuName(), 1, Integer::sum);
    String text = "%,d of %,d: %s".formatted(done, runs, ends);
    if (terminal.redraws()) {
      terminal.redraw(List.of(text));
    } else if (done % TELL_EVERY == 0) {
      terminal.message(text);
    }
  }
}

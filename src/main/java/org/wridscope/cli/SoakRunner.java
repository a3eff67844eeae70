// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.wridscope.control.Footprint;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.RandomRuns;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.memory.NativeMemory;
import org.wridscope.text.Format;
import org.wridscope.verbs.soft.SoftResource;

/**
 * Runs many migrations with random faults in one process, and checks that it does not hold more
 * resources at the end than after the first runs.
 */
final class SoakRunner {
  /** After this number of runs everything is open that stays open. */
  static final int SETTLED = 10;

  private static final int ROWS = 10;
  private static final int AT_ONCE = 4;

  private final Supplier<SessionManager> managers;
  private final Terminal terminal;

  SoakRunner(Supplier<SessionManager> managers, Terminal terminal) {
    this.managers = managers;
    this.terminal = terminal;
  }

  /**
   * Runs a scenario for each seed from the given one on.
   *
   * @param runs more than {@link #SETTLED}
   * @return the status with which the process exits: 0 if nothing grew and no invariant was broken
   */
  ExitCode run(int runs, long firstSeed, UnaryOperator<Scenario> variant)
      throws IOException, InterruptedException {
    Map<String, Long> before = held();
    try (var interruption = new Interruption(Session.END_PATIENCE);
        var random = new RandomRuns(managers, variant, AT_ONCE, interruption::requested)) {
      interruption.onRequest(random::cancel);
      terminal.result(
          "%10s%10s%13s%10s%11s%12s%12s%12s%12s"
              .formatted(
                  "after",
                  "threads",
                  "descriptors",
                  "mappings",
                  "resources",
                  "own memory",
                  "buffers",
                  "heap",
                  "native"));
      Footprint settled = null;
      int done = 0;
      List<String> problems = Collections.synchronizedList(new ArrayList<>());
      for (int row = 0; row <= ROWS; row++) {
        int until = SETTLED + (int) ((long) (runs - SETTLED) * row / ROWS);
        random.run(
            firstSeed + done,
            until - done,
            (scenario, _, verdict) -> {
              for (String problem : verdict.problems()) {
                problems.add("seed %d: %s".formatted(scenario.seed(), problem));
              }
            });
        if (interruption.requested()) {
          return ExitCode.INTERRUPTED;
        }
        done = until;
        Footprint now = Footprint.now();
        terminal.result(line(done, now));
        problems.addAll(left(done, before));
        if (settled == null) {
          settled = now;
        } else if (row == ROWS) {
          problems.addAll(settled.grownTo(now));
        }
      }
      return conclude(problems);
    }
  }

  /** Resources of devices and memory; sessions must release all of them. */
  private static Map<String, Long> held() {
    Map<String, Long> held = new LinkedHashMap<>();
    for (SoftResource resource : SoftResource.values()) {
      held.put(resource.name().toLowerCase(Locale.ROOT).replace('_', ' '), resource.alive());
    }
    held.put("byte of own memory", NativeMemory.mappedBytes());
    return held;
  }

  /** A sentence for each resource that was not released, when all sessions were removed. */
  private static List<String> left(int runs, Map<String, Long> before) {
    List<String> problems = new ArrayList<>();
    held()
        .forEach((what, count) -> {
          long more = count - before.getOrDefault(what, 0L);
          if (more > 0) {
            problems.add(
                "after %s runs, %s of this was not released: %s"
                    .formatted(Format.count(runs), Format.count(more), what));
          }
        });
    return problems;
  }

  private static String line(int runs, Footprint now) {
    return "%,10d%,10d%,13d%,10d%,11d%12s%12s%12s%12s"
        .formatted(
            runs,
            now.threads(),
            now.descriptors(),
            now.mappings(),
            now.resources(),
            Format.bytes(now.ownMemory()),
            Format.bytes(now.directBuffers()),
            Format.bytes(now.heap()),
            Format.bytes(now.nativeMemory()));
  }

  private ExitCode conclude(List<String> problems) {
    terminal.result(Footprint.TOLERANCE);
    if (problems.isEmpty()) {
      terminal.result(Terminal.Colour.GOOD, "nothing grew");
      return ExitCode.COMPLETED;
    }
    problems.forEach(problem -> terminal.result(Terminal.Colour.BAD, problem));
    return ExitCode.FAILED;
  }
}

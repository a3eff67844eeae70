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
import org.wridscope.control.CompletionQueues;
import org.wridscope.control.Footprint;
import org.wridscope.control.SessionManager;
import org.wridscope.memory.NativeMemory;
import org.wridscope.telemetry.Format;
import org.wridscope.verbs.soft.SoftResource;

/**
 * Runs many migrations, with faults of all kinds, in one process, and looks whether it holds more
 * in the end than after the first ones.
 */
final class SoakRunner {
  /** Runs after which all has been opened that stays open. */
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
   * Runs one scenario for each seed from the given one on.
   *
   * @param runs more than {@link #SETTLED}
   * @return what to exit with: 0 when nothing grew, and all that must hold held in each
   */
  int run(int runs, long firstSeed, CompletionQueues queues) throws InterruptedException {
    Map<String, Long> before = taken();
    try (var random = new RandomRuns(managers, queues, AT_ONCE)) {
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
        if (random.interrupted()) {
          return ExitCode.INTERRUPTED.number();
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
      return conclude(problems).number();
    } catch (IOException e) {
      terminal.message("wridscope: " + e.getMessage());
      return ExitCode.FAILED.number();
    }
  }

  /** What sessions take of devices and memory, and give back to the last one when they go. */
  private static Map<String, Long> taken() {
    Map<String, Long> taken = new LinkedHashMap<>();
    for (SoftResource resource : SoftResource.values()) {
      taken.put(resource.name().toLowerCase(Locale.ROOT).replace('_', ' '), resource.alive());
    }
    taken.put("byte of own memory", NativeMemory.mappedBytes());
    return taken;
  }

  /** All sessions are gone. */
  private static List<String> left(int runs, Map<String, Long> before) {
    List<String> problems = new ArrayList<>();
    taken()
        .forEach((what, count) -> {
          long more = count - before.getOrDefault(what, 0L);
          if (more > 0) {
            problems.add("after %,d runs %,d of this is left: %s".formatted(runs, more, what));
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

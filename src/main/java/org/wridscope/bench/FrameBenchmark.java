// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures the frames of the window's thread while it shows migrations, one view after the other,
 * in a process of its own.
 */
public final class FrameBenchmark implements AutoCloseable {
  /** No frame should take longer. */
  private static final int GOAL_MILLIS = 50;

  private static final String TRIAL = "org.wridscope.bench.window.FrameTrial";
  private static final String FRAMES = "frames";
  private static final String SLOW = "slow";
  private static final int FRAME_FIELDS = 10;
  private static final int SLOW_FIELDS = 3;

  /** Nine views, with up to two minutes for the migration that each shows. */
  private static final long LIMIT_SECONDS_OF_EACH = 1200;

  private final ProgramLaunch launch;
  private final boolean screen;
  private final long ramBytes;
  private final BenchmarkFolder folder;
  private final ProgramRuns programs;

  /**
   * The frames while one view was open; times in milliseconds.
   *
   * @param mostOwn the most processor time of the thread in a frame
   * @param over frames that took longer than the goal
   * @param overOwn frames that took more processor time than the goal
   */
  record View(
      String view,
      int frames,
      double median,
      double p99,
      double p999,
      double max,
      double mostOwn,
      int over,
      int overOwn) {}

  /**
   * What the thread did in frames over the goal.
   *
   * @param samples how often it was there
   */
  record Slow(int samples, String place) {}

  /**
   * What was measured.
   *
   * @param load of the machine over the last minute, at the end; negative if it is not known
   */
  public record Results(
      List<View> views,
      List<Slow> slow,
      int goalMillis,
      boolean screen,
      long ramBytes,
      int migrations,
      int processors,
      double load) {}

  /**
   * @param screen whether there is one for the window; without one, the window is drawn in memory
   * @param ramBytes RAM of the guest that is migrated
   */
  public FrameBenchmark(BenchmarkRounds rounds, ProgramLaunch launch, boolean screen, long ramBytes)
      throws IOException {
    this.launch = launch;
    this.screen = screen;
    this.ramBytes = ramBytes;
    folder = BenchmarkFolder.create();
    programs = new ProgramRuns(rounds, folder.path(), screen);
  }

  /**
   * Measures.
   *
   * @param migrations that each view shows
   */
  public Results run(int migrations) throws IOException, InterruptedException {
    var views = new ArrayList<View>();
    var slow = new ArrayList<Slow>();
    List<String> command =
        programs
            .shown(launch)
            .command(TRIAL, Long.toString(ramBytes), Integer.toString(migrations));
    String said =
        programs.run(command, line -> take(line, views, slow), LIMIT_SECONDS_OF_EACH * migrations);
    if (views.isEmpty()) {
      throw new IOException("The window was not measured: " + said.strip());
    }
    return new Results(
        List.copyOf(views),
        List.copyOf(slow),
        GOAL_MILLIS,
        screen,
        ramBytes,
        migrations,
        Runtime.getRuntime().availableProcessors(),
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }

  private static void take(String line, List<View> views, List<Slow> slow) {
    String[] fields = line.split("\t", -1);
    if (fields[0].equals(FRAMES) && fields.length == FRAME_FIELDS) {
      views.add(
          new View(
              fields[1],
              Integer.parseInt(fields[2]),
              Double.parseDouble(fields[3]),
              Double.parseDouble(fields[4]),
              Double.parseDouble(fields[5]),
              Double.parseDouble(fields[6]),
              Double.parseDouble(fields[7]),
              Integer.parseInt(fields[8]),
              Integer.parseInt(fields[9])));
    } else if (fields[0].equals(SLOW) && fields.length == SLOW_FIELDS) {
      slow.add(new Slow(Integer.parseInt(fields[1]), fields[2]));
    }
  }

  /** The lines of a table. */
  public static List<String> table(Results results) {
    var lines = new ArrayList<String>();
    lines.add(
        String.format(
            Locale.ROOT,
            "frames of the window's thread during migrations, each view open for %d; %d processors,"
                + " load %.1f, the window %s",
            results.migrations(),
            results.processors(),
            results.load(),
            results.screen() ? "on a display" : "without a display"));
    lines.add(
        "%-14s %7s %9s %8s %9s %8s %9s %9s %9s"
            .formatted(
                "",
                "frames",
                "median ms",
                "p99 ms",
                "p99.9 ms",
                "max ms",
                "CPU ms",
                "> 50 ms",
                "CPU > 50"));
    for (View view : results.views()) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%-14s %7d %9.1f %8.1f %9.1f %8.1f %9.1f %9d %9d",
              view.view(),
              view.frames(),
              view.median(),
              view.p99(),
              view.p999(),
              view.max(),
              view.mostOwn(),
              view.over(),
              view.overOwn()));
    }
    for (Slow slow : results.slow()) {
      lines.add("%7d times in long frames: %s".formatted(slow.samples(), slow.place()));
    }
    return lines;
  }

  /** Ends the process that runs now; from any thread. */
  public void stop() {
    programs.stop();
  }

  /** Removes what the run has written. */
  @Override
  public void close() throws IOException {
    folder.close();
  }
}

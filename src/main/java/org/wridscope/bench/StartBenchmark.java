// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.wridscope.bench.BenchmarkRounds.Case;
import org.wridscope.telemetry.DowntimePart;
import org.wridscope.text.Format;

/**
 * Measures starts of the program in processes of their own, with the cache that {@code
 * packaging/aot-cache} makes and without it, and with nothing remembered from earlier ones.
 */
public final class StartBenchmark implements AutoCloseable {
  private static final String MAIN = "org.wridscope.Main";
  private static final String WINDOW = "org.wridscope.bench.window.StartTrial";
  private static final String FIRST_FRAME = "first-frame";
  private static final String USABLE = "usable ";
  private static final String LAST_PAGES = DowntimePart.LAST_PAGES.text();
  private static final String DIRTY_RATE = "200MiB/s";

  /** What is measured, each with its goal in ms. */
  private enum Measure {
    VERSION("version", 300),
    FIRST_FRAME("window-first-frame", 1500),
    USABLE("window-usable", 1500),
    DOWNTIME("first-downtime-without-last-pages", 5);

    private final String title;
    private final double goalMillis;

    Measure(String title, double goalMillis) {
      this.title = title;
      this.goalMillis = goalMillis;
    }
  }

  private final BenchmarkRounds rounds;
  private final ProgramLaunch plain;
  private final ProgramLaunch cached;
  private final boolean screen;
  private final long ramBytes;
  private final BenchmarkFolder folder;
  private final ProgramRuns programs;

  /**
   * Medians of one measure.
   *
   * @param plainMillis without the cache
   * @param cachedMillis with it
   * @param ratio of the time with the cache to the one without
   */
  public record Start(
      String name, double plainMillis, double cachedMillis, double ratio, double goalMillis) {}

  /**
   * What was measured.
   *
   * @param screen whether the window was on a screen
   */
  public record Results(List<Start> results, boolean screen, long ramBytes, int repetitions) {}

  /**
   * @param screen whether there is one for the window; without one, the window is drawn in memory
   * @param ramBytes RAM of the guest that is migrated
   */
  public StartBenchmark(
      BenchmarkRounds rounds,
      ProgramLaunch plain,
      ProgramLaunch cached,
      boolean screen,
      long ramBytes)
      throws IOException {
    this.rounds = rounds;
    this.plain = plain;
    this.cached = cached;
    this.screen = screen;
    this.ramBytes = ramBytes;
    folder = BenchmarkFolder.create();
    programs = new ProgramRuns(rounds, folder.path(), screen);
  }

  /** The times of the runs with one of the launches. */
  private static final class Times {
    private final Map<Measure, List<Double>> millis = new EnumMap<>(Measure.class);

    void add(Measure measure, double time) {
      millis.computeIfAbsent(measure, _ -> new ArrayList<>()).add(time);
    }

    double median(Measure measure) {
      return BenchmarkRounds.median(millis.getOrDefault(measure, List.of()));
    }
  }

  /**
   * Measures.
   *
   * @param warmUps runs whose times do not count, after which the files are in memory
   */
  public Results run(int warmUps, int repetitions) throws IOException, InterruptedException {
    rounds.warmUp(cases(new Times(), new Times()), warmUps);
    var without = new Times();
    var with = new Times();
    rounds.take(cases(without, with), repetitions);
    var results = new ArrayList<Start>();
    for (Measure measure : Measure.values()) {
      double before = without.median(measure);
      double after = with.median(measure);
      results.add(
          new Start(
              measure.title,
              BenchmarkRounds.rounded(before),
              BenchmarkRounds.rounded(after),
              BenchmarkRounds.rounded(after / before),
              measure.goalMillis));
    }
    return new Results(results, screen, ramBytes, repetitions);
  }

  private List<Case> cases(Times without, Times with) {
    return List.of(
        new Case("version-plain", () -> version(plain, without)),
        new Case("version-cached", () -> version(cached, with)),
        new Case("window-plain", () -> window(plain, without)),
        new Case("window-cached", () -> window(cached, with)),
        new Case("migration-plain", () -> migration(plain, without)),
        new Case("migration-cached", () -> migration(cached, with)));
  }

  private double version(ProgramLaunch launch, Times times)
      throws IOException, InterruptedException {
    long begin = System.nanoTime();
    String said = programs.run(launch.command(MAIN, "--version"), _ -> {});
    double millis = millisSince(begin);
    if (!said.contains("wridscope ")) {
      throw new IOException("--version printed no version, but: " + said.strip());
    }
    times.add(Measure.VERSION, millis);
    return millis;
  }

  private double window(ProgramLaunch launch, Times times)
      throws IOException, InterruptedException {
    var seen = new EnumMap<Measure, Double>(Measure.class);
    long begin = System.nanoTime();
    String said =
        programs.run(
            programs.shown(launch).command(WINDOW),
            line -> {
              if (line.equals(FIRST_FRAME)) {
                seen.put(Measure.FIRST_FRAME, millisSince(begin));
              } else if (line.startsWith(USABLE)) {
                double ago = Long.parseLong(line.substring(USABLE.length())) / 1e6;
                seen.put(Measure.USABLE, millisSince(begin) - ago);
              }
            });
    Double frame = seen.get(Measure.FIRST_FRAME);
    Double usable = seen.get(Measure.USABLE);
    if (frame == null || usable == null) {
      throw new IOException("The window was not shown: " + said.strip());
    }
    times.add(Measure.FIRST_FRAME, frame);
    // The first line may have been read late.
    times.add(Measure.USABLE, Math.max(frame, usable));
    return frame;
  }

  private double migration(ProgramLaunch launch, Times times)
      throws IOException, InterruptedException {
    Path report = folder.path().resolve("report.json");
    String _ =
        programs.run(
            launch.command(
                MAIN,
                "lab",
                "--ram",
                Format.exactBytes(ramBytes),
                "--dirty-rate",
                DIRTY_RATE,
                "--report",
                report.toString()),
            _ -> {});
    double millis = 0;
    for (Map.Entry<String, JsonElement> phase : phases(report).entrySet()) {
      millis += phase.getKey().equals(LAST_PAGES) ? 0 : phase.getValue().getAsDouble();
    }
    times.add(Measure.DOWNTIME, millis);
    return millis;
  }

  private static JsonObject phases(Path report) throws IOException {
    try (Reader in = Files.newBufferedReader(report)) {
      JsonElement phases = JsonParser.parseReader(in).getAsJsonObject().get("downtime-phases");
      return Objects.requireNonNull(phases, "a migration has phases of its downtime")
          .getAsJsonObject();
    } catch (JsonParseException e) {
      throw new IOException("The report of the migration is not readable: " + e.getMessage(), e);
    }
  }

  /** Ends the process that runs now; from any thread. */
  public void stop() {
    programs.stop();
  }

  private static double millisSince(long begin) {
    return (System.nanoTime() - begin) / 1e6;
  }

  /** Removes what the runs have written. */
  @Override
  public void close() throws IOException {
    folder.close();
  }
}

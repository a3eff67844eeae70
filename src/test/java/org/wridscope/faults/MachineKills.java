// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.io.IOException;
import java.io.PrintStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.wridscope.control.qemu.QemuRelease;
import org.wridscope.faults.KillRun.Moment;
import org.wridscope.faults.KillRun.Span;
import org.wridscope.faults.KillRun.Verdict;
import org.wridscope.faults.KillRun.Victims;

/**
 * Kills Wridscopes while they migrate the guest of a QEMU to another QEMU, for {@code lab/softroce
 * kills}, and prints a table. Arguments: the setting, the file for the results, in how many runs
 * each end is killed, in how many both, and how many are executed at once.
 */
public final class MachineKills {
  /** How many kills of one release are executed at once. */
  private static final int AT_ONCE = 2;

  private MachineKills() {}

  public static void main(String[] arguments) throws Exception {
    KillSetting setting = KillSetting.valueOf(arguments[0]);
    Path file = Path.of(arguments[1]).toAbsolutePath();
    List<KillRun> runs =
        runs(setting, Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
    int atOnce = Integer.parseInt(arguments[4]);
    Files.createDirectories(file.getParent());
    List<Verdict> verdicts =
        switch (setting) {
          case TCP -> execute(runs, atOnce, LocalEnd::new, file);
          case SOFT_ROCE -> {
            try (Socket agent = KillAgent.connect(setting.host())) {
              yield execute(runs, atOnce, KillAgent.over(agent), file);
            }
          }
        };
    System.out.print(table(setting, verdicts));
    System.exit(verdicts.stream().allMatch(verdict -> verdict.outcome().isGood()) ? 0 : 1);
  }

  private static List<Verdict> execute(
      List<KillRun> runs, int atOnce, KillEnds destinations, Path file) throws Exception {
    try (var out = new PrintStream(Files.newOutputStream(file), true, StandardCharsets.UTF_8);
        ExecutorService executor = Executors.newFixedThreadPool(atOnce)) {
      KillSetting setting = runs.getFirst().setting();
      Span span = rehearse(executor, atOnce, runs.getFirst(), destinations);
      System.out.printf(
          Locale.ROOT,
          "%s: a migration takes %.2f s, %.2f s of that from the stop of the guest on%n",
          setting.text(),
          span.whole() / 1e9,
          span.switchOver() / 1e9);
      return results(
          runs.stream()
              .map(run ->
                  executor.submit(() -> {
                    Verdict verdict = run.run(destinations, span);
                    out.println(line(verdict));
                    if (!verdict.outcome().isGood()) {
                      System.out.println(line(verdict));
                    }
                    return verdict;
                  }))
              .toList());
    }
  }

  /**
   * Kills one end after the guest's stop, over TCP, where both QEMUs are of one release.
   *
   * @param source whether the source is killed, not the destination
   * @return figures
   * @throws IOException if anything went wrong, with the notes of the runs
   */
  public static String inTheSwitchOver(QemuRelease release, boolean source, int kills)
      throws Exception {
    Victims victims = source ? Victims.SOURCE : Victims.DESTINATION;
    List<KillRun> runs = new ArrayList<>();
    for (int i = 0; i < kills; i++) {
      runs.add(new KillRun(KillSetting.TCP, release.program(), victims, Moment.SWITCH_OVER, i));
    }
    List<Verdict> verdicts;
    try (ExecutorService executor = Executors.newFixedThreadPool(AT_ONCE)) {
      Span span = rehearse(executor, AT_ONCE, runs.getFirst(), LocalEnd::new);
      verdicts =
          results(
              runs.stream()
                  .map(run -> executor.submit(() -> run.run(LocalEnd::new, span)))
                  .toList());
    }
    List<String> wrong =
        verdicts.stream()
            .filter(verdict -> !verdict.outcome().isGood())
            .map(MachineKills::line)
            .toList();
    if (!wrong.isEmpty()) {
      throw new IOException(String.join("; ", wrong));
    }
    return "%d runs: %d guests at the source, %d at the destination, %d undecided, %d ended before"
        .formatted(
            kills,
            count(verdicts, outcome -> outcome == KillOutcome.STAYED),
            count(verdicts, outcome -> outcome == KillOutcome.MOVED),
            count(verdicts, outcome -> outcome == KillOutcome.UNDECIDED),
            count(verdicts, outcome -> outcome == KillOutcome.LATE));
  }

  private static <T> List<T> results(List<Future<T>> started) throws Exception {
    List<T> results = new ArrayList<>();
    for (Future<T> each : started) {
      results.add(each.get());
    }
    return results;
  }

  /** As many at once as there will be runs, which take longer than one alone; the longest times. */
  private static Span rehearse(
      ExecutorService executor, int atOnce, KillRun run, KillEnds destinations) throws Exception {
    List<Span> spans =
        results(
            Collections.nCopies(atOnce, run).stream()
                .map(each ->
                    executor.submit(
                        () -> KillRun.rehearse(each.setting(), each.qemu(), destinations)))
                .toList());
    return new Span(
        spans.stream().mapToLong(Span::whole).max().orElseThrow(),
        spans.stream().mapToLong(Span::switchOver).max().orElseThrow());
  }

  /**
   * The runs, half of them at the switch-over.
   *
   * @param one for each end alone
   * @param both in which both ends are killed
   */
  static List<KillRun> runs(KillSetting setting, int one, int both) {
    List<KillRun> runs = new ArrayList<>();
    for (int i = 0; i < Math.max(one, both); i++) {
      for (Victims victims : Victims.values()) {
        if (i < (victims == Victims.BOTH ? both : one)) {
          Moment moment = i % 2 == 0 ? Moment.SWITCH_OVER : Moment.ANY;
          runs.add(new KillRun(setting, CountingQemu.PROGRAM, victims, moment, runs.size()));
        }
      }
    }
    return runs;
  }

  private static String line(Verdict verdict) {
    KillRun run = verdict.run();
    return "%s\t%d\t%s\t%s\t%s\t%d\t%s"
        .formatted(
            run.setting(),
            run.number(),
            run.victims(),
            run.moment(),
            verdict.outcome(),
            verdict.millis(),
            verdict.note().strip().replaceAll("\\s+", " "));
  }

  /** A table as in {@code docs/reliability.md}. */
  static String table(KillSetting setting, List<Verdict> verdicts) {
    var text =
        new StringBuilder("\n**Over %s: %d runs.**\n\n".formatted(setting.text(), verdicts.size()));
    text.append(
        "| killed | when | runs | runs at the source | runs at the destination | undecided | ended"
            + " before | wrong |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (Victims victims : Victims.values()) {
      for (Moment moment : Moment.values()) {
        text.append(
            row(
                "%s | %s".formatted(victims.text(), moment.text()),
                verdicts.stream()
                    .filter(verdict ->
                        verdict.run().victims() == victims && verdict.run().moment() == moment)
                    .toList()));
      }
    }
    return text.append(row("all | ", verdicts)).append('\n').toString();
  }

  private static String row(String title, List<Verdict> verdicts) {
    return "| %s | %d | %d | %d | %d | %d | %d |\n"
        .formatted(
            title,
            verdicts.size(),
            count(verdicts, outcome -> outcome == KillOutcome.STAYED),
            count(verdicts, outcome -> outcome == KillOutcome.MOVED),
            count(verdicts, outcome -> outcome == KillOutcome.UNDECIDED),
            count(verdicts, outcome -> outcome == KillOutcome.LATE),
            count(verdicts, outcome -> !outcome.isGood()));
  }

  private static long count(List<Verdict> verdicts, Predicate<KillOutcome> wanted) {
    return verdicts.stream().map(Verdict::outcome).filter(wanted).count();
  }
}

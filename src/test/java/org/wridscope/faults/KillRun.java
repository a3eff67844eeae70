// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * One migration of a guest from a QEMU to another, of which one Wridscope or both are killed at
 * some moment.
 */
record KillRun(KillSetting setting, Victims victims, Moment moment, long number) {
  /** For everything after the kill, with all the waits of the survivor and the guards. */
  private static final long AFTERWARDS_SECONDS = 240;

  private static final long MIGRATION_SECONDS = 600;

  /** For a destination to notice the end of a source, and to start its guard. */
  private static final long CONNECTED_SECONDS = 5;

  private static final long SLICE_MILLIS = 5;

  private static final int ATTEMPTS = 4;

  /** More than there are runs. */
  private static final long NUMBERS = 1_000_000;

  /** In the sentence of a source, or of its guard, that cannot find out. */
  private static final String UNKNOWN = "unknown whether the destination started the guest";

  /** Who is killed. */
  enum Victims {
    SOURCE("the source"),
    DESTINATION("the destination"),
    BOTH("both");

    private final String text;

    Victims(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  /** When it is killed. */
  enum Moment {
    /** At any time from the start of the source's process on. */
    ANY("at any time"),
    /** From the moment on at which the guest stops at the source. */
    SWITCH_OVER("after the guest's stop");

    private final String text;

    Moment(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  /**
   * What became of the guest.
   *
   * @param millis from the kill until both ends and their guards had ended
   */
  record Verdict(KillRun run, KillOutcome outcome, long millis, String note) {}

  /**
   * How long a migration takes without a kill, in nanoseconds.
   *
   * @param whole from the start of the source's process to its end
   * @param switchOver from the moment at which the guest stops until that end
   */
  record Span(long whole, long switchOver) {}

  /** Measures a migration without a kill. */
  static Span rehearse(KillSetting setting) throws Exception {
    Path folder = Files.createTempDirectory(KillSetting.folder(), "kill");
    try (var here = new CountingQemu(folder.resolve("source"), false);
        var there = new CountingQemu(folder.resolve("destination"), true);
        var destination = destination(setting, folder, there)) {
      var stopped = new AtomicLong();
      String uri = destination.uri();
      try (var _ = here.onStop(() -> stopped.set(System.nanoTime()));
          var source = source(setting, folder, uri, here)) {
        long begin = System.nanoTime();
        boolean ended = source.await(MIGRATION_SECONDS);
        long end = System.nanoTime();
        if (!ended || !destination.await(MIGRATION_SECONDS) || here.runs() || !there.runs()) {
          throw new IOException(
              "a migration without a kill failed: %s / %s / %s / %s"
                  .formatted(
                      source.output(), destination.output(), here.messages(), there.messages()));
        }
        List<String> left = leftovers(folder, here, there);
        if (!left.isEmpty()) {
          throw new IOException("a migration without a kill left behind: " + left);
        }
        return new Span(end - begin, end - stopped.get());
      }
    } finally {
      delete(folder);
    }
  }

  private static Program destination(KillSetting setting, Path folder, CountingQemu qemu)
      throws IOException {
    return new Program(
        folder, temporary(folder), setting.arguments("destination", setting.uri(), qemu.socket()));
  }

  private static Program source(KillSetting setting, Path folder, String uri, CountingQemu qemu)
      throws IOException {
    return new Program(folder, temporary(folder), setting.arguments("source", uri, qemu.socket()));
  }

  private static Path temporary(Path folder) throws IOException {
    return Files.createDirectories(folder.resolve("tmp"));
  }

  /** What is not as it was before the migration; empty if everything is. */
  private static List<String> leftovers(Path folder, CountingQemu here, CountingQemu there)
      throws IOException, InterruptedException {
    List<String> left = new ArrayList<>(here.leftovers());
    left.addAll(there.leftovers());
    try (Stream<Path> files = Files.walk(temporary(folder))) {
      files.skip(1).map(Path::toString).forEach(left::add);
    }
    return left;
  }

  /**
   * Runs it, and again with another moment as long as all victims had ended before the kill.
   *
   * @return a verdict; a failure of the run itself is one, too
   */
  Verdict run(Span span) {
    Verdict verdict = runOnce(span);
    for (int more = 1; more < ATTEMPTS && verdict.outcome() == KillOutcome.LATE; more++) {
      verdict = new KillRun(setting, victims, moment, number + more * NUMBERS).runOnce(span);
    }
    return verdict;
  }

  private Verdict runOnce(Span span) {
    Path folder = null;
    try {
      folder = Files.createTempDirectory(KillSetting.folder(), "kill");
      return run(folder, span);
    } catch (Exception e) {
      return new Verdict(this, KillOutcome.ERROR, 0, e.toString());
    } finally {
      if (folder != null) {
        delete(folder);
      }
    }
  }

  private Verdict run(Path folder, Span span) throws Exception {
    try (var here = new CountingQemu(folder.resolve("source"), false);
        var there = new CountingQemu(folder.resolve("destination"), true);
        var destination = destination(setting, folder, there)) {
      String uri = destination.uri();
      var stopped = new CountDownLatch(1);
      try (var _ = here.onStop(stopped::countDown);
          var source = source(setting, folder, uri, here)) {
        awaitMoment(source, stopped, span);
        boolean late =
            (victims == Victims.DESTINATION || !source.isAlive())
                && (victims == Victims.SOURCE || !destination.isAlive());
        long killed = System.nanoTime();
        if (victims != Victims.DESTINATION) {
          source.kill();
        }
        if (victims != Victims.SOURCE) {
          destination.kill();
        }
        boolean ended = source.await(AFTERWARDS_SECONDS) && awaitEnd(destination, there);
        long millis = (System.nanoTime() - killed) / 1_000_000;
        String note = "%s / %s".formatted(source.output(), destination.output());
        KillOutcome outcome =
            !ended
                ? KillOutcome.HANGS
                : late ? KillOutcome.LATE : judge(here, there, source.output());
        List<String> left = leftovers(folder, here, there);
        if (outcome.isGood() && !left.isEmpty()) {
          return new Verdict(this, KillOutcome.LEFTOVERS, millis, left + " " + note);
        }
        return new Verdict(this, outcome, millis, note);
      }
    }
  }

  /** Waits for the time of the kill, or the end of the source. */
  private void awaitMoment(Program source, CountDownLatch stopped, Span span)
      throws InterruptedException {
    long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(MIGRATION_SECONDS);
    if (moment == Moment.SWITCH_OVER) {
      while (source.isAlive()
          && System.nanoTime() < limit
          && !stopped.await(SLICE_MILLIS, TimeUnit.MILLISECONDS)) {
        // Until the guest stops.
      }
    }
    long most = moment == Moment.ANY ? span.whole : span.switchOver;
    long end = System.nanoTime() + new Random(number).nextLong(most);
    for (long left = most; left > 0 && source.isAlive(); left = end - System.nanoTime()) {
      TimeUnit.NANOSECONDS.sleep(Math.min(left, SLICE_MILLIS * 1_000_000));
    }
  }

  /** A destination whose source was killed before it had connected waits for another one. */
  private static boolean awaitEnd(Program destination, CountingQemu qemu)
      throws IOException, InterruptedException {
    if (destination.await(CONNECTED_SECONDS)) {
      return true;
    }
    if (qemu.isUntouched()) {
      destination.stop();
    }
    return destination.await(AFTERWARDS_SECONDS);
  }

  private static KillOutcome judge(CountingQemu here, CountingQemu there, String source)
      throws IOException, InterruptedException {
    boolean runsHere = here.runs();
    boolean runsThere = there.runs();
    if (runsHere || runsThere) {
      if (runsThere && there.count() < here.count()) {
        throw new IOException(
            "the guest counts from %d on at the destination, after %d at the source"
                .formatted(there.count(), here.count()));
      }
      return runsHere && runsThere
          ? KillOutcome.TWO_GUESTS
          : runsHere ? KillOutcome.STAYED : KillOutcome.MOVED;
    }
    return here.isAlive() && source.contains(UNKNOWN)
        ? KillOutcome.UNDECIDED
        : KillOutcome.NO_GUEST;
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      System.err.println(e);
    }
  }
}

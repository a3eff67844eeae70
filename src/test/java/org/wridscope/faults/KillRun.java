// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.wridscope.faults.KillEnd.State;
import org.wridscope.telemetry.Role;

/**
 * One migration of a guest from a QEMU to another, of which one Wridscope or both are killed at
 * some moment.
 *
 * @param qemu the {@code qemu-system-x86_64} of both ends
 */
record KillRun(KillSetting setting, String qemu, Victims victims, Moment moment, long number) {
  /** For everything after the kill, with all the waits of the survivor and the guards. */
  private static final Duration AFTERWARDS = Duration.ofMinutes(4);

  private static final Duration MIGRATION = Duration.ofMinutes(10);

  /** For a destination to notice the end of a source, and to start its guard. */
  private static final Duration CONNECTED = Duration.ofSeconds(5);

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
  static Span rehearse(KillSetting setting, String qemu, KillEnds destinations) throws Exception {
    try (var there = destinations.start(setting, qemu, Role.DESTINATION, setting.uri());
        var here = new LocalEnd(setting, qemu, Role.SOURCE, there.uri())) {
      long begin = System.nanoTime();
      here.awaitStop(MIGRATION);
      long stopped = System.nanoTime();
      boolean ended = here.await(MIGRATION);
      long end = System.nanoTime();
      if (!ended || !there.await(MIGRATION)) {
        throw new IOException("a migration without a kill hangs: " + output(here, there));
      }
      State source = here.state();
      State destination = there.state();
      List<String> left = leftovers(source, destination);
      if (source.runs() || !destination.runs() || !left.isEmpty()) {
        throw new IOException(
            "a migration without a kill failed: %s, %s: %s"
                .formatted(source, destination, output(here, there)));
      }
      return new Span(end - begin, end - stopped);
    }
  }

  private static String output(KillEnd here, KillEnd there) throws IOException {
    return "%s / %s".formatted(here.output(), there.output());
  }

  private static List<String> leftovers(State here, State there) {
    return Stream.of(here, there).flatMap(state -> state.leftovers().stream()).toList();
  }

  /**
   * Runs it, and again with another moment as long as all victims had ended before the kill.
   *
   * @return a verdict; a failure of the run itself is one, too
   */
  Verdict run(KillEnds destinations, Span span) {
    Verdict verdict = runOnce(destinations, span);
    for (int more = 1; more < ATTEMPTS && verdict.outcome() == KillOutcome.LATE; more++) {
      verdict =
          new KillRun(setting, qemu, victims, moment, number + more * NUMBERS)
              .runOnce(destinations, span);
    }
    return verdict;
  }

  private Verdict runOnce(KillEnds destinations, Span span) {
    try (var there = destinations.start(setting, qemu, Role.DESTINATION, setting.uri());
        var here = new LocalEnd(setting, qemu, Role.SOURCE, there.uri())) {
      return run(here, there, span);
    } catch (Exception e) {
      return new Verdict(this, KillOutcome.ERROR, 0, e.toString());
    }
  }

  private Verdict run(KillEnd here, KillEnd there, Span span) throws Exception {
    awaitMoment(here, span);
    long killed = System.nanoTime();
    boolean late = true;
    if (victims != Victims.DESTINATION) {
      late &= !here.kill();
    }
    if (victims != Victims.SOURCE) {
      late &= !there.kill();
    }
    boolean ended = here.await(AFTERWARDS) && awaitEnd(there);
    long millis = (System.nanoTime() - killed) / 1_000_000;
    String output = output(here, there);
    if (!ended) {
      return new Verdict(this, KillOutcome.HANGS, millis, output);
    }
    State source = here.state();
    State destination = there.state();
    KillOutcome outcome = late ? KillOutcome.LATE : judge(source, destination, here.output());
    List<String> left = leftovers(source, destination);
    return outcome.isGood() && !left.isEmpty()
        ? new Verdict(this, KillOutcome.LEFTOVERS, millis, left + " " + output)
        : new Verdict(this, outcome, millis, output);
  }

  /** Waits for the time of the kill, or the end of the source. */
  private void awaitMoment(KillEnd source, Span span) throws IOException, InterruptedException {
    if (moment == Moment.SWITCH_OVER) {
      source.awaitStop(MIGRATION);
    }
    long most = moment == Moment.ANY ? span.whole : span.switchOver;
    boolean _ = source.await(Duration.ofNanos(new Random(number).nextLong(most)));
  }

  /** A destination whose source was killed before it had connected waits for another one. */
  private static boolean awaitEnd(KillEnd destination) throws IOException, InterruptedException {
    if (destination.await(CONNECTED)) {
      return true;
    }
    destination.stopIfUntouched();
    return destination.await(AFTERWARDS);
  }

  private static KillOutcome judge(State here, State there, String source) throws IOException {
    if (here.runs() && there.runs()) {
      return KillOutcome.TWO_GUESTS;
    }
    if (here.runs()) {
      return KillOutcome.STAYED;
    }
    if (there.runs()) {
      if (there.count() < here.count()) {
        throw new IOException(
            "the guest counts from %d on at the destination, after %d at the source"
                .formatted(there.count(), here.count()));
      }
      return KillOutcome.MOVED;
    }
    return here.alive() && source.contains(UNKNOWN) ? KillOutcome.UNDECIDED : KillOutcome.NO_GUEST;
  }
}

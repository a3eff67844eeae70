// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.stepping;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.schedule.HangStep;
import org.wridscope.control.schedule.Standing;

/**
 * Leads somebody who never saw the program to the hang of a shared completion queue, and to the
 * future without it. Going back goes back in the tour, too; who leaves it is offered the way back.
 */
public final class Tour {
  private static final HangStep[] STEPS = HangStep.values();

  /** The shown time begins and ends this share of it before and after what it is about. */
  private static final double MARGIN = 0.3;

  /** In nanoseconds. */
  private static final long LEAST_MARGIN = 4_000;

  /** Where the run stood when each step began. */
  private final @Nullable Standing[] beginnings = new Standing[STEPS.length];

  private boolean introduced;

  /** Where the run stood when both futures were shown side by side. */
  private @Nullable Standing shown;

  private int now;

  /** The step that was left last; negative if none was. */
  private int left = -1;

  /**
   * What to do now.
   *
   * @param step its number of how many; empty for the introduction
   * @param what to do, a sentence
   * @param why a sentence or more
   * @param press the text of a button that does it; empty if something else is to be pressed
   */
  record Instruction(String step, String what, String why, String press) {}

  /** What the tour speaks of: a view by its title, and a stretch of time in it, in nanoseconds. */
  public record Sight(String view, long fromNanos, long toNanos) {}

  /** The step to do where the run stands; null if there is another way to go on. */
  @Nullable HangStep step(Standing standing, boolean kept) {
    advance(standing, kept);
    return introduced && !isOver(standing) && STEPS[now].isPossible(standing) ? STEPS[now] : null;
  }

  /** Notes that both futures are shown side by side; the tour ends with it. */
  void shown(Standing standing) {
    shown = standing;
  }

  private boolean isOver(Standing standing) {
    return standing.equals(shown);
  }

  private void advance(Standing standing, boolean kept) {
    int keep = HangStep.KEEP_ACKNOWLEDGEMENT.ordinal();
    int goBack = HangStep.GO_BACK.ordinal();
    int first = now > goBack ? goBack + 1 : now == goBack ? goBack : 0;
    while (now > first && standing.number() < number(now)) {
      now--;
    }
    if (now == keep + 1 && !kept && standing.number() == number(now)) {
      now--;
    }
    if (beginnings[now] == null) {
      beginnings[now] = standing;
    }
    // What follows may have been done at once.
    if (now > keep && now < goBack && HangStep.hangs(standing)) {
      begin(goBack, standing);
    } else if (now > goBack && standing instanceof Standing.AtEnd && !HangStep.hangs(standing)) {
      begin(HangStep.COMPARE.ordinal(), standing);
    }
    while (isDone(standing, kept)) {
      begin(now + 1, standing);
    }
  }

  private void begin(int step, Standing standing) {
    now = step;
    beginnings[now] = standing;
  }

  private boolean isDone(Standing standing, boolean kept) {
    return switch (STEPS[now]) {
      case KEEP_ACKNOWLEDGEMENT -> kept && STEPS[now].isPossible(standing);
      case GO_BACK -> STEPS[now].isDone(standing);
      default -> standing.number() > number(now) && STEPS[now].isDone(standing);
    };
  }

  private long number(int step) {
    Standing beginning = beginnings[step];
    return beginning == null ? 0 : beginning.number();
  }

  /** What to do where the run stands. */
  Instruction instruction(Standing standing, boolean kept) {
    HangStep step = step(standing, kept);
    if (!introduced) {
      return new Instruction(
          "",
          "You are about to make a migration hang in which no device does anything wrong, as QEMU"
              + " before 6.2 could.",
          "The run stands still wherever more than one thing can happen next, and you decide: %d"
                  .formatted(STEPS.length)
              + " small steps, first to the hang, then to the same run without it.",
          "Begin");
    }
    if (isOver(standing)) {
      return new Instruction(
          "",
          "That was the tour: the same migration twice, once with the hang and once without it.",
          "They differ in the order of two completions. Choose other orders here as you like, or"
              + " run other scenarios of the menu Lab.",
          "");
    }
    String number = "%d of %d".formatted(now + 1, STEPS.length);
    if (step == null) {
      return new Instruction(
          number,
          "The run has gone another way than the tour.",
          "Look around as long as you like; the tour goes on at choice %d.".formatted(wayBack()),
          "Back to the tour");
    }
    return new Instruction(
        number,
        what(step),
        why(step),
        step == HangStep.GO_BACK ? "Back to choice %d".formatted(wayBack()) : "");
  }

  private static String what(HangStep step) {
    return switch (step) {
      case REACH_READY, REACH_ANSWER, REACH_END, REACH_OTHER_END -> "Press Go on.";
      case SEND_READY -> "Press the framed line: the destination's device sends READY.";
      case KEEP_ACKNOWLEDGEMENT -> "Press Keep back in the framed line.";
      case SEND_ANSWER -> "Press the framed line: the source's device sends its answer.";
      case LOOK -> "Press the framed line: the destination looks into its completion queue.";
      case GO_BACK -> "That was the hang. Now go back, to the same run without it.";
      case TAKE_ACKNOWLEDGEMENT -> "Press the framed line: now the acknowledgement comes first.";
      case COMPARE -> "This future does not hang. Press Compare futures.";
    };
  }

  private static String why(HangStep step) {
    return switch (step) {
      case REACH_READY ->
          "The destination says READY when it has posted a receive for the source's next"
              + " message. The run goes on until its device can send that.";
      case SEND_READY ->
          "Then READY travels to the source. Wrids, below, shows each work request as a line from"
              + " its post to its completion.";
      case KEEP_ACKNOWLEDGEMENT ->
          "READY has arrived at the source. Its acknowledgement, which completes the SEND, is still"
              + " on its way to the destination, and may take its time.";
      case REACH_ANSWER ->
          "The acknowledgement stays on its way, and the run goes on until the source can answer.";
      case SEND_ANSWER -> "The answer overtakes the acknowledgement, which is legal.";
      case LOOK ->
          "The destination waits for the completion of its SEND. In its only queue there is that of"
              + " its receive: the answer.";
      case REACH_END ->
          "It took the completion of the receive, did not want it, and dropped it: the crossed"
              + " circle in Wrids. Nobody will see that message any more.";
      case GO_BACK ->
          "The destination waited for a message that had come. Explain tells it step by step.";
      case TAKE_ACKNOWLEDGEMENT ->
          "The run stands where you kept it back. Nothing else will be different.";
      case REACH_OTHER_END -> "The wait for the SEND has what it waits for, and drops nothing.";
      case COMPARE -> "Both futures are shown side by side, in Wrids and in Messages.";
    };
  }

  /**
   * Does what the button of the instruction does, as far as that is not to go back.
   *
   * @return the choice to go back to; empty for none
   */
  OptionalLong press() {
    if (!introduced) {
      introduced = true;
      return OptionalLong.empty();
    }
    long back = wayBack();
    if (back == 0) {
      now = 0;
    }
    left = now;
    return OptionalLong.of(back);
  }

  /** The choice at which the tour goes on. */
  private long wayBack() {
    if (now >= HangStep.GO_BACK.ordinal()) {
      return number(HangStep.KEEP_ACKNOWLEDGEMENT.ordinal());
    }
    // Who comes from there again has missed something before it.
    return left == now ? 0 : number(now);
  }

  /** What the tour speaks of where the run stands. */
  Sight sight() {
    Standing from = beginnings[HangStep.SEND_READY.ordinal()];
    int last = HangStep.REACH_END.ordinal();
    Standing to = beginnings[now > last && beginnings[last] != null ? last : now];
    if (from == null || to == null) {
      return new Sight("Wrids", 0, 0);
    }
    long begin = from.nanos();
    long end = to instanceof Standing.AtEnd ? begin : to.nanos();
    long around = Math.max(LEAST_MARGIN, (long) ((end - begin) * MARGIN));
    return new Sight("Wrids", begin - around, end + around);
  }
}

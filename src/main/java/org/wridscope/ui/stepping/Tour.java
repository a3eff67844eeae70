// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.stepping;

import org.wridscope.control.scenario.Verdict;
import org.wridscope.control.schedule.HangStep;
import org.wridscope.control.schedule.Standing;

/**
 * Leads somebody who never saw the program to the hang of a shared completion queue. Going back
 * goes back in the tour, too.
 */
final class Tour {
  private static final HangStep[] STEPS = HangStep.values();

  /** The numbers of the choices at which each step began. */
  private final long[] beginnings = new long[STEPS.length];

  private int now;

  /** Whether the hang was reached: what follows is another future of one's own. */
  private boolean reached;

  /** The step for where the run stands. */
  HangStep step(Standing standing) {
    if (reached) {
      return HangStep.DONE;
    }
    while (now > 0 && standing.number() < beginnings[now]) {
      now--;
    }
    while (standing.number() > beginnings[now] && STEPS[now].isDone(standing)) {
      now++;
      beginnings[now] = standing.number();
    }
    reached = STEPS[now] == HangStep.DONE;
    return STEPS[now];
  }

  /** What to do where the run stands, and why. */
  String text(Standing standing) {
    HangStep step = step(standing);
    if (step == HangStep.DONE) {
      return standing instanceof Standing.AtEnd end && Verdict.hang(end.lab()) == null
          ? "This future does not hang. Compare the two futures."
          : text(step);
    }
    return standing instanceof Standing.AtEnd
        ? "The run has ended in another order; go back to choice %d.".formatted(beginnings[now])
        : "%d/%d   %s".formatted(now + 1, STEPS.length - 1, text(step));
  }

  private static String text(HangStep step) {
    return switch (step) {
      case REACH_READY ->
          "The destination says READY when it has posted a receive for the source's next"
              + " message. Go on until its device can send that.";
      case SEND_READY -> "Let the device send it.";
      case KEEP_ACKNOWLEDGEMENT ->
          "The source has it; the acknowledgement, which completes the SEND, is still on its"
              + " way and may take its time. Keep it back, and go on until the source can"
              + " answer.";
      case SEND_ANSWER ->
          "Let the source's device send the answer: it overtakes the acknowledgement.";
      case LOOK ->
          "The one queue of the destination has the completion of its receive, but the"
              + " destination waits for that of its SEND. Let it look.";
      case REACH_END ->
          "It took the completion, which was not the one it waits for, and dropped it, as QEMU"
              + " before 6.2 did. Nobody sees that message any more. Go on to the end.";
      case DONE ->
          "That was the hang: the destination waits for a message that has come. Go back, let"
              + " the acknowledgement come first, go on to the end, and compare the two"
              + " futures.";
    };
  }
}

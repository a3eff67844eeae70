// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import java.util.function.Predicate;
import org.wridscope.telemetry.Role;

/**
 * The steps from the beginning of a migration with a shared completion queue to its hang: the
 * acknowledgement of the destination's READY is kept back until the source's answer has come, and
 * the wait for the SEND drops the completion of that answer.
 */
public enum HangStep {
  /** Goes on until READY can be sent. */
  REACH_READY(
      Act.GO_ON,
      "",
      "",
      "message READY",
      at -> has(at, Texts.DESTINATION_DEVICE, "executes CONTROL SEND (READY)")),

  /** Sends it. */
  SEND_READY(
      Act.TAKE,
      Texts.DESTINATION_DEVICE,
      "executes CONTROL SEND (READY)",
      "",
      at -> has(at, Texts.DESTINATION_DEVICE, Texts.ACKNOWLEDGEMENT)),

  /** Keeps its acknowledgement back, and goes on until the answer can be sent. */
  KEEP_ACKNOWLEDGEMENT(
      Act.KEEP_BACK,
      Texts.DESTINATION_DEVICE,
      Texts.ACKNOWLEDGEMENT,
      "message QEMU FILE",
      at -> has(at, Texts.SOURCE_DEVICE, "executes CONTROL SEND (QEMU FILE)")),

  /** Sends the answer. */
  SEND_ANSWER(
      Act.TAKE,
      Texts.SOURCE_DEVICE,
      "executes CONTROL SEND (QEMU FILE)",
      "",
      HangStep::answerIsToPoll),

  /** Lets the destination look into its queue. */
  LOOK(Act.TAKE, "destination", "goes on", "", at -> !answerIsToPoll(at)),

  /** Goes on to the end. */
  REACH_END(Act.GO_ON, "", "", "end", at -> at instanceof Standing.AtEnd),

  /** The hang was reached. */
  DONE(Act.NONE, "", "", "end", _ -> false);

  /** The shipped scenario in which they lead to the hang; none of its devices has a fault. */
  public static final String SCENARIO = "hang-by-hand";

  /** What there is to do. */
  public enum Act {
    /** To go on until a condition holds. */
    GO_ON,
    /** To take an option. */
    TAKE,
    /** To keep an option back, and to go on until a condition holds. */
    KEEP_BACK,
    /** Nothing. */
    NONE
  }

  /** An enum's constants cannot refer to its own constants before they are made. */
  private static final class Texts {
    static final String SOURCE_DEVICE = "source's device";
    static final String DESTINATION_DEVICE = "destination's device";
    static final String ACKNOWLEDGEMENT = "receives the acknowledgement of CONTROL SEND";
  }

  private final Act act;
  private final String who;
  private final String what;
  private final String until;
  private final Predicate<Standing> done;

  /**
   * @param who of the option that it is about; empty for none
   * @param what that option begins with; empty for none
   * @param until the condition until which to go on, as {@link Until#parse} reads it; empty for
   *     none
   * @param done whether it is done, where the run stands
   */
  HangStep(Act act, String who, String what, String until, Predicate<Standing> done) {
    this.act = act;
    this.who = who;
    this.what = what;
    this.until = until;
    this.done = done;
  }

  /** What there is to do. */
  public Act act() {
    return act;
  }

  /** The condition until which to go on, as {@link Until#parse} reads it; empty for none. */
  public String until() {
    return until;
  }

  /** Whether it is about this option. */
  public boolean isAbout(Standing.Possibility option) {
    return is(option, who, what);
  }

  /** Whether it is done, where the run stands. */
  public boolean isDone(Standing at) {
    return done.test(at);
  }

  private static boolean is(Standing.Possibility option, String who, String what) {
    return option.who().equals(who) && option.what().startsWith(what);
  }

  private static boolean has(Standing at, String who, String what) {
    return at instanceof Standing.AtChoice choice
        && choice.possibilities().stream().anyMatch(option -> is(option, who, what));
  }

  private static boolean answerIsToPoll(Standing at) {
    return at instanceof Standing.AtChoice choice
        && choice.ends().stream()
            .filter(end -> end.role() == Role.DESTINATION)
            .flatMap(end -> end.completed().stream())
            .anyMatch(completion -> completion.endsWith("(QEMU FILE)"));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import java.util.function.Predicate;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/**
 * The steps from the beginning of a migration with a shared completion queue to its hang, and from
 * there to the future that does not hang. The acknowledgement of the destination's READY is kept
 * back until the source's answer has come, and the wait for the SEND drops the completion of that
 * answer.
 */
public enum HangStep {
  /** Goes on until READY can be sent. */
  REACH_READY(
      Act.GO_ON,
      Option.NONE,
      "message READY",
      HangStep::isBeforeRam,
      at -> has(at, Option.SEND_READY)),

  /** Sends it. */
  SEND_READY(
      Act.TAKE,
      Option.SEND_READY,
      "",
      at -> has(at, Option.SEND_READY),
      at -> has(at, Option.ACKNOWLEDGEMENT)),

  /** Keeps its acknowledgement back, after which the run stands where it stood. */
  KEEP_ACKNOWLEDGEMENT(
      Act.KEEP_BACK, Option.ACKNOWLEDGEMENT, "", at -> has(at, Option.ACKNOWLEDGEMENT), _ -> false),

  /** Goes on without it until the answer can be sent. */
  REACH_ANSWER(
      Act.GO_ON,
      Option.NONE,
      "message QEMU FILE",
      at -> has(at, Option.ACKNOWLEDGEMENT),
      at -> has(at, Option.ACKNOWLEDGEMENT) && has(at, Option.SEND_ANSWER)),

  /** Sends the answer. */
  SEND_ANSWER(
      Act.TAKE,
      Option.SEND_ANSWER,
      "",
      at -> has(at, Option.SEND_ANSWER),
      HangStep::answerIsToPoll),

  /** Lets the destination look into its queue. */
  LOOK(
      Act.TAKE,
      Option.LOOK,
      "",
      HangStep::answerIsToPoll,
      at -> at instanceof Standing.AtChoice && !answerIsToPoll(at)),

  /** Goes on to the end. */
  REACH_END(Act.GO_ON, Option.NONE, "end", at -> at instanceof Standing.AtChoice, HangStep::hangs),

  /** Goes back to where the acknowledgement was kept back. */
  GO_BACK(Act.GO_BACK, Option.NONE, "", HangStep::hangs, at -> has(at, Option.ACKNOWLEDGEMENT)),

  /** Lets the acknowledgement come first. */
  TAKE_ACKNOWLEDGEMENT(
      Act.TAKE,
      Option.ACKNOWLEDGEMENT,
      "",
      at -> has(at, Option.ACKNOWLEDGEMENT),
      at -> at instanceof Standing.AtChoice && !has(at, Option.ACKNOWLEDGEMENT)),

  /** Goes on to the end of that future. */
  REACH_OTHER_END(
      Act.GO_ON,
      Option.NONE,
      "end",
      at -> at instanceof Standing.AtChoice,
      at -> at instanceof Standing.AtEnd && !hangs(at)),

  /** Compares the two futures. */
  COMPARE(Act.COMPARE, Option.NONE, "", at -> at instanceof Standing.AtEnd, _ -> false);

  /** The shipped scenario in which they lead to the hang; none of its devices has a fault. */
  public static final String SCENARIO = "hang-by-hand";

  /** What there is to do. */
  public enum Act {
    /** To go on until a condition holds. */
    GO_ON,
    /** To take an option. */
    TAKE,
    /** To keep an option back. */
    KEEP_BACK,
    /** To go back. */
    GO_BACK,
    /** To compare two futures. */
    COMPARE
  }

  /** What can be chosen. */
  private enum Option {
    NONE("", ""),
    SEND_READY("destination's device", "executes CONTROL SEND (READY)"),
    ACKNOWLEDGEMENT("destination's device", "receives the acknowledgement of CONTROL SEND"),
    SEND_ANSWER("source's device", "executes CONTROL SEND (QEMU FILE)"),
    LOOK("destination", "goes on");

    private final String who;
    private final String what;

    Option(String who, String what) {
      this.who = who;
      this.what = what;
    }

    boolean is(Standing.Possibility possibility) {
      return this != NONE && possibility.who().equals(who) && possibility.what().startsWith(what);
    }
  }

  private final Act act;
  private final Option option;
  private final String until;
  private final Predicate<Standing> possible;
  private final Predicate<Standing> done;

  /**
   * @param option that it is about
   * @param until the condition until which to go on, as {@link Until#parse} reads it; empty for
   *     none
   * @param possible whether it can be done, where the run stands
   * @param done whether it is done, where the run stands
   */
  HangStep(
      Act act,
      Option option,
      String until,
      Predicate<Standing> possible,
      Predicate<Standing> done) {
    this.act = act;
    this.option = option;
    this.until = until;
    this.possible = possible;
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
  public boolean isAbout(Standing.Possibility possibility) {
    return option.is(possibility);
  }

  /** Whether it can be done, where the run stands; if not, the run has gone another way. */
  public boolean isPossible(Standing at) {
    return possible.test(at);
  }

  /** Whether it is done, where the run stands. */
  public boolean isDone(Standing at) {
    return done.test(at);
  }

  /** Whether the run has ended in the hang. */
  public static boolean hangs(Standing at) {
    return at instanceof Standing.AtEnd end && Verdict.hang(end.lab()) != null;
  }

  private static boolean has(Standing at, Option option) {
    return at instanceof Standing.AtChoice choice
        && choice.possibilities().stream().anyMatch(option::is);
  }

  private static boolean isBeforeRam(Standing at) {
    return at instanceof Standing.AtChoice choice
        && choice.ends().stream()
            .map(Standing.End::status)
            .allMatch(status -> status == MigrationStatus.NONE || status == MigrationStatus.SETUP);
  }

  private static boolean answerIsToPoll(Standing at) {
    return at instanceof Standing.AtChoice choice
        && choice.ends().stream()
            .filter(end -> end.role() == Role.DESTINATION)
            .flatMap(end -> end.completed().stream())
            .anyMatch(completion -> completion.endsWith("(QEMU FILE)"));
  }
}

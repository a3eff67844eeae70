// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Explanation.State;
import org.wridscope.analysis.meaning.FirstError;
import org.wridscope.analysis.meaning.Meaning;
import org.wridscope.telemetry.MigrationStatus;

/**
 * Explains a migration from the requests, waits and messages of its sessions. Every step of an
 * explanation refers to a recorded event, except a conclusion, which comes last.
 */
public final class Explainer {
  /**
   * The shortest wait that counts as long: answers come within milliseconds, and engines exchange
   * heartbeats every second.
   */
  public static final long LONG_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private Explainer() {}

  /**
   * Explains, in this order of preference, a wait for a dropped completion, memory that was
   * released too early, a failure, a limit that makes it long, a wait that lasts too long, or the
   * course of the migration. Once the migration has ended, the state comes from its ending, and the
   * events supply the rest. Its words are the headline, unless the events show a cause: the cause
   * is the headline then, and the words of the ending follow. If no request failed, what a QEMU
   * said at its end is explained.
   *
   * @param source null when it is not in this process
   * @param destination null when it is not in this process
   * @param nowNanos {@link System#nanoTime()}, or when the session ended
   * @param ending null while the migration runs, or when its ending is not known
   */
  public static Explanation explain(
      @Nullable Requests source,
      @Nullable Requests destination,
      long nowNanos,
      @Nullable Ending ending) {
    var both = new BothEnds(source, destination);
    if (ending == null) {
      return byEvents(both, nowNanos);
    }
    Explanation early = EarlyRelease.explain(both);
    Explanation dropped = ending.state() == State.FAILED ? DroppedCompletion.explain(both) : null;
    Explanation cause = dropped != null ? dropped : early;
    if (cause != null) {
      return of(ending, cause.headline(), ending.sentence() + " " + cause.summary(), cause);
    }
    if (ending.state() == State.FAILED) {
      Explanation failure = Failure.explain(both);
      Meaning said = FirstError.meaningIn(ending.sentence()).orElse(null);
      if (said != null && both.ends().stream().allMatch(end -> Failure.firstError(end) < 0)) {
        return new Explanation(
            State.FAILED, ending.sentence(), said.means(), failure.steps(), said.advice());
      }
      return of(ending, ending.sentence(), failure.headline() + " " + failure.summary(), failure);
    }
    Explanation course = Course.explain(both);
    return of(ending, ending.sentence(), course.summary(), course);
  }

  /** An explanation of what led to an ending. */
  private static Explanation of(
      Ending ending, String headline, String summary, Explanation explanation) {
    return new Explanation(
        ending.state(), headline, summary.strip(), explanation.steps(), explanation.remedy());
  }

  private static Explanation byEvents(BothEnds both, long nowNanos) {
    Explanation dropped = DroppedCompletion.explain(both);
    if (dropped != null) {
      return dropped;
    }
    Explanation early = EarlyRelease.explain(both);
    if (early != null) {
      return early;
    }
    if (both.ends().stream().anyMatch(end -> end.telemetry().status() == MigrationStatus.FAILED)) {
      return Failure.explain(both);
    }
    Explanation limited = Limited.explain(both, nowNanos);
    if (limited != null) {
      return limited;
    }
    Explanation waiting = LongWait.explain(both, nowNanos);
    return waiting != null ? waiting : Course.explain(both);
  }
}

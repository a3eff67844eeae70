// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EarlyRelease;
import org.wridscope.analysis.Ending;
import org.wridscope.analysis.Explanation.State;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionOutcome.Origin;

/** Says how migrations ended: combines the outcomes of both ends into one. */
public final class Endings {
  private Endings() {}

  /**
   * How a migration ended, judged from the ends that are in this process.
   *
   * @return null while the source runs; while the destination runs, if the source is not here
   */
  public static @Nullable Ending of(@Nullable Session source, @Nullable Session destination) {
    Session leading = source != null ? source : destination;
    SessionOutcome result = leading == null ? null : leading.result();
    if (leading == null || result == null || !leading.status().isEnd()) {
      return null;
    }
    String fate = source == null || destination == null ? null : destination.guestFate();
    String outcome =
        (fate == null || leading.status() != MigrationStatus.COMPLETED
                ? result
                : result.since("The guest %s.".formatted(fate)))
            .sentence();
    return switch (leading.status()) {
      case COMPLETED -> completed(leading, source == null ? null : destination, outcome);
      case FAILED ->
          new Ending(
              State.FAILED,
              source == null || destination == null
                  ? outcome
                  : firstCause(
                      source,
                      result,
                      destination.result(),
                      destination.status() == MigrationStatus.FAILED));
      default -> new Ending(State.of(leading.status()), outcome);
    };
  }

  private static Ending completed(Session leading, @Nullable Session destination, String outcome) {
    String harm = harm(leading);
    if (harm == null && destination != null) {
      harm = harm(destination);
    }
    if (harm != null) {
      return new Ending(State.UNSOUND, harm + " " + outcome);
    }
    if (destination != null
        && destination.status().isEnd()
        && destination.status() != MigrationStatus.COMPLETED) {
      return new Ending(
          State.UNSOUND,
          "The destination says: %s The source says: %s".formatted(destination.outcome(), outcome));
    }
    return new Ending(leading.report().isConfirmed() ? State.COMPLETED : State.UNSOUND, outcome);
  }

  /** Memory released too early, or a virtio request that was lost or executed twice. */
  private static @Nullable String harm(Session session) {
    String released = EarlyRelease.finding(session.telemetry());
    if (released != null) {
      return released;
    }
    MigrationReport.Virtio virtio =
        session.virtio().map(Reports::virtio).orElseGet(() -> session.report().virtio());
    return virtio == null ? null : virtio.harm();
  }

  /** The first cause: a source that only lost its connection knows less than its peer. */
  private static String firstCause(
      Session source, SessionOutcome ours, @Nullable SessionOutcome theirs, boolean failedThere) {
    boolean pointsThere =
        ours.origin() == Origin.UNKNOWN
            || source.telemetry().metrics().get(Metric.SENDS_POSTED) == 0;
    return pointsThere && failedThere && theirs != null && theirs.origin().isHere()
        ? "The destination says: %s %s".formatted(theirs.reason(), also(ours, theirs)).strip()
        : ours.sentence();
  }

  /** What the source adds: where its guest is; or its reason, if it says only that. */
  private static String also(SessionOutcome ours, SessionOutcome theirs) {
    if (!ours.guest().isEmpty()) {
      return ours.guest();
    }
    return ours.reason().equals(theirs.reason()) ? "" : ours.reason();
  }
}

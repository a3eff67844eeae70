// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.figures.Figure;
import org.wridscope.figures.Reading;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Wait;
import org.wridscope.ui.sessions.Migration;

/** What the header of a migration says: how it ended, or how far it is and what it waits for. */
final class SteeringMessage {
  /** A shorter wait without progress is normal. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private @Nullable Wait waitingFor;
  private long waitingSince;
  private long transferred;

  /** Notes whether the migration makes progress; to be called repeatedly. */
  void observe(SessionPair pair, long nowNanos) {
    Wait waits = pair.leading().telemetry().waitingFor();
    long moved = pair.leading().telemetry().metrics().get(Metric.RAM_TRANSFERRED);
    if (!Objects.equals(waits, waitingFor) || moved != transferred) {
      waitingFor = waits;
      transferred = moved;
      waitingSince = nowNanos;
    }
  }

  /** One or two sentences, or phrases; the more important one first. */
  List<String> of(Migration migration, SessionPair pair, long nowNanos) {
    String outcome = migration.outcome();
    var parts = new ArrayList<String>();
    if (outcome != null) {
      parts.add(outcome);
      pair.sessions().forEach(session -> parts.addAll(session.notes()));
      return parts;
    }
    Session held = pair.source();
    if (held != null && held.heldBeforeSwitchover()) {
      parts.add(
          held.guestRunning()
              ? "Ready to switch over: the guest keeps running until you press Switch over."
              : "The guest is paused until you press Switch over.");
      parts.add(place(held));
      return parts;
    }
    Wait stuck = nowNanos - waitingSince > PATIENCE_NANOS ? waitingFor : null;
    parts.add(
        stuck != null && migration.running()
            ? "Waits for %s.".formatted(stuck.text())
            : progress(pair.leading(), migration.reading(pair)));
    Session source = pair.source();
    if (source != null && !source.isWatched() && migration.running() && !source.status().isEnd()) {
      // The limits take the space where the address is shown otherwise.
      parts.add(place(source));
    }
    return parts;
  }

  /** The address and the device of a session. */
  static String place(Session session) {
    return session.uri() + "  ·  " + session.device();
  }

  private static String progress(Session session, Reading reading) {
    if (!session.migrates()) {
      boolean live = !session.status().isEnd() && session.recorded().isEmpty();
      return live ? "Attached: what it posts and polls is shown." : "";
    }
    return switch (session.status()) {
      case NONE -> {
        if (session.isWatched()) {
          yield "Waits until a migration is started.";
        }
        yield session.role() == Role.DESTINATION
            ? "Listens for a source."
            : "The migration starts.";
      }
      case SETUP -> "The source and the destination set up the connection.";
      case ACTIVE -> session.role() == Role.SOURCE ? sent(reading) : "The guest's RAM arrives.";
      case DEVICE -> "The guest is paused while the rest of its state is transferred.";
      case CANCELLING -> "The migration is being cancelled.";
      case FAILING -> "The migration has failed and gives back what it holds.";
      case PRE_SWITCHOVER, COMPLETED, FAILED, CANCELLED, UNDECIDED -> "";
    };
  }

  private static String sent(Reading reading) {
    return "%s%s of %s left%s"
        .formatted(
            Figure.ROUNDS.in(reading).isEmpty()
                ? ""
                : "Round %s: ".formatted(Figure.ROUNDS.text(reading)),
            Figure.RAM_REMAINING.text(reading),
            Figure.RAM_TOTAL.text(reading),
            Figure.DIRTY_RATE.in(reading).isEmpty()
                ? ""
                : "  ·  the guest dirties %s".formatted(Figure.DIRTY_RATE.text(reading)));
  }

  /** Whether the message is an error. */
  static boolean isError(Migration migration) {
    return (migration.outcome() != null
            && migration.status() == MigrationStatus.FAILED
            && !migration.failedAsExpected())
        || migration.status() == MigrationStatus.UNDECIDED;
  }
}

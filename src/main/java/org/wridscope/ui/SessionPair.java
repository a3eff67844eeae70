// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Ending;
import org.wridscope.control.Endings;
import org.wridscope.control.Session;
import org.wridscope.recording.RecordedSession;
import org.wridscope.telemetry.Role;

/**
 * Source and destination of one migration as far as they are in this process; at least one is
 * there.
 */
public record SessionPair(@Nullable Session source, @Nullable Session destination) {

  public SessionPair {
    if (source == null && destination == null) {
      throw new IllegalArgumentException("a pair needs a source or a destination");
    }
  }

  /** The source if it is in this process, otherwise the destination. */
  public Session leading() {
    return source != null ? source : Objects.requireNonNull(destination);
  }

  /** One or two sessions, the source first. */
  public List<Session> sessions() {
    return Stream.of(source, destination).filter(Objects::nonNull).toList();
  }

  /**
   * The moment that times are counted from: when the migration began, which for a destination is
   * later than when it began to wait, or when the session was made while it has not.
   */
  public long originNanos() {
    return leading().originNanos();
  }

  /** Where time stands for the views: now, or at the moment to which a recording was moved. */
  public long clock(long nowNanos) {
    return leading() instanceof RecordedSession recorded ? recorded.position() : nowNanos;
  }

  /** What an end is headed with: its name, and its role unless the name tells it. */
  public static String heading(Session session) {
    String role = session.role() == Role.SOURCE ? "source" : "destination";
    return session.name().contains(role) ? session.name() : role + "  " + session.name();
  }

  /** How it ended; null while it goes on. */
  public @Nullable Ending ending() {
    return Endings.of(source, destination);
  }

  /** Whether all its sessions have ended. */
  public boolean ended() {
    return sessions().stream().allMatch(session -> session.status().isEnd());
  }
}

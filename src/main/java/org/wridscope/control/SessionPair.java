// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Ending;
import org.wridscope.telemetry.Role;

/**
 * The sessions of one migration in this process or in recordings: a source, a destination, or both.
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

  /** The destination if the source is in this process too, otherwise null. */
  public @Nullable Session following() {
    return source != null ? destination : null;
  }

  /** One or two sessions, the source first. */
  public List<Session> sessions() {
    return Stream.of(source, destination).filter(Objects::nonNull).toList();
  }

  /**
   * The time from which times are counted: when the migration began. For a destination, this is
   * later than when it began to listen; before that, it is when the session was created.
   */
  public long originNanos() {
    return leading().originNanos();
  }

  /** The time that views show: now, or the moment that sessions show which are not live. */
  public long clock(long nowNanos) {
    return leading().clock(nowNanos);
  }

  /** The same pair, with recorded sessions replaced by copies that are positioned at their ends. */
  public SessionPair atTheirEnds() throws IOException {
    return new SessionPair(atItsEnd(source), atItsEnd(destination));
  }

  private static @Nullable Session atItsEnd(@Nullable Session session) throws IOException {
    Recorded recorded = session == null ? null : session.recorded().orElse(null);
    return recorded == null ? session : recorded.copy();
  }

  /** The heading of an end: its name, and its role unless the name contains it. */
  public static String heading(Session session) {
    if (!session.migrates()) {
      return session.name();
    }
    String role = session.role() == Role.SOURCE ? "source" : "destination";
    return session.name().contains(role) ? session.name() : role + "  " + session.name();
  }

  /** How it ended; null while it has not, and for a program, which is no migration. */
  public @Nullable Ending ending() {
    return leading().migrates() ? Endings.of(source, destination) : null;
  }

  /** Whether all its sessions have ended. */
  public boolean ended() {
    return sessions().stream().allMatch(session -> session.status().isEnd());
  }
}

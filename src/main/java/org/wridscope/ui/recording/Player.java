// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.recording.RecordedSession;
import org.wridscope.ui.SessionPair;

/** Moves the ends of one recorded migration together. For the JavaFX thread only. */
public final class Player {
  private List<RecordedSession> sessions = List.of();
  private long first;
  private boolean playing;
  private double speed = 1;
  private long pulsedAt;
  private double owed;

  /** Which migration is played from now on; one that is not recorded is none. */
  public void show(@Nullable SessionPair pair) {
    sessions = recorded(pair);
    first = pair == null ? 0 : pair.originNanos();
    playing = false;
  }

  /** The recorded ends of a migration, none when it is not recorded. */
  public static List<RecordedSession> recorded(@Nullable SessionPair pair) {
    return pair == null
        ? List.of()
        : pair.sessions().stream()
            .filter(RecordedSession.class::isInstance)
            .map(RecordedSession.class::cast)
            .toList();
  }

  /** Whether there is something to play. */
  public boolean hasRecording() {
    return !sessions.isEmpty();
  }

  /** When the migration began; its destination may have waited long before. */
  public long firstNanos() {
    return first;
  }

  /** When the last thing of either end happened. */
  public long lastNanos() {
    return sessions.stream().mapToLong(RecordedSession::lastNanos).max().orElse(0);
  }

  /** Where it stands. */
  public long position() {
    return sessions.isEmpty() ? 0 : sessions.getFirst().position();
  }

  public boolean isPlaying() {
    return playing;
  }

  /** Plays on, from the beginning when it stands at the end. */
  public void play() throws IOException {
    if (position() >= lastNanos()) {
      moveTo(firstNanos());
    }
    playing = true;
    pulsedAt = 0;
    owed = 0;
  }

  public void pause() {
    playing = false;
  }

  /**
   * Sets how fast it plays.
   *
   * @param factor 1 for as fast as it was
   */
  public void setSpeed(double factor) {
    speed = factor;
  }

  /** Goes to a moment, or to the nearest one that there is. */
  public void moveTo(long nanos) throws IOException {
    long at = Math.clamp(nanos, first, Math.max(first, lastNanos()));
    for (RecordedSession session : sessions) {
      session.moveTo(at);
    }
  }

  /** Plays on by as much time as has passed since the last time. */
  public void pulse(long nowNanos) throws IOException {
    if (!playing) {
      return;
    }
    if (pulsedAt != 0) {
      owed += (nowNanos - pulsedAt) * speed;
      long step = (long) owed;
      owed -= step;
      moveTo(position() + step);
    }
    pulsedAt = nowNanos;
    if (position() >= lastNanos()) {
      playing = false;
    }
  }
}

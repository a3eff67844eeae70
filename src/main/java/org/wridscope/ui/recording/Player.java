// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.recording.RecordedSession;
import org.wridscope.ui.SessionPair;

/** Plays one recorded migration, and moves it. For the JavaFX thread only. */
public final class Player {
  private final Seeking seeking;
  private @Nullable SessionPair pair;
  private List<RecordedSession> sessions = List.of();
  private long first;
  private boolean playing;
  private double speed = 1;
  private long pulsedAt;
  private double owed;

  /**
   * @param seeking moves recordings, for all players together
   */
  public Player(Seeking seeking) {
    this.seeking = seeking;
  }

  /** Which migration is played from now on; one that is not recorded is none. */
  public void show(@Nullable SessionPair newPair) {
    sessions = recorded(newPair);
    pair = sessions.isEmpty() ? null : newPair;
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

  /** How often a migration went back in time, after which what was read of its logs is void. */
  public static int rewinds(@Nullable SessionPair pair) {
    return recorded(pair).stream().mapToInt(RecordedSession::rewinds).sum();
  }

  /** Whether there is something to play. */
  public boolean hasRecording() {
    return pair != null;
  }

  /** When the migration began; its destination may have waited long before. */
  public long firstNanos() {
    return first;
  }

  /** When the last thing of either end happened. */
  public long lastNanos() {
    return sessions.stream().mapToLong(RecordedSession::lastNanos).max().orElse(0);
  }

  /** The moment that is shown. */
  public long position() {
    return sessions.isEmpty() ? 0 : sessions.getFirst().position();
  }

  /** The moment that will be shown as soon as it is decoded. */
  public long wanted() {
    return pair == null ? 0 : seeking.wanted(pair);
  }

  /** Whether the wanted moment has not been decoded for a while. */
  public boolean isSlow() {
    return seeking.isSlow(pair);
  }

  public boolean isPlaying() {
    return playing;
  }

  /** Plays on, from the beginning when it stands at the end. */
  public void play() {
    if (wanted() >= lastNanos()) {
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

  /** Goes to a moment, or to the nearest one that there is, as soon as it is decoded. */
  public void moveTo(long nanos) {
    if (pair != null) {
      seeking.moveTo(pair, Math.clamp(nanos, first, Math.max(first, lastNanos())));
    }
  }

  /** Plays on by as much time as has passed since the last time; a slow file is waited for. */
  public void pulse(long nowNanos) {
    playing &= !seeking.hasFailed(pair);
    if (!playing) {
      return;
    }
    if (pulsedAt != 0 && !isSlow()) {
      owed += (nowNanos - pulsedAt) * speed;
      long step = (long) owed;
      owed -= step;
      moveTo(wanted() + step);
    }
    pulsedAt = nowNanos;
    playing = wanted() < lastNanos();
  }
}

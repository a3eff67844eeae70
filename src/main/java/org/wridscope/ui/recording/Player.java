// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionPair;
import org.wridscope.recording.replay.RecordedSession;

/** Plays one recorded migration, or moves it to a moment. For the JavaFX thread only. */
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
   * @param seeking moves recordings; shared by all players
   */
  public Player(Seeking seeking) {
    this.seeking = seeking;
  }

  /** Sets the migration to play; one that is not recorded counts as none. */
  public void show(@Nullable SessionPair newPair) {
    sessions = recorded(newPair);
    pair = sessions.isEmpty() ? null : newPair;
    first = pair == null ? 0 : pair.originNanos();
    playing = false;
  }

  /** The recorded sessions of a migration; empty if it is not recorded. */
  public static List<RecordedSession> recorded(@Nullable SessionPair pair) {
    return pair == null
        ? List.of()
        : pair.sessions().stream()
            .filter(RecordedSession.class::isInstance)
            .map(RecordedSession.class::cast)
            .toList();
  }

  /** How often a migration went back in time, which invalidates what was read from its logs. */
  public static int rewinds(@Nullable SessionPair pair) {
    return recorded(pair).stream().mapToInt(RecordedSession::rewinds).sum();
  }

  /** Whether there is a recording to play. */
  public boolean hasRecording() {
    return pair != null;
  }

  /** When the migration began; its destination may have listened long before. */
  public long firstNanos() {
    return first;
  }

  /** The time of the last event of either end. */
  public long lastNanos() {
    return sessions.stream().mapToLong(RecordedSession::lastNanos).max().orElse(0);
  }

  /** The shown moment. */
  public long position() {
    return sessions.isEmpty() ? 0 : sessions.getFirst().position();
  }

  /** The moment that is shown as soon as it is decoded. */
  public long wanted() {
    return pair == null ? 0 : seeking.wanted(pair);
  }

  /** Whether decoding the wanted moment takes noticeably long. */
  public boolean isSlow() {
    return seeking.isSlow(pair);
  }

  public boolean isPlaying() {
    return playing;
  }

  /** Starts to play, from the beginning if the end is shown. */
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
   * Sets the speed.
   *
   * @param factor 1 for the speed of the migration
   */
  public void setSpeed(double factor) {
    speed = factor;
  }

  /** Shows a moment, or the nearest one in the recording, as soon as it is decoded. */
  public void moveTo(long nanos) {
    if (pair != null) {
      seeking.moveTo(pair, Math.clamp(nanos, first, Math.max(first, lastNanos())));
    }
  }

  /** Advances by the time passed since the last call, unless the file is too slow. */
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

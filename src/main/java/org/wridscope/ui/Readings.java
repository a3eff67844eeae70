// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.wridscope.control.Session;
import org.wridscope.figures.Reading;

/**
 * What the texts of a window say of sessions: one reading of each session at each moment, which all
 * texts share, so that two of them never show different values of one figure. For the JavaFX thread
 * only.
 */
public final class Readings implements Function<Session, Reading> {
  private static final long MOMENT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Map<Session, Reading> taken = new WeakHashMap<>();
  private long moment;
  private long takenAt;

  /**
   * The number of the moment, which is another one ten times a second.
   *
   * @param nowNanos {@link System#nanoTime()} of this frame
   */
  public long moment(long nowNanos) {
    if (nowNanos - takenAt >= MOMENT_NANOS) {
      renew(nowNanos);
    }
    return moment;
  }

  /**
   * Begins another moment.
   *
   * @param nowNanos {@link System#nanoTime()} of this frame
   */
  public void renew(long nowNanos) {
    takenAt = nowNanos;
    moment++;
    taken.clear();
  }

  /** The reading of a session at this moment. */
  @Override
  public Reading apply(Session session) {
    return taken.computeIfAbsent(session, it -> it.reading().still());
  }
}

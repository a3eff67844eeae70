// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import javafx.animation.AnimationTimer;

/** Redraws the window once a frame, and its texts ten times a second. */
final class Pulse extends AnimationTimer {
  private static final long TEXT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final LongConsumer texts;
  private final LongConsumer frame;
  private long textsAt;

  /**
   * @param texts refreshes texts, given {@link System#nanoTime()}
   * @param frame draws a frame, given {@link System#nanoTime()}
   */
  Pulse(LongConsumer texts, LongConsumer frame) {
    this.texts = texts;
    this.frame = frame;
  }

  /** Refreshes the texts with the next frame. */
  void refreshTexts() {
    textsAt = 0;
  }

  @Override
  public void handle(long frameNanos) {
    // JavaFX may take the time of a frame from another clock than telemetry.
    long now = System.nanoTime();
    if (now - textsAt >= TEXT_NANOS) {
      textsAt = now;
      texts.accept(now);
    }
    frame.accept(now);
  }
}

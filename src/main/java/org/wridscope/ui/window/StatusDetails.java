// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.concurrent.TimeUnit;
import javafx.beans.property.BooleanProperty;
import org.wridscope.text.Format;
import org.wridscope.ui.remembered.StoredJson;

/** Frames per second and used heap, for those who ask for them; the choice is stored. */
final class StatusDetails {
  private static final String KEY = "status-details";
  private static final long PERIOD = TimeUnit.SECONDS.toNanos(1);

  private final BooleanProperty wanted;
  private long since;
  private int frames;
  private String text = "";

  /**
   * Starts with the stored choice.
   *
   * @param store keeps the choice
   */
  StatusDetails(StoredJson store) {
    wanted = store.flag(KEY, false);
  }

  BooleanProperty wantedProperty() {
    return wanted;
  }

  /** Counts a frame. */
  void frame(long nowNanos) {
    frames++;
    long passed = nowNanos - since;
    if (passed >= PERIOD) {
      Runtime runtime = Runtime.getRuntime();
      text =
          "%d frames/s, heap %s of %s"
              .formatted(
                  Math.round(frames * (double) PERIOD / passed),
                  Format.bytes(runtime.totalMemory() - runtime.freeMemory()),
                  Format.bytes(runtime.maxMemory()));
      frames = 0;
      since = nowNanos;
    }
  }

  /** For the status bar; empty unless asked for. */
  String text() {
    return wanted.get() ? text : "";
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionPair;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.recording.Player;

/**
 * The migration that all views show. When its recording goes back in time, the views start again
 * from nothing, so that they do not show what has not happened yet. For the JavaFX thread only.
 */
final class Presentation {
  private final Analyses analyses;
  private final Selection selection;
  private final Consumer<@Nullable SessionPair> views;
  private @Nullable SessionPair pair;
  private int rewinds;

  /**
   * @param views shows sessions, or none, in each view
   */
  Presentation(Analyses analyses, Selection selection, Consumer<@Nullable SessionPair> views) {
    this.analyses = analyses;
    this.selection = selection;
    this.views = views;
  }

  /** The shown sessions; null for none. */
  @Nullable SessionPair pair() {
    return pair;
  }

  /** Shows another migration, and clears the selection. */
  void show(@Nullable SessionPair newPair) {
    pair = newPair;
    rewinds = Player.rewinds(newPair);
    selection.select(null);
    analyses.keepOnly(newPair);
    views.accept(newPair);
  }

  /** Shows the same migration again, because its texts have changed. */
  void renew() {
    SessionPair shown = pair;
    analyses.forget();
    selection.select(null);
    views.accept(shown);
  }

  /** Restarts the views if the recording went back in time; called before they draw a frame. */
  void refresh() {
    SessionPair shown = pair;
    int now = Player.rewinds(shown);
    if (shown != null && now != rewinds) {
      rewinds = now;
      analyses.forget();
      if (!happened(selection.get(), shown.clock(Long.MAX_VALUE))) {
        selection.select(null);
      }
      views.accept(shown);
    }
  }

  /** Whether everything known about the selection had happened by a moment. */
  private static boolean happened(@Nullable Selected selected, long nanos) {
    return switch (selected) {
      case Selected.LoggedEvent logged -> logged.event().nanos() <= nanos;
      case Selected.WorkRequest request ->
          request.facts().history().stream().allMatch(station -> station.nanos() <= nanos);
      case Selected.Chunk _, Selected.Registration _ -> true;
      case null -> true;
    };
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.SessionPair;
import org.wridscope.ui.View;
import org.wridscope.ui.recording.Player;

/**
 * Which migration all views show. When its recording goes back in time they begin anew: nothing is
 * seen of what has not happened yet. For the JavaFX thread only.
 */
final class Presentation {
  private final Analyses analyses;
  private final Selection selection;
  private final Consumer<Consumer<View>> views;
  private @Nullable SessionPair pair;
  private int rewinds;

  /**
   * @param analyses what was read for the views
   * @param selection what is selected in them
   * @param views does something with each of them
   */
  Presentation(Analyses analyses, Selection selection, Consumer<Consumer<View>> views) {
    this.analyses = analyses;
    this.selection = selection;
    this.views = views;
  }

  /** What is shown, null for nothing. */
  @Nullable SessionPair pair() {
    return pair;
  }

  /** Shows another migration, with nothing selected. */
  void show(@Nullable SessionPair newPair) {
    pair = newPair;
    rewinds = Player.rewinds(newPair);
    selection.select(null);
    analyses.keepOnly(newPair);
    views.accept(view -> view.show(newPair));
  }

  /** Shows it anew if it went back in time; called once a frame, before views read it. */
  void refresh() {
    SessionPair shown = pair;
    int now = Player.rewinds(shown);
    if (shown != null && now != rewinds) {
      rewinds = now;
      analyses.forget();
      if (!happened(selection.get(), shown.clock(Long.MAX_VALUE))) {
        selection.select(null);
      }
      views.accept(view -> view.show(shown));
    }
  }

  /** Whether all that is known of what is selected had happened by a moment. */
  private static boolean happened(@Nullable Selected selected, long nanos) {
    return switch (selected) {
      case Selected.LoggedEvent logged -> logged.event().nanos() <= nanos;
      case Selected.WorkRequest request ->
          request.facts().way().stream().allMatch(station -> station.nanos() <= nanos);
      case Selected.Chunk _, Selected.Registration _ -> true;
      case null -> true;
    };
  }
}

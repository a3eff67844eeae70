// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javafx.application.Platform;
import javafx.geometry.Rectangle2D;
import javafx.stage.Screen;
import javafx.stage.Stage;
import javafx.util.Subscription;
import org.jspecify.annotations.Nullable;
import org.wridscope.ui.remembered.Memory;
import org.wridscope.ui.remembered.StoredJson;

/** Remembers where the window is, how it is divided, and which view it shows. */
final class WindowLayout {
  private static final String PLACE = "place";
  private static final String WIDTHS = "widths";
  private static final String VIEW = "view";

  private final Stage stage;
  private final Panes panes;
  private final ViewTabs tabs;
  private final StoredJson store;

  private final Runnable forgotten;
  private final Subscription noting;

  /** Whether the next window is to begin like this one. */
  private boolean kept = true;

  /** Where the window was when it was last neither maximized nor an icon. */
  private @Nullable WindowPlace place;

  WindowLayout(Stage stage, Panes panes, ViewTabs tabs, StoredJson store) {
    this.stage = stage;
    this.panes = panes;
    this.tabs = tabs;
    this.store = store;
    forgotten = () -> kept = store.has(PLACE);
    store.onForget(PLACE, forgotten);
    // Later: the desktop may be about to tell that this is because of maximizing.
    noting =
        Stream.of(
                stage.xProperty(),
                stage.yProperty(),
                stage.widthProperty(),
                stage.heightProperty(),
                stage.showingProperty())
            .map(changing -> changing.subscribe(() -> Platform.runLater(this::note)))
            .reduce(Subscription.EMPTY, Subscription::and);
  }

  /** What the next window begins with; stored when a window closes. */
  static Memory memory(StoredJson store) {
    return new Memory(
        "window-place",
        "Place, division and view of the window",
        store,
        List.of(PLACE, WIDTHS, VIEW),
        () -> "remembered");
  }

  private void note() {
    if (stage.isShowing()
        && !stage.isMaximized()
        && !stage.isIconified()
        && !stage.isFullScreen()) {
      place =
          new WindowPlace(stage.getX(), stage.getY(), stage.getWidth(), stage.getHeight(), false);
    }
  }

  /** Makes the window as it was; before it is shown. */
  void restore() {
    WindowPlace stored = store.get(PLACE, WindowPlace.class);
    if (stored != null && stored.width() > 0 && stored.height() > 0) {
      WindowPlace usable = stored.on(screens());
      stage.setX(usable.x());
      stage.setY(usable.y());
      stage.setWidth(usable.width());
      stage.setHeight(usable.height());
      stage.setMaximized(usable.maximized());
      place = usable;
    }
    Panes.Widths widths = store.get(WIDTHS, Panes.Widths.class);
    if (widths != null) {
      panes.restore(widths);
    }
    Integer view = store.get(VIEW, Integer.class);
    if (view != null) {
      tabs.open(view);
    }
  }

  private static List<Rectangle2D> screens() {
    var all = new ArrayList<Rectangle2D>();
    all.add(Screen.getPrimary().getVisualBounds());
    Screen.getScreens().forEach(screen -> all.add(screen.getVisualBounds()));
    return all;
  }

  /** Remembers how the window is now, as the last call. */
  void close() {
    // The stage may live longer.
    noting.unsubscribe();
    if (!kept) {
      return;
    }
    WindowPlace last = place;
    if (last != null) {
      store.put(
          PLACE,
          new WindowPlace(last.x(), last.y(), last.width(), last.height(), stage.isMaximized()));
    }
    store.put(WIDTHS, panes.widths());
    store.put(VIEW, tabs.place());
  }
}

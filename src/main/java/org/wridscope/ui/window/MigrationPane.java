// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.Objects;
import javafx.scene.Node;
import javafx.scene.control.Label;
import javafx.scene.control.ListView;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.StackPane;
import javafx.scene.layout.VBox;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionPair;
import org.wridscope.ui.Presence;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.View;
import org.wridscope.ui.recording.PlayerBar;
import org.wridscope.ui.search.SearchBar;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.waiting.WaitingPane;

/**
 * The middle of the window: the views of the selected migration, or what a migration that is ready
 * to start will do. For the JavaFX thread only.
 */
final class MigrationPane {
  private final TimeRange range;
  private final Presentation presentation;
  private final SteeringBar steering;
  private final PlayerBar player;
  private final SteppingActions stepping;
  private final SearchBar search;
  private final ReadyPane ready;
  private final ViewTabs tabs;
  private final WaitingPane waiting;
  private final Node views;
  private final Node nothing;
  private final StackPane root = new StackPane();
  private @Nullable Migration migration;

  MigrationPane(
      TimeRange range,
      Presentation presentation,
      SteeringBar steering,
      PlayerBar player,
      SteppingActions stepping,
      SearchBar search,
      ReadyPane ready,
      ViewTabs tabs,
      WaitingPane waiting) {
    this.range = range;
    this.presentation = presentation;
    this.steering = steering;
    this.player = player;
    this.stepping = stepping;
    this.search = search;
    this.ready = ready;
    this.tabs = tabs;
    this.waiting = waiting;
    var below = new StackPane(tabs.node(), waiting.node());
    VBox.setVgrow(below, Priority.ALWAYS);
    views = new VBox(steering.node(), player.node(), stepping.node(), search.node(), below);
    var text = new Label("Start a migration with the buttons above, or select one at the left.");
    text.getStyleClass().add("empty-text");
    nothing = new StackPane(text);
    nothing.getStyleClass().add("empty");
  }

  Region node() {
    return root;
  }

  /** The sessions that the views show; null when there are none. */
  @Nullable SessionPair pair() {
    return presentation.pair();
  }

  /** Shows a migration from its beginning, or null for none. */
  void show(@Nullable Migration selected) {
    migration = selected;
    SessionPair pair = pairOf(selected);
    if (selected != null && pair != null) {
      range.reset(pair.originNanos());
      steering.show(selected);
    }
    player.show(pair);
    stepping.show(selected);
    moveTime(System.nanoTime());
    if (pair != null) {
      tabs.showViewsOf(ViewTabs.Subject.of(pair.leading()));
    }
    presentation.show(pair);
    if (pair != null) {
      only(views);
    } else if (selected != null) {
      ready.show(selected);
      only(ready.node());
      // The list keeps the keyboard for the next arrow key.
      if (!(root.getScene() != null && root.getScene().getFocusOwner() instanceof ListView<?>)) {
        ready.focus();
      }
    } else {
      only(nothing);
    }
  }

  /**
   * Makes one of the views that have not been needed yet. They are laid out where nobody sees them,
   * because the first time takes long: styles, skins, and code that never ran. Returns whether
   * there may be more.
   */
  boolean prepareOne() {
    if (!root.getChildren().contains(views)) {
      Presence.set(views, false);
      root.getChildren().addFirst(views);
    }
    if (!views.isManaged()) {
      views.resize(root.getWidth(), root.getHeight());
    }
    return tabs.prepareOne();
  }

  /** Shows one of the children; the others stay, so that they need not be laid out again. */
  private void only(Node shown) {
    if (!root.getChildren().contains(shown)) {
      root.getChildren().add(shown);
    }
    root.getChildren().forEach(child -> Presence.set(child, false));
    Presence.set(shown, true);
  }

  /** Shows the same again, because its texts have changed. */
  void renew() {
    presentation.renew();
  }

  private static @Nullable SessionPair pairOf(@Nullable Migration migration) {
    return migration == null ? null : migration.pair();
  }

  /** Follows the sessions of the shown migration, and refreshes texts. */
  void refreshTexts() {
    if (!Objects.equals(pairOf(migration), pair())) {
      // The migration was started, or its other end has appeared.
      show(migration);
    }
    SessionPair pair = pair();
    if (pair != null && pair.originNanos() != range.originNanos()) {
      // The source of a waiting destination has connected.
      range.reset(pair.originNanos());
    }
    steering.refresh();
    waiting.refresh(pair);
  }

  /**
   * Moves the shown time on; called for every frame.
   *
   * @param now {@link System#nanoTime()}
   */
  void advance(long now) {
    player.pulse(now);
    moveTime(now);
  }

  private void moveTime(long now) {
    long clock = migration == null ? now : migration.clock(now);
    if (player.hasRecording() && range.spanNanosProperty().get() == TimeRange.WHOLE) {
      range.standStill(player.lastNanos());
    } else if (player.isPlaying() || (migration != null && migration.running())) {
      range.update(clock);
    } else {
      range.standStill(clock);
    }
  }

  /** Draws the current view. */
  void draw(long now) {
    presentation.refresh();
    search.pulse(now);
    View view = tabs.shown();
    if (view != null) {
      view.pulse(now);
    }
  }
}

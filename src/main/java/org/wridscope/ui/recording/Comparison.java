// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import java.util.List;
import java.util.Objects;
import javafx.animation.AnimationTimer;
import javafx.collections.ObservableList;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.Slider;
import javafx.scene.control.SplitPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.VBox;
import javafx.util.StringConverter;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.Format;
import org.wridscope.ui.Selection;
import org.wridscope.ui.SessionPair;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.chunks.ChunksView;
import org.wridscope.ui.overview.Charts;
import org.wridscope.ui.overview.OverviewView;
import org.wridscope.ui.sessions.Migration;

/**
 * Two migrations side by side, each with its own clock that counts from its own beginning. One
 * slider moves those that are recorded to the same time after their beginnings.
 */
public final class Comparison {
  private final Half left;
  private final Half right;
  private final Slider slider = new Slider(0, 1, 1);
  private final Label moment = new Label();
  private final VBox root;
  private final AnimationTimer pulse;
  private boolean placing;

  /**
   * @param migrations to choose from
   * @param first shown at the left, null for any
   * @param seeking moves recordings, for all players together
   */
  public Comparison(
      ObservableList<Migration> migrations, @Nullable Migration first, Seeking seeking) {
    List<Migration> started = migrations.stream().filter(m -> m.pair() != null).toList();
    left = new Half("compare-left", migrations, seeking);
    right = new Half("compare-right", migrations, seeking);
    left.choice.setValue(
        started.contains(first) ? first : started.isEmpty() ? null : started.getFirst());
    right.choice.setValue(
        started.stream()
            .filter(m -> !Objects.equals(m, left.choice.getValue()))
            .reduce((_, last) -> last)
            .orElse(null));
    slider.setId("compare-position");
    slider.setAccessibleText("Time after the beginning of both");
    HBox.setHgrow(slider, Priority.ALWAYS);
    slider
        .valueProperty()
        .subscribe((_, value) -> {
          if (!placing) {
            moveTo(value.doubleValue());
          }
        });
    moment.getStyleClass().addAll("number", "muted");
    var bar = new HBox(8, new Label("Both at"), slider, moment);
    bar.setAlignment(Pos.CENTER_LEFT);
    bar.getStyleClass().add("player");
    var split = new SplitPane(left.node, right.node);
    VBox.setVgrow(split, Priority.ALWAYS);
    root = new VBox(bar, split);
    root.getStyleClass().add("window-root");
    pulse =
        new AnimationTimer() {
          @Override
          public void handle(long frame) {
            long now = System.nanoTime();
            left.pulse(now);
            right.pulse(now);
            place();
          }
        };
  }

  public Parent node() {
    return root;
  }

  public void theme(boolean dark) {
    left.overview.theme(dark);
    right.overview.theme(dark);
  }

  public void start() {
    pulse.start();
  }

  public void stop() {
    pulse.stop();
  }

  /** Shows where the left one stands, which may be moved elsewhere as well. */
  private void place() {
    long length = Math.max(left.length(), right.length());
    Half shown = left.length() > 0 ? left : right;
    slider.setDisable(length == 0);
    moment.setText(length == 0 ? "" : Format.moment(shown.afterOrigin()));
    if (length > 0 && !slider.isValueChanging()) {
      placing = true;
      slider.setValue((double) shown.afterOrigin() / length);
      placing = false;
    }
  }

  private void moveTo(double share) {
    long length = Math.max(left.length(), right.length());
    long after = share >= 1 ? length : (long) (length * share);
    left.moveTo(after);
    right.moveTo(after);
  }

  /** One of the two. */
  private static final class Half {
    private final TimeRange range = new TimeRange();
    private final Player player;
    private final OverviewView overview;
    private final ComboBox<Migration> choice = new ComboBox<>();
    private final Label status = new Label();
    private final Node node;
    private @Nullable SessionPair shown;
    private int rewinds;

    Half(String id, ObservableList<Migration> migrations, Seeking seeking) {
      player = new Player(seeking);
      overview =
          new OverviewView(
              this::clock,
              List.of(
                  new OverviewView.Row(1, List.of(Charts.rates(range))),
                  new OverviewView.Row(1, List.of(Charts.completions(range))),
                  new OverviewView.Row(1, List.of(Charts.remaining(range))),
                  new OverviewView.Row(1.4, List.of(new ChunksView(new Selection())))));
      choice.setId(id);
      choice.setItems(migrations);
      choice.setAccessibleText("Migration");
      choice.setConverter(
          new StringConverter<>() {
            @Override
            public String toString(@Nullable Migration migration) {
              return migration == null ? "" : migration.name();
            }

            @Override
            public Migration fromString(String text) {
              throw new UnsupportedOperationException("the choice cannot be typed");
            }
          });
      status.getStyleClass().add("muted");
      var head = new HBox(8, choice, status);
      head.setAlignment(Pos.CENTER_LEFT);
      head.getStyleClass().add("steering");
      VBox.setVgrow(overview.node(), Priority.ALWAYS);
      node = new VBox(head, overview.node());
    }

    private long clock(long nowNanos) {
      Migration migration = choice.getValue();
      return migration == null ? nowNanos : migration.clock(nowNanos);
    }

    /** From its beginning to its end, 0 when it is not recorded. */
    long length() {
      return shown == null || !player.hasRecording() ? 0 : player.lastNanos() - shown.originNanos();
    }

    /** Where it stands, from its beginning. */
    long afterOrigin() {
      return shown == null || !player.hasRecording() ? 0 : player.position() - shown.originNanos();
    }

    void moveTo(long afterOrigin) {
      if (shown != null && player.hasRecording()) {
        player.moveTo(shown.originNanos() + afterOrigin);
      }
    }

    void pulse(long now) {
      Migration migration = choice.getValue();
      SessionPair pair = migration == null ? null : migration.pair();
      int wound = Player.rewinds(pair);
      if (!Objects.equals(pair, shown)) {
        shown = pair;
        player.show(pair);
        overview.show(pair);
        if (pair != null) {
          range.reset(pair.originNanos());
        }
      } else if (wound != rewinds) {
        overview.show(pair);
      }
      rewinds = wound;
      if (player.hasRecording()) {
        range.standStill(player.lastNanos());
      } else if (migration != null && migration.running()) {
        range.update(now);
      } else if (pair != null) {
        range.standStill(clock(now));
      }
      status.setText(pair == null ? "" : pair.leading().status().qemuName());
      overview.pulse(now);
    }
  }
}

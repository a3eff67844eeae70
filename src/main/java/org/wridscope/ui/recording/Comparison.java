// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
import org.wridscope.recording.SessionPair;
import org.wridscope.text.Format;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.chart.TimeSeriesView;
import org.wridscope.ui.chunks.ChunksView;
import org.wridscope.ui.overview.Charts;
import org.wridscope.ui.overview.OverviewView;
import org.wridscope.ui.sessions.Migration;

/**
 * Two migrations side by side, each with times that count from its own beginning. One slider moves
 * recorded migrations to the same time after their beginnings.
 */
public final class Comparison {
  /** Columns of figures; more would be cut off. */
  private static final int COLUMNS = 2;

  private final Half left;
  private final Half right;
  private final Slider slider = new Slider(0, 1, 1);
  private final MomentLabel moment = new MomentLabel("compare-moment");
  private final VBox root;
  private final AnimationTimer pulse;
  private boolean placing;

  /**
   * @param migrations to choose from
   * @param first shown at the left; null for any
   * @param seeking moves recordings; shared by all players
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
    var bar = new HBox(8, slider, moment);
    bar.setAlignment(Pos.CENTER_LEFT);
    bar.getStyleClass().add("player");
    var split = new SplitPane(left.node, right.node);
    VBox.setVgrow(split, Priority.ALWAYS);
    root = new VBox(bar, split);
    root.getStyleClass().add("window-root");
    for (int i = 0; i < left.charts.size(); i++) {
      right.charts.get(i).shareScale(left.charts.get(i));
    }
    pulse =
        new AnimationTimer() {
          @Override
          public void handle(long frame) {
            long now = System.nanoTime();
            left.follow();
            right.follow();
            long length = Math.max(left.lengthAt(now), right.lengthAt(now));
            left.show(length);
            right.show(length);
            link();
            left.overview.pulse(now);
            right.overview.pulse(now);
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

  /** Shows the same time span at both sides after one of them was zoomed or moved. */
  private void link() {
    if (left.hasMovedTime()) {
      right.range.showAs(left.range);
    } else if (right.hasMovedTime()) {
      left.range.showAs(right.range);
    }
    left.noteTime();
    right.noteTime();
  }

  /** Shows the moments of both sides, which other players may change too. */
  private void place() {
    long length = length();
    slider.setDisable(length == 0);
    moment.setText(moment());
    moment.setWidest(both(left.momentAtEnd("left"), right.momentAtEnd("right")));
    if (length > 0 && !slider.isValueChanging()) {
      placing = true;
      slider.setValue((double) Math.max(left.wanted(), right.wanted()) / length);
      placing = false;
    }
  }

  /** The time that the slider covers; 0 if neither side is recorded. */
  private long length() {
    return Math.max(left.length(), right.length());
  }

  private String moment() {
    if (left.player.isSlow() || right.player.isSlow()) {
      return "seeking " + Format.moment(Math.max(left.wanted(), right.wanted())) + "…";
    }
    if (left.length() > 0 && right.length() > 0 && left.afterOrigin() == right.afterOrigin()) {
      return "both at " + Format.moment(left.afterOrigin());
    }
    return both(left.moment("left"), right.moment("right"));
  }

  private static String both(String left, String right) {
    return Stream.of(left, right).filter(text -> !text.isEmpty()).collect(Collectors.joining(", "));
  }

  private void moveTo(double share) {
    long length = length();
    long after = share >= 1 ? length : (long) (length * share);
    left.moveTo(after);
    right.moveTo(after);
  }

  /** One of the two sides. */
  private static final class Half {
    private final TimeRange range = new TimeRange();
    private final Player player;
    private final List<TimeSeriesView> charts;
    private final OverviewView overview;
    private final ComboBox<Migration> choice = new ComboBox<>();
    private final Label status = new Label();
    private final Node node;
    private @Nullable SessionPair shown;
    private int rewinds;
    private long leftAt;
    private long rightAt;
    private boolean following = true;
    private long span;

    Half(String id, ObservableList<Migration> migrations, Seeking seeking) {
      player = new Player(seeking);
      charts = List.of(Charts.rates(range), Charts.completions(range), Charts.remaining(range));
      overview =
          new OverviewView(
              this::clock,
              COLUMNS,
              Stream.concat(
                      charts.stream().map(chart -> new OverviewView.Row(1, List.of(chart))),
                      Stream.of(
                          new OverviewView.Row(1.4, List.of(new ChunksView(new Selection())))))
                  .toList());
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

    /** The time from beginning to end; 0 if it is not recorded. */
    long length() {
      return shown == null || !player.hasRecording() ? 0 : player.lastNanos() - shown.originNanos();
    }

    /** The shown moment, counted from the beginning. */
    long afterOrigin() {
      return shown == null || !player.hasRecording() ? 0 : player.position() - shown.originNanos();
    }

    /** The moment to be shown, counted from the beginning. */
    long wanted() {
      return shown == null || !player.hasRecording() ? 0 : player.wanted() - shown.originNanos();
    }

    /** The shown moment in words; empty if it is not recorded. */
    String moment(String side) {
      return afterOrigin() >= length()
          ? momentAtEnd(side)
          : side + " at " + Format.moment(afterOrigin());
    }

    /** The end in words; empty if it is not recorded. */
    String momentAtEnd(String side) {
      return length() == 0 ? "" : side + " at its end, " + Format.moment(length());
    }

    void moveTo(long afterOrigin) {
      if (shown != null && player.hasRecording()) {
        player.moveTo(shown.originNanos() + afterOrigin);
      }
    }

    /** Shows the chosen migration, from nothing if it went back in time. */
    void follow() {
      Migration migration = choice.getValue();
      SessionPair pair = migration == null ? null : migration.pair();
      int wound = Player.rewinds(pair);
      if (!Objects.equals(pair, shown)) {
        shown = pair;
        player.show(pair);
        overview.show(pair);
        if (pair != null) {
          range.reset(pair.originNanos());
          noteTime();
        }
      } else if (wound != rewinds) {
        overview.show(pair);
      }
      rewinds = wound;
      status.setText(pair == null ? "" : pair.leading().status().qemuName());
    }

    /** The time it took, or has taken until now. */
    long lengthAt(long now) {
      return shown == null ? 0 : length() > 0 ? length() : clock(now) - shown.originNanos();
    }

    /** Shows this much time if the whole migration is shown. */
    void show(long length) {
      range.update(range.originNanos() + length);
    }

    /** Whether the user has zoomed or moved the time of this side since {@link #noteTime}. */
    boolean hasMovedTime() {
      return following != range.isFollowing()
          || (!following
              && (leftAt != range.leftNanos() - range.originNanos()
                  || rightAt != range.rightNanos() - range.originNanos()))
          || span != range.spanNanosProperty().get();
    }

    void noteTime() {
      following = range.isFollowing();
      span = range.spanNanosProperty().get();
      leftAt = range.leftNanos() - range.originNanos();
      rightAt = range.rightNanos() - range.originNanos();
    }
  }
}

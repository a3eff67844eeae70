// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import java.util.List;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Slider;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.control.SessionPair;
import org.wridscope.text.Format;
import org.wridscope.ui.ChoiceText;
import org.wridscope.ui.Hints;
import org.wridscope.ui.Presence;

/** The controls that play a recorded migration, or move it to any moment. */
public final class PlayerBar {
  private static final List<Double> SPEEDS = List.of(0.0001, 0.001, 0.01, 0.1, 0.5, 1.0, 2.0, 10.0);

  private final Player player;
  private final FontIcon playIcon = new FontIcon(Feather.PLAY);
  private final Button play = new Button("", playIcon);
  private final Slider slider = new Slider(0, 1, 1);
  private final MomentLabel moment = new MomentLabel("player-moment");
  private final HBox root;
  private long origin;
  private boolean showing;

  /**
   * @param seeking moves recordings; shared by all players
   */
  public PlayerBar(Seeking seeking) {
    player = new Player(seeking);
    var begin = button(Feather.SKIP_BACK, "player-begin", "To the beginning");
    begin.setOnAction(_ -> moveTo(player.firstNanos()));
    var end = button(Feather.SKIP_FORWARD, "player-end", "To the end");
    end.setOnAction(_ -> moveTo(player.lastNanos()));
    play.setId("player-play");
    play.getStyleClass().add("button-icon");
    play.setTooltip(new Tooltip("Play or stop (Ctrl+P)"));
    play.setAccessibleText("Play or stop");
    play.setOnAction(_ -> toggle());
    slider.setId("player-position");
    slider.setAccessibleText("Shown moment of the recording");
    Hints.explain(slider, "Moves the recording to another time");
    HBox.setHgrow(slider, Priority.ALWAYS);
    slider
        .valueProperty()
        .subscribe(value -> {
          if (!showing && player.hasRecording()) {
            player.pause();
            double share = value.doubleValue();
            moveTo(
                share >= 1
                    ? player.lastNanos()
                    : player.firstNanos()
                        + (long) (share * (player.lastNanos() - player.firstNanos())));
          }
        });
    root = new HBox(8, begin, play, end, slider, moment, speeds());
    root.setAlignment(Pos.CENTER_LEFT);
    root.getStyleClass().add("player");
    show(null);
  }

  private static Button button(Feather icon, String id, String what) {
    var button = new Button("", new FontIcon(icon));
    button.setId(id);
    button.getStyleClass().addAll("button-icon", "flat");
    button.setTooltip(new Tooltip(what));
    button.setAccessibleText(what);
    return button;
  }

  private ComboBox<Double> speeds() {
    var speeds = new ComboBox<Double>();
    speeds.setId("player-speed");
    speeds.getItems().setAll(SPEEDS);
    speeds.setValue(1.0);
    speeds.setTooltip(new Tooltip("Speed; × 1 is the speed of the migration itself"));
    speeds.setAccessibleText("Speed");
    speeds.setMinWidth(Region.USE_PREF_SIZE);
    speeds.setConverter(new ChoiceText<>(PlayerBar::speed));
    speeds
        .valueProperty()
        .subscribe(speed -> {
          if (speed != null) {
            player.setSpeed(speed);
          }
        });
    return speeds;
  }

  private static String speed(double speed) {
    return speed >= 1 ? "× " + (int) speed : "1 : " + Format.count(Math.round(1 / speed));
  }

  public Node node() {
    return root;
  }

  /** Sets the migration to play; hides the bar if it is not recorded. */
  public void show(@Nullable SessionPair pair) {
    player.show(pair);
    origin = pair == null ? 0 : pair.originNanos();
    Presence.set(root, player.hasRecording());
    moment.setWidest(seeking(player.lastNanos()));
    refresh();
  }

  private String seeking(long nanos) {
    return "seeking %s…".formatted(Format.moment(nanos - origin));
  }

  /** Whether a recorded migration is shown. */
  public boolean hasRecording() {
    return player.hasRecording();
  }

  /** Whether the recording plays on. */
  public boolean isPlaying() {
    return player.isPlaying();
  }

  /** The right edge of a view that shows all of it. */
  public long lastNanos() {
    return player.lastNanos();
  }

  /** Plays when it stands, stops when it plays. */
  public void toggle() {
    if (!player.hasRecording()) {
      return;
    }
    if (player.isPlaying()) {
      player.pause();
    } else {
      player.play();
    }
    refresh();
  }

  private void moveTo(long nanos) {
    player.moveTo(nanos);
    refresh();
  }

  /** Plays on; called once a frame. */
  public void pulse(long nowNanos) {
    if (player.hasRecording()) {
      player.pulse(nowNanos);
      refresh();
    }
  }

  private void refresh() {
    if (!player.hasRecording()) {
      return;
    }
    long length = Math.max(1, player.lastNanos() - player.firstNanos());
    showing = true;
    slider.setValue((double) (player.wanted() - player.firstNanos()) / length);
    showing = false;
    moment.setText(
        player.isSlow() ? seeking(player.wanted()) : Format.moment(player.position() - origin));
    Feather icon = player.isPlaying() ? Feather.PAUSE : Feather.PLAY;
    if (playIcon.getIconCode() != icon) {
      playIcon.setIconCode(icon);
    }
  }
}

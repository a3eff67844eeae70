// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.layout.GridPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Region;
import javafx.scene.layout.StackPane;
import javafx.scene.layout.VBox;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.LabSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.text.Format;
import org.wridscope.ui.sessions.Migration;

/** A lab migration that is ready to start: its settings, and the button that starts it. */
final class ReadyPane {
  private final Label title = new Label();
  private final GridPane settings = new GridPane();
  private final Button start = new Button("Start migration", new FontIcon(Feather.PLAY));
  private final Button change = new Button("Change settings…");
  private final Button tour =
      new Button("Take the tour: provoke a hang, in small steps", new FontIcon(Feather.MAP_PIN));
  private final StackPane root;
  private @Nullable Migration migration;

  /** Whether the task that is running is that of the start button. */
  private boolean started;

  ReadyPane(Consumer<Migration> onStart, Consumer<Migration> onChange, Runnable onTour) {
    title.getStyleClass().add("ready-title");
    var text =
        new Label(
            "Migrates a guest from a source to a destination within this process, through RDMA"
                + " verbs on the embedded software device, while the guest keeps writing to"
                + " its memory. Watch it round by round, and change the limits while it"
                + " runs.");
    text.setWrapText(true);
    text.setMinHeight(Region.USE_PREF_SIZE);
    text.getStyleClass().add("muted");
    settings.getStyleClass().add("ready-settings");
    start.setId("start");
    start.getStyleClass().addAll("accent", "large");
    start.setDefaultButton(true);
    start.setOnAction(_ -> {
      started = true;
      act(onStart);
    });
    change.setId("change");
    change.getStyleClass().add("large");
    change.setOnAction(_ -> act(onChange));
    tour.setId("ready-tour");
    tour.getStyleClass().addAll("flat", "accent");
    tour.setOnAction(_ -> onTour.run());
    var buttons = new HBox(10, start, change);
    var card = new VBox(14, title, text, settings, buttons, tour);
    card.getStyleClass().add("ready-card");
    card.setMaxSize(520, Region.USE_PREF_SIZE);
    root = new StackPane(card);
    root.getStyleClass().add("ready");
  }

  private void act(Consumer<Migration> action) {
    if (migration != null) {
      action.accept(migration);
    }
  }

  /** Disables the buttons while a task is running, which may have been started elsewhere. */
  void busy(String what) {
    start.setDisable(!what.isEmpty());
    change.setDisable(!what.isEmpty());
    tour.setDisable(!what.isEmpty());
    started &= !what.isEmpty();
    start.setText(started ? "Starting…" : "Start migration");
  }

  /** Focuses the start button. */
  void focus() {
    start.requestFocus();
  }

  Node node() {
    return root;
  }

  void show(Migration ready) {
    migration = ready;
    title.setText(ready.name());
    LabSettings lab = ready.settings();
    settings.getChildren().clear();
    if (lab != null) {
      lines(lab.migration())
          .forEach((what, text) -> {
            var name = new Label(what);
            name.getStyleClass().add("muted");
            var value = new Label(text);
            value.getStyleClass().add("number");
            settings.addRow(settings.getRowCount(), name, value);
          });
    }
  }

  private static Map<String, String> lines(MigrationSettings wanted) {
    var lines = new LinkedHashMap<String, String>();
    switch (wanted.guest()) {
      case GuestSettings.Synthetic guest -> {
        lines.put(
            "Guest",
            "%s of RAM, %s of it zero"
                .formatted(Format.bytes(guest.ramBytes()), Format.percent(guest.zeroShare())));
        long written = guest.workingSet() == 0 ? guest.ramBytes() / 4 : guest.workingSet();
        lines.put(
            "Workload",
            guest.dirtyRate() == 0
                ? "idle"
                : "writes %s within %s"
                    .formatted(Format.rate(guest.dirtyRate()), Format.bytes(written)));
      }
      case GuestSettings.Image guest ->
          lines.put(
              "Guest", "the file %s, %s".formatted(guest.file(), Format.bytes(guest.ramBytes())));
      case GuestSettings.Capture guest ->
          lines.put("Guest", "captured in the file %s".formatted(guest.out().path()));
      case GuestSettings.Restore guest ->
          lines.put("Guest", "restored from the file %s".formatted(guest.file()));
      case GuestSettings.Lift guest -> {
        lines.put("Guest", "that of the QEMU at %s".formatted(guest.qmp()));
        lines.put("Dirty log", guest.dirtyLog().text());
        lines.put("Throttle", guest.throttle().text());
      }
      case GuestSettings.Land guest ->
          lines.put("Guest", "runs in the QEMU at %s".formatted(guest.qmp()));
    }
    long limit = wanted.get(MigrationSetting.BANDWIDTH);
    lines.put("Bandwidth", limit == 0 ? "no limit" : "at most %s".formatted(Format.rate(limit)));
    lines.put(
        "Downtime",
        "at most %s"
            .formatted(Format.duration(wanted.get(MigrationSetting.DOWNTIME_LIMIT).toNanos())));
    lines.put(
        "Registration",
        wanted.get(MigrationSetting.PIN_ALL)
            ? "all RAM at the beginning"
            : "each chunk when it is sent");
    return lines;
  }
}

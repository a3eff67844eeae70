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
import org.wridscope.text.Format;
import org.wridscope.ui.Texts;
import org.wridscope.ui.sessions.Migration;

/** A lab migration that is ready to start: its settings, and the button that starts it. */
final class ReadyPane {
  private final Label title = new Label();
  private final GridPane settings = new GridPane();
  private final Button start = new Button(Texts.of("Start migration"), new FontIcon(Feather.PLAY));
  private final Button change = new Button(Texts.of("Change settings…"));
  private final StackPane root;
  private @Nullable Migration migration;

  /** Whether the task that is running is that of the start button. */
  private boolean started;

  ReadyPane(Consumer<Migration> onStart, Consumer<Migration> onChange) {
    title.getStyleClass().add("ready-title");
    var text =
        new Label(
            Texts.of(
                "Migrates a guest from a source to a destination within this process, through RDMA"
                    + " verbs on the embedded software device, while the guest keeps writing to"
                    + " its memory. Watch it round by round, and change the limits while it"
                    + " runs."));
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
    var buttons = new HBox(10, start, change);
    var card = new VBox(14, title, text, settings, buttons);
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
    started &= !what.isEmpty();
    start.setText(started ? Texts.of("Starting…") : Texts.of("Start migration"));
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
            Texts.of("Guest"),
            Texts.of(
                "%s of RAM, %s of it zero",
                Format.bytes(guest.ramBytes()), Format.percent(guest.zeroShare())));
        long written = guest.workingSet() == 0 ? guest.ramBytes() / 4 : guest.workingSet();
        lines.put(
            Texts.of("Workload"),
            guest.dirtyRate() == 0
                ? Texts.of("idle")
                : Texts.of(
                    "writes %s within %s", Format.rate(guest.dirtyRate()), Format.bytes(written)));
      }
      case GuestSettings.Image guest ->
          lines.put(
              Texts.of("Guest"),
              Texts.of("the file %s, %s", guest.file(), Format.bytes(guest.ramBytes())));
      case GuestSettings.Capture guest ->
          lines.put(Texts.of("Guest"), Texts.of("captured in the file %s", guest.out().path()));
      case GuestSettings.Restore guest ->
          lines.put(Texts.of("Guest"), Texts.of("restored from the file %s", guest.file()));
      case GuestSettings.Lift guest -> {
        lines.put(Texts.of("Guest"), Texts.of("that of the QEMU at %s", guest.qmp()));
        lines.put(Texts.of("Dirty log"), guest.dirtyLog().text());
        lines.put(Texts.of("Throttle"), guest.throttle().text());
      }
      case GuestSettings.Land guest ->
          lines.put(Texts.of("Guest"), Texts.of("runs in the QEMU at %s", guest.qmp()));
    }
    long limit = wanted.bandwidthLimit();
    lines.put(
        Texts.of("Bandwidth"),
        limit == 0 ? Texts.of("no limit") : Texts.of("at most %s", Format.rate(limit)));
    lines.put(
        Texts.of("Downtime"),
        Texts.of("at most %s", Format.duration(wanted.downtimeLimit().toNanos())));
    lines.put(
        Texts.of("Registration"),
        wanted.pinAll()
            ? Texts.of("all RAM at the beginning")
            : Texts.of("each chunk when it is sent"));
    return lines;
  }
}

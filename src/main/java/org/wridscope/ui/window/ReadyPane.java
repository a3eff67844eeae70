// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.ArrayList;
import java.util.List;
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
import org.wridscope.text.Format;
import org.wridscope.ui.sessions.Migration;

/** A lab migration that is ready to start: its settings, and the button that starts it. */
final class ReadyPane {
  private final Label title = new Label();
  private final GridPane settings = new GridPane();
  private final Button start = new Button("Start migration", new FontIcon(Feather.PLAY));
  private final Button change = new Button("Change settings…");
  private final StackPane root;
  private @Nullable Migration migration;

  ReadyPane(Consumer<Migration> onStart, Consumer<Migration> onChange) {
    title.getStyleClass().add("ready-title");
    var text =
        new Label(
            "Migrates a guest from a source to a destination within this process, through RDMA"
                + " verbs on the embedded software device, while the guest goes on writing to its"
                + " memory. Watch it round by round, and change the limits while it runs.");
    text.setWrapText(true);
    text.setMinHeight(Region.USE_PREF_SIZE);
    text.getStyleClass().add("muted");
    settings.getStyleClass().add("ready-settings");
    start.setId("start");
    start.getStyleClass().addAll("accent", "large");
    start.setDefaultButton(true);
    start.setOnAction(_ -> act(onStart));
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

  /** Disables the buttons while a task is running. */
  void busy(String what) {
    start.setDisable(!what.isEmpty());
    change.setDisable(!what.isEmpty());
    start.setText(what.isEmpty() ? "Start migration" : "Starting…");
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
      int row = 0;
      for (String[] line : lines(lab)) {
        var name = new Label(line[0]);
        name.getStyleClass().add("muted");
        var value = new Label(line[1]);
        value.getStyleClass().add("number");
        settings.addRow(row++, name, value);
      }
    }
  }

  private static List<String[]> lines(LabSettings lab) {
    var lines = new ArrayList<String[]>();
    switch (lab.guest()) {
      case GuestSettings.Synthetic guest -> {
        lines.add(
            new String[] {
              "Guest",
              Format.bytes(guest.ramBytes())
                  + " of RAM, "
                  + Format.percent(guest.zeroShare())
                  + " of it zero"
            });
        lines.add(
            new String[] {
              "Workload",
              guest.dirtyRate() == 0
                  ? "idle"
                  : "writes "
                      + Format.rate(guest.dirtyRate())
                      + " within "
                      + Format.bytes(
                          guest.workingSet() == 0 ? guest.ramBytes() / 4 : guest.workingSet())
            });
      }
      case GuestSettings.Image guest ->
          lines.add(
              new String[] {
                "Guest", "the file " + guest.file() + ", " + Format.bytes(guest.ramBytes())
              });
      case GuestSettings.Capture guest ->
          lines.add(new String[] {"Guest", "captured in the file " + guest.out().path()});
      case GuestSettings.Restore guest ->
          lines.add(new String[] {"Guest", "restored from the file " + guest.file()});
    }
    lines.add(
        new String[] {
          "Bandwidth",
          lab.bandwidthLimit() == 0 ? "no limit" : "at most " + Format.rate(lab.bandwidthLimit())
        });
    lines.add(
        new String[] {"Downtime", "at most " + Format.duration(lab.downtimeLimit().toNanos())});
    lines.add(
        new String[] {
          "Registration", lab.pinAll() ? "all RAM at the beginning" : "each chunk when it is sent"
        });
    return lines;
  }
}

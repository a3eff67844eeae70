// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import javafx.css.PseudoClass;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.control.ProgressBar;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.control.RamProgress;
import org.wridscope.text.Legible;

/** Messages above the views: errors, results and the running task. */
final class Notices {
  static final PseudoClass GOOD = PseudoClass.getPseudoClass("good");

  private final Label banner = new Label();
  private final Button action = new Button();
  private final HBox bannerBox;
  private final Label busyLabel = new Label();
  private final ProgressBar busyBar = new ProgressBar();
  private final Button busyCancel = new Button("Cancel");
  private final HBox busyBox;
  private final VBox node;
  private Runnable onClosed = () -> {};
  private String busyWith = "";

  Notices() {
    var close = new Button("", new FontIcon(Feather.X));
    close.getStyleClass().addAll("flat", "button-icon", "small");
    close.setAccessibleText("Close this message");
    close.setId("banner-close");
    close.setOnAction(_ -> {
      Runnable closed = onClosed;
      tell("");
      closed.run();
    });
    action.setId("banner-action");
    action.getStyleClass().addAll("flat", "small");
    action.setMinWidth(Region.USE_PREF_SIZE);
    banner.setWrapText(true);
    banner.setId("banner");
    banner.setMaxWidth(Double.MAX_VALUE);
    banner.setMinHeight(Region.USE_PREF_SIZE);
    HBox.setHgrow(banner, Priority.ALWAYS);
    bannerBox = new HBox(8, banner, action, close);
    bannerBox.setAlignment(Pos.CENTER_LEFT);
    bannerBox.getStyleClass().add("banner");
    tell("");
    busyLabel.setId("busy");
    busyBar.setMinWidth(Region.USE_PREF_SIZE);
    busyCancel.getStyleClass().add("small");
    busyCancel.setId("busy-cancel");
    busyBox = new HBox(8, busyBar, busyLabel, busyCancel);
    busyBox.setAlignment(Pos.CENTER_LEFT);
    busyBox.getStyleClass().add("busy");
    busy("", () -> {});
    node = new VBox(bannerBox, busyBox);
  }

  Node node() {
    return node;
  }

  /** Shows an error, a sentence; an empty one removes the message. */
  void tell(String sentence) {
    tell(false, sentence);
  }

  /**
   * Shows a result, a sentence.
   *
   * @param good whether it is a success
   */
  void tell(boolean good, String sentence) {
    tell(good ? Feather.CHECK_CIRCLE : Feather.ALERT_TRIANGLE, good, sentence);
    onClosed = () -> {};
    show(action, false);
  }

  /**
   * Shows a message with a button.
   *
   * @param good whether it is no error
   * @param verb the text of the button
   * @param onAction runs when the button is pressed
   * @param closed runs when the user closes the message instead
   */
  void offer(boolean good, String sentence, String verb, Runnable onAction, Runnable closed) {
    tell(good ? Feather.INFO : Feather.ALERT_TRIANGLE, good, sentence);
    onClosed = closed;
    action.setText(verb);
    action.setOnAction(_ -> onAction.run());
    show(action, true);
  }

  /** Whether this sentence is still shown. */
  boolean isShowing(String sentence) {
    return banner.getText().equals(sentence);
  }

  private void tell(Feather icon, boolean good, String sentence) {
    banner.setGraphic(new FontIcon(icon));
    bannerBox.pseudoClassStateChanged(GOOD, good);
    banner.setText(Legible.of(sentence));
    show(bannerBox, !sentence.isEmpty());
  }

  /**
   * Shows the running task.
   *
   * @param what describes the task; empty when it has ended
   * @param cancel cancels it
   */
  void busy(String what, Runnable cancel) {
    busyWith = what;
    progress(RamProgress.NONE);
    busyCancel.setDisable(false);
    busyCancel.setOnAction(_ -> {
      busyCancel.setDisable(true);
      cancel.run();
    });
    show(busyBox, !what.isEmpty());
  }

  /** Shows how far the running task is, as far as it prepares RAM. */
  void progress(RamProgress ram) {
    busyLabel.setText(
        Legible.of(ram.total() == 0 ? busyWith : "%s Ready: %s.".formatted(busyWith, ram.text())));
    busyBar.setProgress(ram.total() == 0 ? ProgressBar.INDETERMINATE_PROGRESS : ram.share());
  }

  private static void show(Node box, boolean shown) {
    box.setVisible(shown);
    box.setManaged(shown);
  }
}

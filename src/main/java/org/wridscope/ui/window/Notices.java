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
import org.wridscope.ui.Presence;

/** Messages above the views: errors, results and the running task. */
final class Notices {
  static final PseudoClass GOOD = PseudoClass.getPseudoClass("good");

  private final Label banner = new Label();
  private final Button action = new Button();
  private final HBox bannerBox;
  private final VBox running = new VBox();
  private final VBox node;
  private Runnable onClosed = () -> {};

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
    node = new VBox(bannerBox, running);
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
    Presence.set(action, false);
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
    Presence.set(action, true);
  }

  /** Whether this sentence is still shown. */
  boolean isShowing(String sentence) {
    return banner.getText().equals(sentence);
  }

  private void tell(Feather icon, boolean good, String sentence) {
    banner.setGraphic(new FontIcon(icon));
    bannerBox.pseudoClassStateChanged(GOOD, good);
    banner.setText(Legible.of(sentence));
    Presence.set(bannerBox, !sentence.isEmpty());
  }

  /**
   * Shows a task that runs, until its line is ended.
   *
   * @param what describes it, a sentence
   * @param cancel cancels it
   */
  Line begin(String what, Runnable cancel) {
    var line = new Line(what, cancel);
    running.getChildren().add(line.box);
    return line;
  }

  /** The line of a task that runs: how far it is, and a button that cancels it alone. */
  final class Line {
    private final String what;
    private final Label label = new Label();
    private final ProgressBar bar = new ProgressBar();
    private final HBox box;

    private Line(String what, Runnable cancel) {
      this.what = what;
      var button = new Button("Cancel");
      button.getStyleClass().add("small");
      button.setId("busy-cancel");
      button.setAccessibleText("Cancel: %s".formatted(what));
      button.setMinWidth(Region.USE_PREF_SIZE);
      button.setOnAction(_ -> {
        button.setDisable(true);
        cancel.run();
      });
      label.setId("busy");
      label.setWrapText(true);
      label.setMinHeight(Region.USE_PREF_SIZE);
      bar.setMinWidth(Region.USE_PREF_SIZE);
      box = new HBox(8, bar, label, button);
      box.setAlignment(Pos.CENTER_LEFT);
      box.getStyleClass().add("busy");
      progress(RamProgress.NONE);
    }

    /** Shows how far the task is, as far as it prepares RAM. */
    void progress(RamProgress ram) {
      label.setText(
          Legible.of(ram.total() == 0 ? what : "%s Ready: %s.".formatted(what, ram.text())));
      bar.setProgress(ram.total() == 0 ? ProgressBar.INDETERMINATE_PROGRESS : ram.share());
    }

    /** Removes the line. */
    void end() {
      running.getChildren().remove(box);
    }
  }
}

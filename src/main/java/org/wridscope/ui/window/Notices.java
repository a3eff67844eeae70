// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import javafx.css.PseudoClass;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.control.ProgressIndicator;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.protocol.Legible;

/** What is said above the views: what went wrong, what came of something, what is under way. */
final class Notices {
  private static final PseudoClass GOOD = PseudoClass.getPseudoClass("good");

  private final Label banner = new Label();
  private final Button action = new Button();
  private final HBox bannerBox;
  private final Label busyLabel = new Label();
  private final Button busyCancel = new Button("Cancel");
  private final HBox busyBox;
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
    var progress = new ProgressIndicator();
    progress.setPrefSize(16, 16);
    busyCancel.getStyleClass().add("small");
    busyCancel.setId("busy-cancel");
    busyBox = new HBox(8, progress, busyLabel, busyCancel);
    busyBox.setAlignment(Pos.CENTER_LEFT);
    busyBox.getStyleClass().add("busy");
    busy("", () -> {});
    node = new VBox(bannerBox, busyBox);
  }

  Node node() {
    return node;
  }

  /** Says what went wrong; empty to say nothing. */
  void tell(String sentence) {
    tell(false, sentence);
  }

  /** Says what came of something. */
  void tell(boolean good, String sentence) {
    tell(good ? Feather.CHECK_CIRCLE : Feather.ALERT_TRIANGLE, good, sentence);
    onClosed = () -> {};
    show(action, false);
  }

  /**
   * Says what was done, with a button beside it.
   *
   * @param verb what the button says
   * @param onAction what it does
   * @param closed is run when the user closes the message instead
   */
  void offer(String sentence, String verb, Runnable onAction, Runnable closed) {
    tell(Feather.INFO, true, sentence);
    onClosed = closed;
    action.setText(verb);
    action.setOnAction(_ -> onAction.run());
    show(action, true);
  }

  /** Whether this sentence is still what is said. */
  boolean says(String sentence) {
    return banner.getText().equals(sentence);
  }

  private void tell(Feather icon, boolean good, String sentence) {
    banner.setGraphic(new FontIcon(icon));
    bannerBox.pseudoClassStateChanged(GOOD, good);
    banner.setText(Legible.of(sentence));
    show(bannerBox, !sentence.isEmpty());
  }

  /**
   * Says what is under way; empty when that is done.
   *
   * @param cancel has it end
   */
  void busy(String what, Runnable cancel) {
    busyLabel.setText(Legible.of(what));
    busyCancel.setDisable(false);
    busyCancel.setOnAction(_ -> {
      busyCancel.setDisable(true);
      cancel.run();
    });
    show(busyBox, !what.isEmpty());
  }

  private static void show(Node box, boolean shown) {
    box.setVisible(shown);
    box.setManaged(shown);
  }
}

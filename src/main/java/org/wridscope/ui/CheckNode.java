// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.control.Label;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.control.doctor.CheckResult;
import org.wridscope.control.doctor.Level;

/** The result of a check, with its remedy and a button that copies the command. */
public final class CheckNode {
  private CheckNode() {}

  /** A result of this machine. */
  public static Node of(CheckResult result) {
    return named(result.check(), result);
  }

  /** A result of a host. */
  public static Node of(String host, CheckResult result) {
    return named("%s: %s".formatted(host, result.check()), result);
  }

  private static Node named(String heading, CheckResult result) {
    var check = new Label(heading, icon(result.level()));
    check.getStyleClass().add("finding-check");
    check.setMinWidth(Region.USE_PREF_SIZE);
    var level = new Label(word(result.level()));
    level.getStyleClass().add("muted");
    level.setMinWidth(Region.USE_PREF_SIZE);
    var head = new HBox(8, check, level);
    head.setAlignment(Pos.BASELINE_LEFT);
    var box = new VBox(2, head, sentence(result.sentence()));
    if (!result.remedy().isEmpty()) {
      box.getChildren().add(sentence(result.remedy()));
    }
    if (!result.command().isEmpty()) {
      box.getChildren().add(command(result));
    }
    return box;
  }

  private static Label sentence(String text) {
    var sentence = new Label(text);
    sentence.setWrapText(true);
    sentence.setMinHeight(Region.USE_PREF_SIZE);
    sentence.getStyleClass().add("finding-sentence");
    return sentence;
  }

  private static Node command(CheckResult result) {
    Node line = new CopyLine(result.command(), "fixes %s".formatted(result.check())).node();
    line.getStyleClass().add("finding-sentence");
    return line;
  }

  private static FontIcon icon(Level level) {
    var icon =
        new FontIcon(
            switch (level) {
              case OK -> Feather.CHECK_CIRCLE;
              case NOTE -> Feather.INFO;
              case WARNING -> Feather.ALERT_TRIANGLE;
              case FAILURE -> Feather.X_CIRCLE;
            });
    icon.getStyleClass()
        .add(
            switch (level) {
              case OK -> "status-done";
              case NOTE -> "status-idle";
              case WARNING -> "status-warning";
              case FAILURE -> "status-failed";
            });
    return icon;
  }

  private static String word(Level level) {
    return switch (level) {
      case OK -> "ok";
      case NOTE -> "note";
      case WARNING -> "warning";
      case FAILURE -> "failure";
    };
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import javafx.scene.Scene;
import javafx.scene.control.Alert;
import javafx.scene.control.Button;
import javafx.scene.control.ButtonBar;
import javafx.scene.control.ButtonType;
import javafx.stage.Stage;
import org.wridscope.files.TakenException;

/** Asks whether a file may be replaced; Enter and Escape keep it. */
final class ReplaceQuestion {
  private ReplaceQuestion() {}

  /** Shows the question, and returns at once. */
  static void ask(Stage stage, TakenException taken, Runnable replace) {
    var yes = new ButtonType("Replace", ButtonBar.ButtonData.OTHER);
    var keep = new ButtonType("Keep it", ButtonBar.ButtonData.CANCEL_CLOSE);
    var question =
        new Alert(
            Alert.AlertType.NONE,
            """
            %s exists already and holds %s. It stays until the new one is complete, and is then \
            replaced.\
            """
                .formatted(taken.file(), taken.output().kind().text()),
            yes,
            keep);
    Scene scene = stage.getScene();
    question.initOwner(stage);
    question.setTitle("Replace %s?".formatted(taken.file().getFileName()));
    question.getDialogPane().getStylesheets().setAll(scene.getStylesheets());
    question.getDialogPane().setStyle(scene.getRoot().getStyle());
    question.getDialogPane().lookupButton(yes).setId("replace-file");
    var keepButton = (Button) question.getDialogPane().lookupButton(keep);
    keepButton.setId("keep-file");
    keepButton.setDefaultButton(true);
    question.setOnShown(_ -> keepButton.requestFocus());
    question
        .resultProperty()
        .subscribe(result -> {
          if (result == yes) {
            replace.run();
          }
        });
    question.show();
  }
}

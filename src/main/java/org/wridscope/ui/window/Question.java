// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import javafx.scene.Scene;
import javafx.scene.control.Alert;
import javafx.scene.control.Button;
import javafx.scene.control.ButtonBar;
import javafx.scene.control.ButtonType;
import javafx.scene.control.DialogPane;
import javafx.stage.Window;
import org.wridscope.files.TakenException;

/** Asks before something is done that cannot be undone; Enter and Escape mean no. */
final class Question {
  private Question() {}

  /**
   * Shows a question and returns at once.
   *
   * @param yes the text of the button that runs {@code action}
   * @param no the text of the default button, which only closes the question
   * @return the dialog, hidden as soon as the question is answered
   */
  static Alert show(
      Window owner, String title, String text, String yes, String no, Runnable action) {
    var yesType = new ButtonType(yes, ButtonBar.ButtonData.OTHER);
    var noType = new ButtonType(no, ButtonBar.ButtonData.CANCEL_CLOSE);
    var question = new Alert(Alert.AlertType.NONE, text, yesType, noType);
    question.setTitle(title);
    adopt(question, owner);
    DialogPane pane = question.getDialogPane();
    pane.lookupButton(yesType).setId("question-yes");
    var noButton = (Button) pane.lookupButton(noType);
    noButton.setId("question-no");
    noButton.setDefaultButton(true);
    question.setOnShown(_ -> noButton.requestFocus());
    question
        .resultProperty()
        .subscribe(result -> {
          if (result == yesType) {
            action.run();
          }
        });
    question.show();
    return question;
  }

  /** Asks whether an existing file may be replaced. */
  static void replace(Window owner, TakenException taken, Runnable action) {
    show(
        owner,
        "Replace %s?".formatted(taken.file().getFileName()),
        "%s exists already and holds %s. It is kept until the new file is complete, and is then replaced."
            .formatted(taken.file(), taken.output().kind().text()),
        "Replace",
        "Keep it",
        action);
  }

  /** Makes a dialog belong to a window and look like it. */
  static void adopt(Alert dialog, Window owner) {
    Scene scene = owner.getScene();
    dialog.initOwner(owner);
    dialog.getDialogPane().getStylesheets().setAll(scene.getStylesheets());
    dialog.getDialogPane().setStyle(scene.getRoot().getStyle());
  }
}

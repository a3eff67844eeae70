// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import javafx.scene.Scene;
import javafx.scene.control.Alert;
import javafx.scene.control.Button;
import javafx.scene.control.ButtonBar;
import javafx.scene.control.ButtonType;
import javafx.scene.control.Dialog;
import javafx.scene.control.DialogPane;
import javafx.scene.control.TextInputDialog;
import javafx.scene.layout.Region;
import javafx.stage.Window;
import org.wridscope.files.TakenException;

/** Asks before something is done that cannot be undone; Enter and Escape mean no. */
public final class Question {
  private Question() {}

  /**
   * Shows a question and returns at once.
   *
   * @param yes the text of the button that runs {@code action}
   * @param no the text of the default button, which only closes the question
   * @return the dialog, hidden as soon as the question is answered
   */
  public static Alert show(
      Window owner, String title, String text, String yes, String no, Runnable action) {
    return choose(owner, title, text, List.of(new Choice("question-yes", yes, action)), no);
  }

  /**
   * An answer to a question.
   *
   * @param id of its button
   * @param text of its button
   */
  public record Choice(String id, String text, Runnable action) {}

  /**
   * Shows a question with several answers and returns at once.
   *
   * @param no the text of the default button, which only closes the question
   * @return the dialog, hidden as soon as the question is answered
   */
  public static Alert choose(
      Window owner, String title, String text, List<Choice> choices, String no) {
    var types = new LinkedHashMap<ButtonType, Choice>();
    choices.forEach(
        choice -> types.put(new ButtonType(choice.text, ButtonBar.ButtonData.OTHER), choice));
    var noType = new ButtonType(no, ButtonBar.ButtonData.CANCEL_CLOSE);
    var question = new Alert(Alert.AlertType.NONE, text);
    question.getButtonTypes().setAll(types.keySet());
    question.getButtonTypes().add(noType);
    question.setTitle(title);
    adopt(question, owner);
    DialogPane pane = question.getDialogPane();
    types.forEach((type, choice) -> pane.lookupButton(type).setId(choice.id));
    question.getButtonTypes().stream()
        .map(type -> (Button) pane.lookupButton(type))
        .forEach(button -> button.setMinWidth(Region.USE_PREF_SIZE));
    var noButton = (Button) pane.lookupButton(noType);
    noButton.setId("question-no");
    noButton.setDefaultButton(true);
    question.setOnShown(_ -> noButton.requestFocus());
    question
        .resultProperty()
        .subscribe(result -> {
          Choice chosen = types.get(result);
          if (chosen != null) {
            chosen.action.run();
          }
        });
    question.show();
    return question;
  }

  /**
   * Asks for a line of text.
   *
   * @param now shown at first
   * @param accepted receives what was typed; not called if the user cancels
   */
  public static void text(
      Window owner, String title, String label, String now, Consumer<String> accepted) {
    textDialog(owner, title, label, now, accepted).show();
  }

  /**
   * What the button that accepts a text does.
   *
   * @param text of the button
   * @param usual whether Enter means it
   * @param possible whether it can be pressed
   */
  public record Yes(String text, boolean usual, boolean possible) {}

  /**
   * Asks for a line of text, to which the button that accepts it says what happens.
   *
   * @param yes of what is typed
   * @param accepted receives what was typed; not called if the user cancels
   */
  public static void text(
      Window owner,
      String title,
      String label,
      Function<String, Yes> yes,
      Consumer<String> accepted) {
    TextInputDialog question = textDialog(owner, title, label, "", accepted);
    var button = (Button) question.getDialogPane().lookupButton(ButtonType.OK);
    question
        .getEditor()
        .textProperty()
        .subscribe(typed -> {
          Yes now = yes.apply(typed);
          button.setText(now.text);
          button.setDefaultButton(now.usual);
          button.setDisable(!now.possible);
        });
    question.show();
  }

  private static TextInputDialog textDialog(
      Window owner, String title, String label, String now, Consumer<String> accepted) {
    var question = new TextInputDialog(now);
    question.setTitle(title);
    question.setHeaderText(null);
    question.setGraphic(null);
    question.setContentText(label);
    adopt(question, owner);
    question.getEditor().setId("question-text");
    question.getDialogPane().lookupButton(ButtonType.OK).setId("question-yes");
    question.getDialogPane().lookupButton(ButtonType.CANCEL).setId("question-no");
    question
        .resultProperty()
        .subscribe(text -> {
          if (text != null) {
            accepted.accept(text);
          }
        });
    return question;
  }

  /** Asks whether an existing file may be replaced. */
  public static void replace(Window owner, TakenException taken, Runnable action) {
    show(
        owner,
        "Replace %s?".formatted(taken.file().getFileName()),
        ("%s exists already and holds %s. It is kept until the new file is complete, and is then"
                + " replaced.")
            .formatted(taken.file(), taken.output().kind().text()),
        "Replace",
        "Keep it",
        action);
  }

  /** Makes a dialog belong to a window and look like it. */
  public static void adopt(Dialog<?> dialog, Window owner) {
    Scene scene = owner.getScene();
    dialog.initOwner(owner);
    dialog.getDialogPane().getStylesheets().setAll(scene.getStylesheets());
    dialog.getDialogPane().setStyle(scene.getRoot().getStyle());
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import javafx.beans.property.BooleanProperty;
import javafx.beans.property.ObjectProperty;
import javafx.geometry.Pos;
import javafx.scene.Parent;
import javafx.scene.control.Button;
import javafx.scene.control.CheckBox;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.layout.BorderPane;
import javafx.scene.layout.ColumnConstraints;
import javafx.scene.layout.GridPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import javafx.stage.Window;
import org.wridscope.text.Legible;
import org.wridscope.ui.ChoiceText;
import org.wridscope.ui.CopyLine;
import org.wridscope.ui.Question;
import org.wridscope.ui.VerticalScroll;
import org.wridscope.ui.remembered.Memory;
import org.wridscope.ui.settings.DialogKind;
import org.wridscope.ui.settings.Profiles;

/**
 * What the user can decide about the program, and what it remembers. The menus share the choices
 * with it. For the JavaFX thread only.
 */
final class SettingsPane {
  /** Wider lines are hard to read. */
  private static final double WIDEST = 720;

  private final List<Memory> memories;
  private final Profiles profiles;
  private final GridPane choices = grid();
  private final GridPane remembered = grid();
  private final GridPane saved = grid();
  private final Label done = new Label();
  private final Button undo = new Button("Undo");
  private final BorderPane root = new BorderPane();
  private final HBox notice;

  /**
   * @param memories what can be forgotten
   * @param profiles can be renamed and deleted
   * @param files where choices and memories are stored; none if they are not
   */
  SettingsPane(List<Memory> memories, Profiles profiles, List<Path> files) {
    this.memories = memories;
    this.profiles = profiles;
    var sections = new VBox(heading("Choices"), choices);
    sections.getChildren().addAll(heading("Profiles"), saved);
    sections.getChildren().addAll(heading("Remembered"), remembered);
    sections.getChildren().add(heading("Where this is stored"));
    if (files.isEmpty()) {
      sections.getChildren().add(new Label("In no file."));
    }
    for (Path file : files) {
      String path = Legible.of(file.toString());
      sections.getChildren().add(new CopyLine(path, "path of a file").node());
    }
    sections.getStyleClass().add("help-page");
    sections.setMaxWidth(WIDEST);
    done.setId("settings-done");
    done.setMinWidth(0);
    HBox.setHgrow(done, Priority.ALWAYS);
    done.setMaxWidth(Double.MAX_VALUE);
    undo.setId("settings-undo");
    undo.getStyleClass().addAll("flat", "small");
    undo.setMinWidth(Region.USE_PREF_SIZE);
    notice = new HBox(8, done, undo);
    notice.setAlignment(Pos.CENTER_LEFT);
    notice.getStyleClass().add("banner");
    notice.pseudoClassStateChanged(Notices.GOOD, true);
    root.setCenter(new VerticalScroll(sections));
    root.getStyleClass().add("window-root");
    root.setId("settings");
    root.sceneProperty()
        .flatMap(scene -> scene.windowProperty())
        .flatMap(Window::focusedProperty)
        .subscribe(_ -> refresh());
  }

  private static GridPane grid() {
    var grid = new GridPane(14, 8);
    var titles = new ColumnConstraints();
    titles.setMinWidth(0);
    titles.setHgrow(Priority.ALWAYS);
    grid.getColumnConstraints().add(titles);
    return grid;
  }

  private static Label heading(String title) {
    var heading = new Label(title);
    heading.getStyleClass().add("explain-heading");
    return heading;
  }

  Parent node() {
    return root;
  }

  /**
   * Adds a choice between the values of an enum.
   *
   * @param id of the control
   * @param text of a value
   */
  <E extends Enum<E>> void add(
      String id, String title, ObjectProperty<E> choice, Function<E, String> text) {
    var box = new ComboBox<E>();
    box.setId(id);
    box.getItems().setAll(choice.get().getDeclaringClass().getEnumConstants());
    box.setConverter(new ChoiceText<>(text));
    box.setMaxWidth(Double.MAX_VALUE);
    box.setAccessibleText(title);
    box.valueProperty().bindBidirectional(choice);
    var label = new Label(title);
    label.setLabelFor(box);
    choices.addRow(choices.getRowCount(), label, box);
  }

  /**
   * Adds a choice between on and off.
   *
   * @param id of the control
   */
  void add(String id, String title, BooleanProperty on) {
    var box = new CheckBox(title);
    box.setId(id);
    box.selectedProperty().bindBidirectional(on);
    choices.add(box, 0, choices.getRowCount(), 2, 1);
  }

  /** Shows what is remembered and saved now. */
  private void refresh() {
    remembered.getChildren().clear();
    for (Memory memory : memories) {
      boolean there = memory.isThere();
      Button forget =
          button(
              "forget-" + memory.id(),
              "Forget",
              "Forget: %s".formatted(memory.title()),
              () -> forget(memory));
      forget.setDisable(!there);
      remembered.addRow(
          remembered.getRowCount(),
          new Label(memory.title()),
          muted(there ? memory.content().get() : "nothing"),
          forget);
    }
    saved.getChildren().clear();
    for (DialogKind dialog : DialogKind.values()) {
      for (String name : profiles.names(dialog)) {
        saved.addRow(
            saved.getRowCount(),
            new Label(name),
            muted(dialog.title()),
            button(
                "rename-profile",
                "Rename…",
                "Rename the profile %s".formatted(name),
                () -> rename(dialog, name)),
            button(
                "delete-profile",
                "Delete",
                "Delete the profile %s".formatted(name),
                () -> delete(dialog, name)));
      }
    }
    if (saved.getChildren().isEmpty()) {
      Label none = muted("None yet. Dialogs that start migrations save their inputs as profiles.");
      none.setWrapText(true);
      saved.add(none, 0, 0);
    }
  }

  private static Label muted(String text) {
    var label = new Label(text);
    label.getStyleClass().add("muted");
    return label;
  }

  private static Button button(String id, String text, String accessible, Runnable action) {
    var button = new Button(text);
    button.setId(id);
    button.setAccessibleText(accessible);
    button.getStyleClass().add("small");
    button.setMinWidth(Region.USE_PREF_SIZE);
    button.setOnAction(_ -> action.run());
    return button;
  }

  private void forget(Memory memory) {
    Runnable back = memory.forget();
    offerUndo("Forgotten: %s.".formatted(memory.title()), back);
  }

  private void delete(DialogKind dialog, String name) {
    Runnable back = profiles.delete(dialog, name);
    offerUndo("Deleted the profile %s.".formatted(name), back);
  }

  private void rename(DialogKind dialog, String name) {
    Question.text(
        root.getScene().getWindow(),
        "Rename the profile",
        "Name",
        name,
        typed -> {
          if (profiles.rename(dialog, name, typed)) {
            root.setBottom(null);
          } else {
            tell("The profile %s keeps its name: another one has that name.".formatted(name));
            undo.setVisible(false);
          }
          refresh();
        });
  }

  private void tell(String sentence) {
    done.setText(sentence);
    root.setBottom(notice);
  }

  private void offerUndo(String sentence, Runnable back) {
    refresh();
    tell(sentence);
    undo.setVisible(true);
    undo.setOnAction(_ -> {
      root.setBottom(null);
      back.run();
      refresh();
    });
    undo.requestFocus();
  }
}

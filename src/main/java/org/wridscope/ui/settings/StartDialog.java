// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;
import javafx.application.Platform;
import javafx.geometry.Pos;
import javafx.scene.Scene;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.layout.BorderPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import javafx.stage.Modality;
import javafx.stage.Screen;
import javafx.stage.Stage;
import javafx.stage.Window;
import org.jspecify.annotations.Nullable;
import org.wridscope.ui.settings.SettingsForm.Field;
import org.wridscope.ui.settings.SettingsForm.GuestKind;
import org.wridscope.ui.settings.SettingsForm.Kind;

/**
 * Asks for the settings of a migration. Each error is shown below its field; errors of files are
 * those that were found by the last check.
 *
 * @param <S> the settings that the form contains
 */
public final class StartDialog<S> {
  private static final double WIDTH = 520;

  /** Height of a desktop's title bar and a margin. */
  private static final double DECORATION = 48;

  private final SettingsForm form;
  private final FormGrid grid;
  private final FormChecks<S> checks;
  private final BiConsumer<SettingsForm, S> accepted;
  private final Stage stage = new Stage();

  /** Why the accept button cannot be used. */
  private final Label hindrance = new Label();

  private final Button accept;
  private final BorderPane root;

  /** The errors of files, as of the last check. */
  private final Map<Field, String> fileErrors = new EnumMap<>(Field.class);

  /** Whether the user has tried to accept the form. */
  private boolean attempted;

  /** Whether the form is accepted if the running check finds no error. */
  private boolean accepting;

  /**
   * @param form shown at first, and changed as the user types
   * @param settings reads settings from a valid form, in the background
   * @param background examines files
   * @param acceptText the text of the button that accepts, a verb
   * @param accepted receives the accepted form and its settings
   */
  public StartDialog(
      Window owner,
      SettingsForm form,
      Function<FormValues, S> settings,
      Executor background,
      String acceptText,
      BiConsumer<SettingsForm, S> accepted) {
    this.form = form;
    checks = new FormChecks<>(settings, background, Platform::runLater, this::checked);
    this.accepted = accepted;
    accept = new Button(acceptText);
    accept.setDefaultButton(true);
    accept.setId("dialog-accept");
    accept.setOnAction(_ -> tryAccept());
    var cancel = new Button("Cancel");
    cancel.setCancelButton(true);
    cancel.setId("dialog-cancel");
    cancel.setOnAction(_ -> stage.close());
    for (Button button : List.of(cancel, accept)) {
      button.setMinWidth(Region.USE_PREF_SIZE);
    }
    var title = new Label(title(form.kind()));
    title.getStyleClass().add("dialog-title");
    var explanation = new Label(explanation(form.kind()));
    explanation.getStyleClass().add("muted");
    explanation.setWrapText(true);
    explanation.setMinHeight(Region.USE_PREF_SIZE);
    var head = new VBox(title, explanation);
    head.getStyleClass().add("dialog-head");
    hindrance.setId("dialog-hindrance");
    hindrance.getStyleClass().add("muted");
    hindrance.setMaxWidth(Double.MAX_VALUE);
    HBox.setHgrow(hindrance, Priority.ALWAYS);
    var buttons = new HBox(8, hindrance, cancel, accept);
    buttons.setAlignment(Pos.CENTER_LEFT);
    buttons.getStyleClass().add("dialog-buttons");
    grid = new FormGrid(form, new Edits());
    root = new BorderPane(grid.node(), head, null, buttons, null);
    root.getStyleClass().addAll("start-dialog", "window-root");
    root.setPrefWidth(WIDTH);
    var scene = new Scene(root);
    Scene ownerScene = Objects.requireNonNull(owner.getScene(), "the owner has no scene");
    scene.getStylesheets().setAll(ownerScene.getStylesheets());
    root.setStyle(ownerScene.getRoot().getStyle());
    stage.setScene(scene);
    stage.setTitle(title(form.kind()));
    stage.initOwner(owner);
    stage.initModality(Modality.WINDOW_MODAL);
    stage.setMinWidth(440);
    stage.setOnHidden(_ -> checks.forget());
    edited();
    fit();
  }

  private static String title(Kind kind) {
    return switch (kind) {
      case LAB -> "Lab migration";
      case SOURCE -> "Source";
      case DESTINATION -> "Destination";
    };
  }

  private static String explanation(Kind kind) {
    return switch (kind) {
      case LAB ->
          "Migrates a guest from a source to a destination in this process, over the embedded"
              + " software device.";
      case SOURCE ->
          "Migrates a guest to a destination that already listens: another Wridscope, or a QEMU.";
      case DESTINATION ->
          "Listens for a source, another Wridscope or a QEMU, and takes its guest. A synthetic"
              + " guest needs as much RAM here as at the source; a captured one needs only a file.";
    };
  }

  private final class Edits implements FormGrid.Listener {
    @Override
    public void edited() {
      StartDialog.this.edited();
    }

    @Override
    public void left() {
      if (!accepting) {
        check(false);
      }
    }

    @Override
    public void rearranged() {
      StartDialog.this.edited();
      fit();
    }
  }

  private void edited() {
    showErrors();
    check(false);
  }

  /**
   * Adds installed devices to choose from.
   *
   * @param names of devices
   */
  public void offerDevices(List<String> names) {
    grid.offerDevices(names);
  }

  /**
   * Offers a source the destinations that listen in this process. Choosing one also sets the
   * guest's size.
   */
  public void offerDestinations(List<Listening> destinations) {
    grid.offerDestinations(destinations);
  }

  /** Shows the dialog; returns at once. */
  public void show() {
    root.applyCss();
    fit();
    stage.show();
  }

  /** Sets the height that all fields need, limited by the screen; then the fields scroll. */
  private void fit() {
    root.setPrefHeight(Region.USE_COMPUTED_SIZE);
    double most = Screen.getPrimary().getVisualBounds().getHeight() - DECORATION;
    root.setPrefHeight(Math.min(root.prefHeight(WIDTH), most));
    stage.sizeToScene();
  }

  private void showErrors() {
    grid.showErrors(this::shownError);
  }

  /** The error to show for a field; none for one that is still empty before the first attempt. */
  private String shownError(Field field) {
    String error = error(field);
    return error != null && (attempted || !form.get(field).isBlank())
        ? withoutLabel(field, error)
        : "";
  }

  private @Nullable String error(Field field) {
    String error = form.values().textError(field);
    return error != null || !form.fields().contains(field) ? error : fileErrors.get(field);
  }

  /** A message without the label of its field, which it may begin with. */
  private static String withoutLabel(Field field, String error) {
    String label = field.label() + ": ";
    String rest = error.startsWith(label) ? error.substring(label.length()) : error;
    return rest.isEmpty() ? rest : Character.toUpperCase(rest.charAt(0)) + rest.substring(1);
  }

  /**
   * Checks the form in the background.
   *
   * @param accept whether the form is accepted if it has no error
   */
  private void check(boolean accept) {
    accepting = accept;
    checks.begin(form);
    refresh();
  }

  private void refresh() {
    List<String> wrong = grid.wrongFields();
    boolean checkingFile = accepting && form.guest() != GuestKind.SYNTHETIC;
    hindrance.setText(
        checkingFile
            ? "Checking the file…"
            : wrong.isEmpty() ? "" : "To correct: " + String.join(", ", wrong));
    accept.setDisable(accepting);
  }

  private void tryAccept() {
    attempted = true;
    showErrors();
    List<Field> wrong =
        form.fields().stream().filter(field -> form.values().textError(field) != null).toList();
    check(wrong.isEmpty());
    grid.focusFirst(wrong);
  }

  private void checked(FormChecks.Checked<S> checked) {
    fileErrors.clear();
    fileErrors.putAll(checked.errors());
    fileErrors.keySet().removeIf(field -> checked.form().values().textError(field) != null);
    showErrors();
    S settings = checked.settings();
    if (!accepting) {
      refresh();
    } else if (settings != null) {
      stage.close();
      accepted.accept(checked.form(), settings);
    } else {
      accepting = false;
      refresh();
      grid.focusFirst(checked.errors().keySet());
    }
  }
}

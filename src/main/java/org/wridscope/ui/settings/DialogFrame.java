// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.Objects;
import java.util.stream.Stream;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.control.Button;
import javafx.scene.control.ComboBoxBase;
import javafx.scene.control.Label;
import javafx.scene.control.MenuButton;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.scene.layout.BorderPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import javafx.stage.Modality;
import javafx.stage.Screen;
import javafx.stage.Stage;
import javafx.stage.Window;
import javafx.stage.WindowEvent;
import org.wridscope.ui.KeyboardKeeper;
import org.wridscope.ui.Magnifier;
import org.wridscope.ui.MenuKey;

/** The window of a dialog: what is around its inputs. */
final class DialogFrame {
  private static final double WIDTH = 560;
  private static final double LEAST_WIDTH = 460;

  /** Height of a desktop's title bar and a margin. */
  private static final double DECORATION = 48;

  private final Stage stage = new Stage();
  private final BorderPane root = new BorderPane();
  private final HBox titleLine = new HBox(8);
  private final Magnifier magnifier;
  private final Label explanation = new Label();

  /** Why the accept button cannot be used. */
  private final Label hindrance = new Label();

  private final Button accept;

  /**
   * @param acceptText the text of the button that accepts, a verb
   * @param onAccept called when the user presses it
   */
  DialogFrame(Window owner, String caption, Node inputs, String acceptText, Runnable onAccept) {
    accept = new Button(acceptText);
    accept.setDefaultButton(true);
    accept.setId("dialog-accept");
    accept.setOnAction(_ -> onAccept.run());
    var cancel = new Button("Cancel");
    cancel.setCancelButton(true);
    cancel.setId("dialog-cancel");
    cancel.setOnAction(_ -> stage.close());
    Stream.of(cancel, accept).forEach(button -> button.setMinWidth(Region.USE_PREF_SIZE));
    hindrance.setId("dialog-hindrance");
    hindrance.setMaxWidth(Double.MAX_VALUE);
    HBox.setHgrow(hindrance, Priority.ALWAYS);
    Stream.of(explanation, hindrance).forEach(text -> text.getStyleClass().add("muted"));
    wrap(explanation);
    var title = new Label(caption);
    title.getStyleClass().add("dialog-title");
    titleLine.getChildren().add(title);
    title.setMaxWidth(Double.MAX_VALUE);
    HBox.setHgrow(title, Priority.ALWAYS);
    var head = new VBox(titleLine, explanation);
    head.getStyleClass().add("dialog-head");
    var buttons = new HBox(8, hindrance, cancel, accept);
    buttons.setAlignment(Pos.CENTER_LEFT);
    buttons.getStyleClass().add("dialog-buttons");
    root.setCenter(inputs);
    root.setBottom(buttons);
    // Last, so that the keyboard focus begins at the inputs.
    root.setTop(head);
    root.getStyleClass().addAll("start-dialog", "window-root");
    root.setPrefWidth(WIDTH);
    root.addEventFilter(KeyEvent.KEY_PRESSED, this::acceptByEnter);
    magnifier = Magnifier.like(owner, root);
    var scene = new Scene(magnifier);
    Scene ownerScene = Objects.requireNonNull(owner.getScene(), "the owner has no scene");
    scene.getStylesheets().setAll(ownerScene.getStylesheets());
    magnifier.setStyle(ownerScene.getRoot().getStyle());
    MenuKey.install(scene);
    KeyboardKeeper.install(scene);
    stage.setScene(scene);
    stage.setTitle(caption);
    stage.initOwner(owner);
    stage.initModality(Modality.WINDOW_MODAL);
    stage.setMinWidth(LEAST_WIDTH * magnifier.factor());
    stage.addEventHandler(WindowEvent.WINDOW_HIDDEN, _ -> magnifier.release());
  }

  /** Enter accepts wherever it has no meaning of its own: not on buttons, nor in an open list. */
  private void acceptByEnter(KeyEvent event) {
    Node at = root.getScene().getFocusOwner();
    if (event.getCode() == KeyCode.ENTER
        && !(at instanceof Button || at instanceof MenuButton)
        && !(at instanceof ComboBoxBase<?> box && box.isShowing())) {
      accept.fire();
      event.consume();
    }
  }

  private static void wrap(Label text) {
    text.setWrapText(true);
    text.setMinHeight(Region.USE_PREF_SIZE);
  }

  /** Adds a control at the right of the title. */
  void addBesideTitle(Node control) {
    titleLine.getChildren().add(control);
  }

  /** Shows what hinders as an error of any length; otherwise it is a note in one line. */
  void wrapHindrance() {
    wrap(hindrance);
    hindrance.getStyleClass().setAll("label", "field-error");
  }

  /** Sets what is to be called when it is closed, in any way. */
  void onHidden(Runnable action) {
    stage.setOnHidden(_ -> action.run());
  }

  void explain(String sentences) {
    explanation.setText(sentences);
  }

  /**
   * Says why the form cannot be accepted; empty if it can.
   *
   * @param locked whether the button cannot be pressed
   */
  void hinder(String why, boolean locked) {
    hindrance.setText(why);
    accept.setDisable(locked);
  }

  /** Shows it; returns at once. */
  void show() {
    root.applyCss();
    fit();
    stage.show();
  }

  boolean isShown() {
    return stage.isShowing();
  }

  void close() {
    stage.close();
  }

  /** Sets the height that all inputs need, limited by the screen; then the inputs scroll. */
  void fit() {
    root.setPrefHeight(Region.USE_COMPUTED_SIZE);
    double most = Screen.getPrimary().getVisualBounds().getHeight() - DECORATION;
    root.setPrefHeight(Math.min(root.prefHeight(WIDTH), most / magnifier.factor()));
    stage.sizeToScene();
  }
}

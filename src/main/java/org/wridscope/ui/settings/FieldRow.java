// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import atlantafx.base.theme.Styles;
import javafx.geometry.Bounds;
import javafx.geometry.Pos;
import javafx.geometry.VPos;
import javafx.scene.Node;
import javafx.scene.control.Control;
import javafx.scene.control.Label;
import javafx.scene.control.TextField;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.GridPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import org.wridscope.text.Format;
import org.wridscope.ui.Hints;
import org.wridscope.ui.Presence;

/**
 * A text field in a dialog, with its label at its left and its error at its right, for which it
 * makes room in its own line: the other fields stay where they are.
 */
final class FieldRow {
  /** Two lines in the font of the style sheet, as high as a field. */
  private static final double HEIGHT = 28;

  /** The share of the line that an error takes. */
  private static final double SHARE = 0.62;

  private final Field field;
  private final Label label;
  private final TextField text;
  private final Control control;
  private final Label error = new Label();
  private final Tooltip wholeError = Hints.tip("");
  private final HBox line;

  /**
   * @param control shows the text: the text field, or a combo box that contains it
   */
  FieldRow(Field field, TextField text, Control control) {
    this.field = field;
    this.text = text;
    this.control = control;
    label = new Label(field.label());
    // A combo box has the focus, not the text field in it.
    label.setLabelFor(control);
    control.setAccessibleText(field.label());
    label.getStyleClass().add("dialog-label");
    text.setId("field-" + field.name());
    text.setPromptText(field.prompt());
    Tooltip hint = Hints.tip(field.hint());
    label.setTooltip(hint);
    control.setTooltip(hint);
    text.setTooltip(hint);
    error.getStyleClass().add("field-error");
    error.setWrapText(true);
    error.setTooltip(wholeError);
    error.setMinHeight(HEIGHT);
    error.setPrefHeight(HEIGHT);
    error.setMaxHeight(HEIGHT);
    HBox.setHgrow(control, Priority.ALWAYS);
    line = new HBox(6, control, error);
    line.setAlignment(Pos.CENTER_LEFT);
    error.prefWidthProperty().bind(line.widthProperty().multiply(SHARE));
    error.minWidthProperty().bind(error.prefWidthProperty());
    setError("");
  }

  void addTo(GridPane grid, int row) {
    grid.addRow(row, label, line);
    GridPane.setValignment(label, VPos.TOP);
  }

  /** Adds a button at the right of the text. */
  void add(Node button) {
    line.getChildren().add(1, button);
  }

  TextField text() {
    return text;
  }

  boolean isSeldom() {
    return field.isSeldom();
  }

  void show(boolean visible) {
    Presence.set(label, visible);
    Presence.set(line, visible);
  }

  boolean hasError() {
    return line.isVisible() && error.isVisible();
  }

  /**
   * Shows an error, or none if the sentence is empty.
   *
   * @return whether there is an error now and was none before
   */
  boolean setError(String sentence) {
    boolean wrong = !sentence.isEmpty();
    boolean begins = wrong && !error.isVisible();
    error.setText(withoutLabel(sentence));
    wholeError.setText(error.getText());
    Presence.set(error, wrong);
    control.pseudoClassStateChanged(Styles.STATE_DANGER, wrong);
    text.setAccessibleHelp(wrong ? sentence : field.hint());
    return begins;
  }

  /** A message without the label of the field, which it may begin with. */
  private String withoutLabel(String sentence) {
    String label = field.label() + ": ";
    String rest = sentence.startsWith(label) ? sentence.substring(label.length()) : sentence;
    return Format.capitalized(rest);
  }

  /** Where it is within the grid. */
  Bounds bounds() {
    return line.getBoundsInParent();
  }
}

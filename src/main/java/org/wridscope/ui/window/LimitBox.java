// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.List;
import java.util.function.Consumer;
import javafx.css.PseudoClass;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.Tooltip;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Region;
import org.jspecify.annotations.Nullable;

/** A limit that can be typed or chosen; shows the one in force unless the user is typing. */
final class LimitBox {
  private static final PseudoClass ERROR = PseudoClass.getPseudoClass("error");

  private final HBox node;
  private final ComboBox<String> box = new ComboBox<>();
  private final Consumer<String> apply;
  private final Runnable onError;
  private @Nullable String error;
  private String shown = "";
  private String inForce = "";

  /**
   * @param id of the combo box
   * @param apply sets a limit; throws IllegalArgumentException with a sentence if it is not valid
   * @param onError called when {@link #error()} may have changed
   */
  LimitBox(
      String caption,
      String id,
      String hint,
      List<String> choices,
      Consumer<String> apply,
      Runnable onError) {
    this.apply = apply;
    this.onError = onError;
    box.setId(id);
    box.setEditable(true);
    box.getItems().setAll(choices);
    box.getStyleClass().add("limit-box");
    box.setTooltip(new Tooltip(hint));
    box.setAccessibleText(caption + " limit");
    box.setVisibleRowCount(8);
    box.setMinWidth(Region.USE_PREF_SIZE);
    var label = new Label(caption + " ≤");
    label.getStyleClass().add("muted");
    label.setLabelFor(box);
    label.setMinWidth(Region.USE_PREF_SIZE);
    node = new HBox(5, label, box);
    node.setAlignment(Pos.CENTER_LEFT);
    box.setOnAction(_ -> commit());
    box.addEventFilter(
        KeyEvent.KEY_PRESSED,
        event -> {
          if (event.getCode() == KeyCode.ESCAPE && !box.isShowing() && isChanged()) {
            revert();
            event.consume();
          }
        });
    box.getEditor()
        .focusedProperty()
        .subscribe((before, now) -> {
          if (before && !now) {
            commit();
          }
        });
  }

  Node node() {
    return node;
  }

  /** What is wrong with the typed limit, a sentence; null if nothing is. */
  @Nullable String error() {
    return error;
  }

  /** Forgets what was typed; another migration is shown. */
  void reset() {
    error = null;
    shown = "";
    box.pseudoClassStateChanged(ERROR, false);
  }

  /** Shows the limit in force, unless the user is typing or has typed something invalid. */
  void inForce(String value) {
    inForce = value;
    if (!value.equals(shown) && error == null && !box.getEditor().isFocused()) {
      revert();
    }
  }

  private boolean isChanged() {
    return error != null || !box.getEditor().getText().equals(shown);
  }

  /** Shows the limit in force instead of what was typed. */
  private void revert() {
    error = null;
    shown = inForce;
    // The editor first: setting a value fires an action, which applies the text of the editor.
    box.getEditor().setText(inForce);
    box.setValue(inForce);
    showError();
  }

  private void commit() {
    String typed = box.getEditor().getText();
    if (typed.equals(shown)) {
      error = null;
    } else {
      try {
        apply.accept(typed);
        error = null;
        shown = typed;
      } catch (IllegalArgumentException e) {
        error = e.getMessage();
      }
    }
    showError();
  }

  private void showError() {
    box.pseudoClassStateChanged(ERROR, error != null);
    onError.run();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.List;
import java.util.stream.Stream;
import javafx.scene.control.ComboBox;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;

/** A line of text to type, with suggestions. For the JavaFX thread only. */
public final class SuggestionBox extends ComboBox<String> {
  public SuggestionBox() {
    setEditable(true);
    setMaxWidth(Double.MAX_VALUE);
  }

  /** Sets what Enter does in the line; in the open list it only chooses. */
  public void onEnter(Runnable action) {
    // A combo box keeps the key from its editor's action.
    addEventFilter(
        KeyEvent.KEY_PRESSED,
        event -> {
          if (event.getCode() == KeyCode.ENTER && !isShowing()) {
            event.consume();
            action.run();
          }
        });
  }

  /** What is typed or chosen, without white space around it. */
  public String typed() {
    return getEditor().getText().strip();
  }

  /** Offers texts; what is typed stays. */
  public void offer(List<String> suggestions) {
    offer(suggestions, List.of());
  }

  /** Offers two lists one after the other, each text once; what is typed stays. */
  public void offer(List<String> first, List<String> more) {
    List<String> all = Stream.concat(first.stream(), more.stream()).distinct().toList();
    if (!all.equals(getItems())) {
      keepTyped(() -> getItems().setAll(all));
    }
  }

  /** Sets what an empty line shows; what is typed stays. */
  public void prompt(String example) {
    keepTyped(() -> setPromptText(example));
  }

  /** With most changes a combo box returns to the value that was chosen last. */
  private void keepTyped(Runnable change) {
    String typed = getEditor().getText();
    change.run();
    getEditor().setText(typed);
  }
}

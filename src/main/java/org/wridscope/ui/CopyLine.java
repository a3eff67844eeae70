// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.Map;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.TextField;
import javafx.scene.control.Tooltip;
import javafx.scene.input.Clipboard;
import javafx.scene.input.DataFormat;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;

/** A text that the user can read, select, and copy with a button: a command, a path. */
public final class CopyLine {
  private final String content;
  private final HBox line;

  /**
   * @param what it is, or what it is for, a phrase
   */
  public CopyLine(String content, String what) {
    this.content = content;
    var text = new TextField(content);
    text.setEditable(false);
    text.setAccessibleText(what);
    text.getStyleClass().add("finding-command");
    HBox.setHgrow(text, Priority.ALWAYS);
    var copy = new Button("", new FontIcon(Feather.COPY));
    copy.getStyleClass().add("button-icon");
    copy.setTooltip(new Tooltip("Copy"));
    copy.setAccessibleText("Copy: %s".formatted(what));
    copy.setOnAction(_ -> copy());
    line = new HBox(6, text, copy);
  }

  private void copy() {
    boolean _ = Clipboard.getSystemClipboard().setContent(Map.of(DataFormat.PLAIN_TEXT, content));
  }

  public Node node() {
    return line;
  }
}

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

/** A command that the user can read, select, and copy with a button. */
public final class CommandLine {
  private final String command;
  private final HBox line;

  /**
   * @param what the command is for, a phrase that begins with a verb or says where it is typed
   */
  public CommandLine(String command, String what) {
    this.command = command;
    var text = new TextField(command);
    text.setEditable(false);
    text.setAccessibleText(what);
    text.getStyleClass().add("finding-command");
    HBox.setHgrow(text, Priority.ALWAYS);
    var copy = new Button("", new FontIcon(Feather.COPY));
    copy.getStyleClass().add("button-icon");
    copy.setTooltip(new Tooltip(Texts.of("Copy the command")));
    copy.setAccessibleText(Texts.of("Copy the command: %s", what));
    copy.setOnAction(_ -> copy());
    line = new HBox(6, text, copy);
  }

  private void copy() {
    boolean _ = Clipboard.getSystemClipboard().setContent(Map.of(DataFormat.PLAIN_TEXT, command));
  }

  public Node node() {
    return line;
  }
}

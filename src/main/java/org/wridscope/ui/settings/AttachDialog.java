// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.List;
import java.util.function.LongConsumer;
import javafx.scene.control.Label;
import javafx.scene.control.ListCell;
import javafx.scene.control.ListView;
import javafx.scene.control.MenuItem;
import javafx.scene.control.TextField;
import javafx.scene.layout.Priority;
import javafx.scene.layout.VBox;
import javafx.stage.Window;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.attach.RdmaProcess;
import org.wridscope.text.Format;
import org.wridscope.ui.Hints;
import org.wridscope.ui.Menus;
import org.wridscope.ui.SelectionMenu;

/** Asks for the program to attach to: one that has queue pairs, or any process by its number. */
public final class AttachDialog {
  private static final int ROW = 30;
  private static final int FEWEST_ROWS = 2;
  private static final int MOST_ROWS = 8;
  private static final int MAX_DIGITS = 9;

  private final ListView<RdmaProcess> list = new ListView<>();
  private final TextField number = new TextField();
  private final LongConsumer accepted;
  private final DialogFrame frame;

  /**
   * @param processes those that have queue pairs
   * @param unlisted why they could not be listed, one sentence; empty if they could
   * @param accepted receives the number of the process
   */
  public AttachDialog(
      Window owner, List<RdmaProcess> processes, String unlisted, LongConsumer accepted) {
    this.accepted = accepted;
    list.setId("attach-list");
    list.setAccessibleText("Processes that have queue pairs");
    list.getItems().setAll(processes);
    list.setCellFactory(_ -> new Cell());
    list.setFixedCellSize(ROW);
    list.setPrefHeight(ROW * Math.clamp(processes.size(), FEWEST_ROWS, MOST_ROWS) + 2.0);
    Menus.install(
        list,
        () -> {
          RdmaProcess chosen = list.getSelectionModel().getSelectedItem();
          MenuItem attach = SelectionMenu.item("menu-attach", "Attach", this::accept);
          attach.setDisable(!isNumber());
          return chosen == null
              ? List.of(attach)
              : List.of(attach, Menus.copy("the process ID", () -> Long.toString(chosen.pid())));
        });
    var none = new Label(unlisted.isEmpty() ? "No process has queue pairs now." : unlisted);
    none.setWrapText(true);
    list.setPlaceholder(none);
    list.getSelectionModel()
        .selectedItemProperty()
        .subscribe((_, chosen) -> {
          if (chosen != null) {
            number.setText(Long.toString(chosen.pid()));
          }
        });
    number.setId("attach-pid");
    number.setPromptText("such as 4711");
    Hints.explain(
        number, "The process to attach to: chosen in the list, or any other one on this machine.");
    var label = new Label("Process ID");
    label.setLabelFor(number);
    VBox.setVgrow(list, Priority.ALWAYS);
    var inputs = new VBox(8, list, label, number);
    inputs.getStyleClass().add("dialog-list");
    frame = new DialogFrame(owner, "Attach to a program", inputs, "Attach", this::accept);
    frame.explain(
        "Shows what the program posts and polls from now on, without changing it. Each post and"
            + " each poll takes longer meanwhile, in every process that uses the same"
            + " library.");
    number.textProperty().subscribe(this::check);
    list.getSelectionModel().selectFirst();
    check();
  }

  /** Shows the dialog; returns at once. */
  public void show() {
    frame.show();
  }

  private static final class Cell extends ListCell<RdmaProcess> {
    @Override
    protected void updateItem(@Nullable RdmaProcess item, boolean empty) {
      super.updateItem(item, empty);
      setText(
          empty || item == null
              ? null
              : "%s %d  ·  %s  ·  %s"
                  .formatted(
                      item.command(),
                      item.pid(),
                      String.join(", ", item.devices()),
                      Format.counted(item.queuePairs(), "queue pair")));
    }
  }

  private String typed() {
    return number.getText().strip();
  }

  private boolean isNumber() {
    return typed().matches("[1-9]\\d{0,%d}".formatted(MAX_DIGITS - 1));
  }

  private void check() {
    boolean hindered = !isNumber();
    frame.hinder(
        hindered && !typed().isEmpty() ? "Process ID: write a number, such as 4711." : "",
        hindered);
  }

  private void accept() {
    if (isNumber()) {
      frame.close();
      accepted.accept(Long.parseLong(typed()));
    }
  }
}

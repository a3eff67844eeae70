// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import javafx.application.Platform;
import javafx.beans.property.ReadOnlyObjectProperty;
import javafx.scene.Node;
import javafx.scene.control.Label;
import javafx.scene.control.ListView;
import javafx.scene.input.KeyCode;
import javafx.scene.layout.VBox;
import org.jspecify.annotations.Nullable;
import org.wridscope.export.Export;

/** The list of migrations at the left of the window. */
public final class SessionList {
  private static final double LEAST_WIDTH = 160;

  private final ListView<Migration> list;
  private final Set<MigrationCell> cells = new LinkedHashSet<>();
  private boolean dark;

  /** What can be done to an entry from the list. */
  public record Actions(
      Consumer<Migration> start,
      Consumer<Migration> cancel,
      Consumer<Migration> remove,
      BiConsumer<Migration, Export> export) {}

  public SessionList(SessionsModel model, Actions actions) {
    list = new ListView<>(model.migrations());
    list.setId("sessions");
    list.setMinWidth(LEAST_WIDTH);
    list.getStyleClass().add("session-list");
    list.setAccessibleText("Migrations");
    list.setCellFactory(_ -> {
      var cell = new MigrationCell(actions);
      cell.setDark(dark);
      cells.add(cell);
      return cell;
    });
    var empty = new Label("Migrations appear here.\nStart one with the buttons above.");
    empty.getStyleClass().add("empty-text");
    list.setPlaceholder(new VBox(empty));
    list.getPlaceholder().getStyleClass().add("empty");
    list.setOnKeyPressed(event -> {
      Migration selected = selected();
      if (selected == null) {
        return;
      }
      if (event.getCode() == KeyCode.DELETE && !selected.running()) {
        actions.remove().accept(selected);
        event.consume();
      } else if (event.getCode() == KeyCode.ENTER && selected.settings() != null) {
        actions.start().accept(selected);
        event.consume();
      }
    });
  }

  public Node node() {
    return list;
  }

  public ReadOnlyObjectProperty<Migration> selectedProperty() {
    return list.getSelectionModel().selectedItemProperty();
  }

  public @Nullable Migration selected() {
    return list.getSelectionModel().getSelectedItem();
  }

  public void select(Migration migration) {
    list.getSelectionModel().select(migration);
    list.scrollTo(migration);
    // Entries differ in height, and a new one's is known only after the next layout.
    Platform.runLater(() -> {
      list.layout();
      list.scrollTo(migration);
    });
  }

  /** Brings texts and pictures up to date; ten times a second is enough. */
  public void refresh() {
    for (MigrationCell cell : cells) {
      cell.refresh();
    }
  }

  public void theme(boolean darkTheme) {
    dark = darkTheme;
    for (MigrationCell cell : cells) {
      cell.setDark(darkTheme);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import javafx.application.Platform;
import javafx.beans.property.BooleanProperty;
import javafx.beans.property.ReadOnlyObjectProperty;
import javafx.css.PseudoClass;
import javafx.scene.Node;
import javafx.scene.control.Label;
import javafx.scene.control.ListView;
import javafx.scene.control.SelectionMode;
import javafx.scene.input.KeyEvent;
import javafx.scene.layout.VBox;
import org.jspecify.annotations.Nullable;
import org.wridscope.export.Export;
import org.wridscope.ui.Texts;

/** The list of migrations at the left of the window. */
public final class SessionList {
  /** What the choice of a compact list is called. */
  public static final String COMPACT = Texts.of("Compact list");

  private static final double LEAST_WIDTH = 160;
  private static final PseudoClass LINES = PseudoClass.getPseudoClass("compact");

  private final ListView<Migration> list;
  private final Set<MigrationCell> cells = new LinkedHashSet<>();
  private boolean dark;

  /** What can be done to entries from the list. */
  public interface Actions {
    /** Starts one that is ready. */
    void start(Migration migration);

    void cancel(Migration migration);

    boolean canRepeat(Migration migration);

    /** Starts an ended one again, with the same inputs. */
    void repeat(Migration migration);

    boolean canEdit(Migration migration);

    /** Opens what an ended one was started from, with its inputs. */
    void edit(Migration migration);

    /** Asks for another name. */
    void rename(Migration migration);

    boolean isRecording(Migration migration);

    /** Asks for a file to record in, or stops recording. */
    void toggleRecording(Migration migration);

    /** Shows one or two side by side, one with any other. */
    void compare(List<Migration> migrations);

    /** Asks for the file of an export. */
    void export(Migration migration, Export export);

    /** Removes all that have ended. */
    void remove(List<Migration> migrations);
  }

  /**
   * @param compact shows each migration in one line; shared with other controls
   */
  public SessionList(SessionsModel model, Actions actions, BooleanProperty compact) {
    list = new ListView<>(model.migrations());
    list.setId("sessions");
    list.setMinWidth(LEAST_WIDTH);
    list.getStyleClass().add("session-list");
    list.setAccessibleText(Texts.of("Migrations"));
    list.setCellFactory(_ -> {
      var cell = new MigrationCell(compact, actions::isRecording);
      cell.setDark(dark);
      cells.add(cell);
      return cell;
    });
    list.getSelectionModel().setSelectionMode(SelectionMode.MULTIPLE);
    list.setContextMenu(new SessionMenu(actions, this::allSelected, compact));
    var empty = new Label(Texts.of("Migrations appear here.\nStart one with the buttons above."));
    empty.getStyleClass().add("empty-text");
    list.setPlaceholder(new VBox(empty));
    list.getPlaceholder().getStyleClass().add("empty");
    compact.subscribe(now -> {
      list.pseudoClassStateChanged(LINES, now);
      // The heights of all entries change.
      list.refresh();
    });
    list.setOnKeyPressed(event -> {
      Migration selected = selected();
      if (selected != null && act(actions, selected, event)) {
        event.consume();
      }
    });
  }

  /** Does what a key means; returns false if it means nothing here. */
  private boolean act(Actions actions, Migration selected, KeyEvent event) {
    switch (event.getCode()) {
      case DELETE -> actions.remove(allSelected());
      case F2 -> actions.rename(selected);
      case ENTER -> {
        if (event.isShortcutDown()) {
          actions.repeat(selected);
        } else if (event.isShiftDown()) {
          actions.edit(selected);
        } else if (selected.settings() != null) {
          actions.start(selected);
        } else {
          return false;
        }
      }
      default -> {
        return false;
      }
    }
    return true;
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

  /** All selected migrations, in the order of the list. */
  private List<Migration> allSelected() {
    // While the list changes, the selection may contain what is no longer there.
    return list.getSelectionModel().getSelectedItems().stream().filter(Objects::nonNull).toList();
  }

  /** Selects a migration alone. */
  public void select(Migration migration) {
    list.getSelectionModel().clearAndSelect(list.getItems().indexOf(migration));
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

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import javafx.beans.InvalidationListener;
import javafx.beans.property.BooleanProperty;
import javafx.beans.property.ObjectProperty;
import javafx.beans.property.ReadOnlyObjectProperty;
import javafx.css.PseudoClass;
import javafx.scene.Node;
import javafx.scene.control.Label;
import javafx.scene.control.ListView;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.scene.layout.VBox;
import org.jspecify.annotations.Nullable;
import org.wridscope.export.Export;

/** The list of migrations at the left of the window. */
public final class SessionList {
  /** What the choice of a compact list is called. */
  public static final String COMPACT = "Compact list";

  private static final double LEAST_WIDTH = 160;
  private static final PseudoClass LINES = PseudoClass.getPseudoClass("compact");

  private final Rows rows;
  private final ListView<Row> list;
  private final RowSelection selection;
  private final Set<RowCell> cells = new LinkedHashSet<>();

  private boolean dark;

  /** What can be done to entries from the list. */
  public interface Actions {
    /** Starts one that is ready. */
    void start(Migration migration);

    /** Cancels those that run. */
    void cancel(List<Migration> migrations);

    /** Whether its source runs in this process, so that its limits can be changed. */
    boolean hasLimits(Migration migration);

    /** Asks for a bandwidth limit of all that have limits. */
    void limitBandwidth(List<Migration> migrations);

    /** Asks for a downtime limit of all that have limits. */
    void limitDowntime(List<Migration> migrations);

    boolean canRepeat(Migration migration);

    /** Starts an ended one again, with the same inputs. */
    void repeat(Migration migration);

    boolean canEdit(Migration migration);

    /** Opens what an ended one was started from, with its inputs. */
    void edit(Migration migration);

    /** Steps through the run of a recording that can be repeated. */
    void stepThrough(Migration migration);

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
   * @param grouping what the migrations are grouped by; shared with other controls
   */
  public SessionList(
      SessionsModel model,
      Actions actions,
      BooleanProperty compact,
      ObjectProperty<Grouping> grouping) {
    rows = new Rows(model.migrations());
    list = new ListView<>(rows.list());
    list.setId("sessions");
    list.setMinWidth(LEAST_WIDTH);
    list.getStyleClass().add("session-list");
    list.setAccessibleText("Migrations");
    list.setCellFactory(_ -> {
      var cell = new RowCell(compact, actions::isRecording, this::clicked);
      cell.setDark(dark);
      cells.add(cell);
      return cell;
    });
    selection = new RowSelection(list, rows);
    list.setContextMenu(new SessionMenu(actions, selection::migrations, compact, grouping));
    var empty = new Label("Migrations appear here.\nStart one with the buttons above.");
    empty.getStyleClass().add("empty-text");
    list.setPlaceholder(new VBox(empty));
    list.getPlaceholder().getStyleClass().add("empty");
    compact.subscribe(now -> {
      list.pseudoClassStateChanged(LINES, now);
      // The heights of all entries change.
      list.refresh();
    });
    model.migrations().addListener((InvalidationListener) _ -> selection.arrange(rows::update));
    grouping.subscribe(now -> {
      selection.arrange(() -> rows.group(now));
      selection.scrollTo();
    });
    // Before the list, for which an arrow key to a side leads to the next control.
    list.addEventFilter(
        KeyEvent.KEY_PRESSED,
        event -> {
          if (act(actions, event)) {
            event.consume();
          }
        });
  }

  private void clicked(Heading heading) {
    list.requestFocus();
    fold(heading, !heading.folded());
  }

  private void fold(Heading heading, boolean fold) {
    selection.arrange(() -> rows.fold(heading, fold));
    refreshCells();
  }

  /** Does what a key means; returns false if it means nothing here. */
  private boolean act(Actions actions, KeyEvent event) {
    if (event.getCode() == KeyCode.DELETE) {
      actions.remove(selection.migrations());
      return true;
    }
    return switch (selection.last()) {
      case null -> false;
      case Heading heading -> act(heading, event);
      case Migration migration -> act(actions, migration, event);
    };
  }

  /** Does what a key means for a heading; returns false if it means nothing here. */
  private boolean act(Heading heading, KeyEvent event) {
    if (isModified(event)) {
      return false;
    }
    switch (event.getCode()) {
      case LEFT -> fold(heading, true);
      case RIGHT -> {
        if (heading.folded()) {
          fold(heading, false);
        } else {
          selection.select(rows.list().get(rows.list().indexOf(heading) + 1));
        }
      }
      case ENTER, SPACE -> fold(heading, !heading.folded());
      default -> {
        return false;
      }
    }
    return true;
  }

  /** Does what a key means for a migration; returns false if it means nothing here. */
  private boolean act(Actions actions, Migration selected, KeyEvent event) {
    switch (event.getCode()) {
      case F2 -> actions.rename(selected);
      case LEFT -> {
        Heading heading = rows.headingOf(selected);
        if (heading == null || isModified(event)) {
          return false;
        }
        selection.select(heading);
      }
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

  private static boolean isModified(KeyEvent event) {
    return event.isShortcutDown() || event.isShiftDown() || event.isAltDown();
  }

  public Node node() {
    return list;
  }

  /** The migration that was selected last, even if a heading is selected now. */
  public ReadOnlyObjectProperty<Migration> shownProperty() {
    return selection.shownProperty();
  }

  public @Nullable Migration shown() {
    return selection.shownProperty().get();
  }

  /** Selects a migration alone, and unfolds its group. */
  public void select(Migration migration) {
    selection.arrange(() -> rows.reveal(migration));
    selection.select(migration);
  }

  /** Brings texts and pictures up to date; ten times a second is enough. */
  public void refresh() {
    // The host of a migration may have become known.
    selection.arrange(rows::update);
    refreshCells();
  }

  private void refreshCells() {
    for (RowCell cell : cells) {
      cell.refresh();
    }
  }

  public void theme(boolean darkTheme) {
    dark = darkTheme;
    for (RowCell cell : cells) {
      cell.setDark(darkTheme);
    }
  }
}

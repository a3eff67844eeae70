// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import javafx.application.Platform;
import javafx.beans.property.ReadOnlyObjectProperty;
import javafx.beans.property.ReadOnlyObjectWrapper;
import javafx.scene.control.ListView;
import javafx.scene.control.MultipleSelectionModel;
import javafx.scene.control.SelectionMode;
import org.jspecify.annotations.Nullable;

/**
 * What is selected in the list, and which migration the window shows: that which was selected last.
 * A selected heading does not change it. For the JavaFX thread only.
 */
final class RowSelection {
  private final ListView<Row> list;
  private final Rows rows;
  private final MultipleSelectionModel<Row> model;
  private final ReadOnlyObjectWrapper<Migration> shown = new ReadOnlyObjectWrapper<>(this, "shown");

  /** While rows come and go, what the list selects by itself means nothing. */
  private boolean arranging;

  /**
   * @param list shows the rows
   */
  RowSelection(ListView<Row> list, Rows rows) {
    this.list = list;
    this.rows = rows;
    model = list.getSelectionModel();
    model.setSelectionMode(SelectionMode.MULTIPLE);
    model.selectedItemProperty().subscribe(_ -> follow());
  }

  ReadOnlyObjectProperty<Migration> shownProperty() {
    return shown.getReadOnlyProperty();
  }

  /** The row that was selected last. */
  @Nullable Row last() {
    return model.getSelectedItem();
  }

  /** All selected migrations, in the order of the list. */
  List<Migration> migrations() {
    return selected().stream()
        .filter(Migration.class::isInstance)
        .map(Migration.class::cast)
        .toList();
  }

  private List<Row> selected() {
    // While the list changes, the selection may contain what is no longer there.
    return model.getSelectedItems().stream().filter(Objects::nonNull).toList();
  }

  /** Selects a row alone. */
  void select(Row row) {
    model.clearAndSelect(rows.list().indexOf(row));
    scrollTo();
  }

  /** Makes the row visible that was selected last. */
  void scrollTo() {
    Row row = last();
    if (row == null) {
      return;
    }
    list.scrollTo(row);
    // Entries differ in height, and a new one's is known only after the next layout.
    Platform.runLater(() -> {
      list.layout();
      list.scrollTo(row);
    });
  }

  /** Changes the rows. What is selected and shown stays so, as far as it is still there. */
  void arrange(Runnable change) {
    Row before = last();
    List<Row> selected = selected();
    arranging = true;
    change.run();
    if (before != null && rows.list().contains(before)) {
      selectAgain(selected, before);
    } else if (before != null) {
      Row next = successor(before);
      if (next != null && next != last()) {
        model.clearAndSelect(rows.list().indexOf(next));
      }
    }
    arranging = false;
    follow();
  }

  private void selectAgain(List<Row> selected, Row last) {
    List<Row> there = selected.stream().filter(rows.list()::contains).toList();
    if (last != last() || !there.equals(selected())) {
      model.clearSelection();
      there.forEach(model::select);
      model.select(last);
    }
  }

  /** What is to be selected instead of a row that is no longer there. */
  private @Nullable Row successor(Row gone) {
    Migration migration = gone instanceof Migration own ? own : shown.get();
    if (migration == null || !rows.has(migration)) {
      return neighbour(model.getSelectedIndex());
    }
    return rows.list().contains(migration) ? migration : rows.headingOf(migration);
  }

  /** The migration at a place, or else the next one, or else the one before. */
  private @Nullable Row neighbour(int place) {
    List<Row> all = rows.list();
    int from = Math.max(0, place);
    return IntStream.concat(
            IntStream.range(from, all.size()), IntStream.range(0, from).map(i -> from - 1 - i))
        .mapToObj(all::get)
        .filter(Migration.class::isInstance)
        .findFirst()
        .orElse(null);
  }

  private void follow() {
    if (arranging) {
      return;
    }
    Migration present = shown.get();
    switch (last()) {
      case Migration selected -> shown.set(selected);
      case null -> shown.set(null);
      case Heading _ when present != null && !rows.has(present) -> shown.set(null);
      case Heading _ -> {}
    }
  }
}

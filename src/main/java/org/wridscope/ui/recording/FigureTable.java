// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javafx.beans.property.ReadOnlyObjectWrapper;
import javafx.collections.FXCollections;
import javafx.collections.ObservableList;
import javafx.collections.transformation.SortedList;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.control.Label;
import javafx.scene.control.SelectionMode;
import javafx.scene.control.TableCell;
import javafx.scene.control.TableColumn;
import javafx.scene.control.TableView;
import javafx.scene.input.Clipboard;
import javafx.scene.input.ClipboardContent;
import javafx.scene.input.KeyCombination;
import javafx.scene.input.KeyEvent;
import org.jspecify.annotations.Nullable;
import org.wridscope.export.ComparedFigures;
import org.wridscope.figures.Figure;
import org.wridscope.ui.Menus;
import org.wridscope.ui.SelectionMenu;

/** The figures of two migrations side by side, with their differences and ratios. */
final class FigureTable {
  private static final long REFRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final KeyCombination COPY = KeyCombination.valueOf("Shortcut+C");

  private final ObservableList<ComparedFigures.Row> rows = FXCollections.observableArrayList();
  private final SortedList<ComparedFigures.Row> sorted = new SortedList<>(rows);
  private final TableView<ComparedFigures.Row> table = new TableView<>(sorted);
  private final Column left;
  private final Column right;
  private final List<Column> columns;
  private final Label empty = new Label();
  private long refreshed;

  FigureTable() {
    table.setId("compare-figures-table");
    table.setAccessibleText("Figures of both migrations");
    table.getStyleClass().addAll("dense", "log-table");
    table.setColumnResizePolicy(TableView.CONSTRAINED_RESIZE_POLICY_FLEX_NEXT_COLUMN);
    table.getSelectionModel().setSelectionMode(SelectionMode.MULTIPLE);
    empty.setWrapText(true);
    empty.getStyleClass().add("empty-text");
    table.setPlaceholder(empty);
    // Values of different units are not compared with each other.
    Comparator<ComparedFigures.Row> units = Comparator.comparing(ComparedFigures.Row::unit);
    left = column("Left", 120, row -> value(row, row.left()), by(units, ComparedFigures.Row::left));
    right =
        column("Right", 120, row -> value(row, row.right()), by(units, ComparedFigures.Row::right));
    columns =
        List.of(
            text("Figure", 330, ComparedFigures.Row::what),
            text("End", 90, row -> row.end().text()),
            left,
            right,
            column(
                "Difference",
                120,
                FigureTable::difference,
                by(units, ComparedFigures.Row::difference)),
            column("Ratio", 80, FigureTable::ratio, by((_, _) -> 0, ComparedFigures.Row::ratio)),
            text("Better", 70, ComparedFigures.Row::better));
    table.getColumns().setAll(columns);
    sorted.comparatorProperty().bind(table.comparatorProperty());
    table.addEventHandler(KeyEvent.KEY_PRESSED, this::key);
    Menus.install(
        table,
        () ->
            List.of(
                SelectionMenu.item(
                    "copy",
                    table.getSelectionModel().isEmpty()
                        ? "Copy all figures"
                        : "Copy the selected figures",
                    this::copy)));
  }

  private static <T extends Comparable<T>> Comparator<ComparedFigures.Row> by(
      Comparator<ComparedFigures.Row> first, Function<ComparedFigures.Row, @Nullable T> value) {
    return first.thenComparing(value, Comparator.nullsFirst(Comparator.naturalOrder()));
  }

  private static Column text(
      String title, double width, Function<ComparedFigures.Row, String> text) {
    Column column = column(title, width, text, Comparator.comparing(text));
    column.getStyleClass().remove("number-column");
    column.setCellFactory(_ -> new Cell(text, Pos.CENTER_LEFT));
    return column;
  }

  private static Column column(
      String title,
      double width,
      Function<ComparedFigures.Row, String> text,
      Comparator<ComparedFigures.Row> order) {
    var column = new Column(title, text);
    column.setPrefWidth(width);
    column.setMinWidth(Math.min(width, 70));
    column.setReorderable(false);
    column.getStyleClass().add("number-column");
    column.setComparator(order);
    column.setCellValueFactory(cell -> new ReadOnlyObjectWrapper<>(cell.getValue()));
    column.setCellFactory(_ -> new Cell(text, Pos.CENTER_RIGHT));
    return column;
  }

  private static final class Column extends TableColumn<ComparedFigures.Row, ComparedFigures.Row> {
    private final Function<ComparedFigures.Row, String> text;

    Column(String title, Function<ComparedFigures.Row, String> text) {
      super(title);
      this.text = text;
    }
  }

  private static final class Cell extends TableCell<ComparedFigures.Row, ComparedFigures.Row> {
    private final Function<ComparedFigures.Row, String> text;

    Cell(Function<ComparedFigures.Row, String> text, Pos place) {
      this.text = text;
      setAlignment(place);
    }

    @Override
    protected void updateItem(ComparedFigures.@Nullable Row item, boolean isEmpty) {
      super.updateItem(item, isEmpty);
      setText(isEmpty || item == null ? null : text.apply(item));
    }
  }

  Node node() {
    return table;
  }

  /**
   * Shows the figures of two migrations, at most a few times a second.
   *
   * @param figures null unless there are two
   */
  void show(@Nullable ComparedFigures figures, long nowNanos) {
    refreshed = nowNanos;
    if (figures == null) {
      rows.clear();
      empty.setText("Choose two migrations that have been started, to compare their figures.");
      return;
    }
    empty.setText("These migrations have no end in common, source or destination.");
    left.setText(figures.left());
    right.setText(figures.right());
    if (!rows.equals(figures.rows())) {
      List<ComparedFigures.Row> chosen = List.copyOf(table.getSelectionModel().getSelectedItems());
      rows.setAll(figures.rows());
      table.getSelectionModel().clearSelection();
      for (int i = 0; i < sorted.size(); i++) {
        if (isIn(sorted.get(i), chosen)) {
          table.getSelectionModel().select(i);
        }
      }
    }
  }

  /** Whether the same figure is in a list, with whatever value. */
  private static boolean isIn(ComparedFigures.Row row, List<ComparedFigures.Row> list) {
    return list.stream()
        .anyMatch(each -> each.what().equals(row.what()) && each.end() == row.end());
  }

  /** Whether it is time for new figures. */
  boolean isDue(long nowNanos) {
    return nowNanos - refreshed >= REFRESH_NANOS;
  }

  private void key(KeyEvent event) {
    if (COPY.match(event)) {
      copy();
      event.consume();
    }
  }

  /** Copies the selected rows, or all if none is, as lines with tabs between the cells. */
  void copy() {
    List<ComparedFigures.Row> chosen = table.getSelectionModel().getSelectedItems();
    var content = new ClipboardContent();
    content.putString(
        Stream.concat(
                Stream.of(line(TableColumn::getText)),
                (chosen.isEmpty() ? sorted : chosen)
                    .stream().map(row -> line(column -> column.text.apply(row))))
            .collect(Collectors.joining("\n", "", "\n")));
    Clipboard.getSystemClipboard().setContent(content);
  }

  private String line(Function<Column, String> cell) {
    return columns.stream().map(cell).collect(Collectors.joining("\t"));
  }

  // ---------------------------------------------------------------------------------------- texts

  private static String value(ComparedFigures.Row row, @Nullable Long value) {
    return value == null ? Figure.NOT_KNOWN : row.unit().text(value);
  }

  private static String difference(ComparedFigures.Row row) {
    Long difference = row.difference();
    if (difference == null) {
      return "";
    }
    return difference == 0
        ? "0"
        : (difference < 0 ? "−" : "+") + row.unit().text(Math.abs(difference));
  }

  private static String ratio(ComparedFigures.Row row) {
    Double ratio = row.ratio();
    return ratio == null ? "" : String.format(Locale.ROOT, "%.3f", ratio);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import javafx.collections.ListChangeListener;
import javafx.scene.control.TableColumn;
import javafx.scene.control.TableView;
import javafx.scene.input.MouseEvent;
import org.jspecify.annotations.Nullable;
import org.wridscope.ui.remembered.Memory;
import org.wridscope.ui.remembered.StoredJson;

/**
 * The columns of the log. The user chooses those that are shown, drags them to their places and
 * makes them wider or narrower; all of that is stored.
 */
final class LogColumns {
  private static final String SHOWN = "log-columns";
  private static final String WIDTHS = "log-column-widths";
  private static final double WIDEST = 4_000;

  /** In a narrower table, columns are as narrow as their texts allow. */
  private static final double ROOMY = 820;

  private final StoredJson store;
  private final TableView<LogRow> table;
  private final Map<LogColumn, TableColumn<LogRow, String>> columns =
      new EnumMap<>(LogColumn.class);
  private final Map<LogColumn, Double> widths = new EnumMap<>(LogColumn.class);

  private final Runnable arranger = this::arrange;

  /** The widths when a button of the mouse was pressed. */
  private final Map<LogColumn, Double> pressed = new EnumMap<>(LogColumn.class);

  private boolean narrow;
  private boolean endOffered = true;
  private boolean endChosen;

  /** Whether columns are being changed by this class, not by the user. */
  private boolean arranging;

  /**
   * Gives a table the columns, as they were last.
   *
   * @param store keeps the choice
   * @param maker makes a column
   */
  LogColumns(
      StoredJson store,
      TableView<LogRow> table,
      Function<LogColumn, TableColumn<LogRow, String>> maker) {
    this.store = store;
    this.table = table;
    for (LogColumn each : LogColumn.values()) {
      TableColumn<LogRow, String> column = maker.apply(each);
      column.visibleProperty().subscribe((_, _) -> keep());
      columns.put(each, column);
    }
    arrange();
    table.getColumns().addListener((ListChangeListener<TableColumn<LogRow, ?>>) _ -> keep());
    table.addEventFilter(MouseEvent.MOUSE_PRESSED, _ -> press());
    table.addEventFilter(MouseEvent.MOUSE_RELEASED, _ -> keepWidths());
    table.widthProperty().subscribe(width -> fit(width.doubleValue()));
    store.onForget(SHOWN, arranger);
    store.onForget(WIDTHS, arranger);
  }

  /** What is stored of the columns. */
  static Memory memory(StoredJson store) {
    return new Memory(
        "log-columns", "Columns of the log", store, List.of(SHOWN, WIDTHS), () -> "remembered");
  }

  private void fit(double width) {
    if (width > 0 && narrow != width < ROOMY) {
      narrow = width < ROOMY;
      arrange();
    }
  }

  /** Arranges the columns as it is stored. */
  private void arrange() {
    arranging = true;
    List<LogColumn> shown = stored();
    endChosen = shown.contains(LogColumn.END);
    columns.forEach((each, column) ->
        column.setVisible(shown.contains(each) && (each != LogColumn.END || endOffered)));
    table.getColumns().setAll(withHidden(shown).stream().map(this::of).toList());
    widths.clear();
    Widths stored = store.get(WIDTHS, Widths.class);
    columns.forEach((each, column) -> {
      Double width =
          stored == null || stored.columns == null ? null : stored.columns.get(each.name());
      if (width != null && width > 0 && width < WIDEST) {
        widths.put(each, width);
      }
      column.setPrefWidth(widths.getOrDefault(each, each.width(narrow)));
    });
    arranging = false;
  }

  /**
   * Widths as they are stored.
   *
   * @param columns by the names of the columns
   */
  private record Widths(@Nullable Map<String, Double> columns) {}

  /** The columns that the user has chosen, in the user's order. */
  private List<LogColumn> stored() {
    String[] names = store.get(SHOWN, String[].class);
    List<LogColumn> chosen =
        Stream.of(names == null ? new String[0] : names)
            .distinct()
            .flatMap(name -> Stream.of(LogColumn.values()).filter(each -> each.name().equals(name)))
            .toList();
    return chosen.isEmpty()
        ? Stream.of(LogColumn.values()).filter(each -> each.isUsual(narrow)).toList()
        : chosen;
  }

  /** These columns, and each other one behind the one that it usually follows. */
  private static List<LogColumn> withHidden(List<LogColumn> shown) {
    var all = new ArrayList<>(shown);
    for (LogColumn each : LogColumn.values()) {
      if (!all.contains(each)) {
        int before = each.ordinal() - 1;
        all.add(before < 0 ? 0 : all.indexOf(LogColumn.values()[before]) + 1, each);
      }
    }
    return all;
  }

  /** All columns in the order of the table, shown or not. */
  private Stream<LogColumn> inOrder() {
    return table.getColumns().stream()
        .flatMap(column ->
            columns.entrySet().stream()
                .filter(each -> each.getValue().equals(column))
                .map(Map.Entry::getKey));
  }

  private TableColumn<LogRow, String> of(LogColumn column) {
    return Objects.requireNonNull(columns.get(column));
  }

  /** The columns that are shown, in their order. */
  List<LogColumn> shown() {
    return inOrder().filter(each -> of(each).isVisible()).toList();
  }

  /** Hides the column of the end for programs, and shows it again if it was chosen. */
  void offerEnd(boolean migrates) {
    if (migrates != endOffered) {
      arranging = true;
      endOffered = migrates;
      of(LogColumn.END).setVisible(migrates && endChosen);
      arranging = false;
    }
  }

  private void keep() {
    // While a column is dragged, it is in the table twice, or not at all.
    if (arranging || inOrder().distinct().count() != columns.size()) {
      return;
    }
    if (endOffered) {
      endChosen = of(LogColumn.END).isVisible();
    }
    store.put(
        SHOWN,
        inOrder()
            .filter(each -> each == LogColumn.END ? endChosen : of(each).isVisible())
            .map(Enum::name)
            .toArray(String[]::new));
  }

  private void press() {
    columns.forEach((each, column) -> pressed.put(each, column.getWidth()));
  }

  /** Stores the widths that the mouse has changed; the last column takes what is left. */
  private void keepWidths() {
    List<LogColumn> shown = shown();
    List<LogColumn> changed =
        shown.subList(0, Math.max(0, shown.size() - 1)).stream()
            .filter(each -> of(each).getWidth() != pressed.getOrDefault(each, 0.0))
            .toList();
    if (pressed.isEmpty() || changed.isEmpty()) {
      return;
    }
    changed.forEach(each -> widths.put(each, of(each).getWidth()));
    var stored = new LinkedHashMap<String, Double>();
    widths.forEach((each, width) -> stored.put(each.name(), width));
    store.put(WIDTHS, new Widths(stored));
  }
}

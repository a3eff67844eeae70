// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import javafx.scene.control.TableColumn;
import org.wridscope.ui.remembered.StoredJson;

/** The columns of the log, of which the user chooses those that are shown; the choice is stored. */
final class LogColumns {
  private static final String KEY = "log-columns";

  private final StoredJson store;
  private final Map<LogColumn, TableColumn<LogRow, String>> columns =
      new EnumMap<>(LogColumn.class);
  private boolean endOffered = true;
  private boolean endChosen;
  private boolean offering;

  /**
   * Makes the columns, and shows those that were chosen last.
   *
   * @param store keeps the choice
   * @param maker makes a column
   */
  LogColumns(StoredJson store, Function<LogColumn, TableColumn<LogRow, String>> maker) {
    this.store = store;
    String[] names = store.get(KEY, String[].class);
    Set<String> chosen = names == null ? Set.of() : Set.copyOf(withoutNulls(names));
    for (LogColumn each : LogColumn.values()) {
      TableColumn<LogRow, String> column = maker.apply(each);
      column.setVisible(chosen.isEmpty() ? each.isUsual() : chosen.contains(each.name()));
      column.visibleProperty().subscribe((_, _) -> keep());
      columns.put(each, column);
    }
    endChosen = end().isVisible();
  }

  private static List<String> withoutNulls(String[] names) {
    return Arrays.stream(names).filter(Objects::nonNull).distinct().toList();
  }

  private TableColumn<LogRow, String> end() {
    return Objects.requireNonNull(columns.get(LogColumn.END));
  }

  /** All columns, shown or not. */
  List<TableColumn<LogRow, String>> all() {
    return List.copyOf(columns.values());
  }

  /** The columns that are shown, in their order. */
  List<LogColumn> shown() {
    return columns.entrySet().stream()
        .filter(each -> each.getValue().isVisible())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Hides the column of the end for programs, and shows it again if it was chosen. */
  void offerEnd(boolean migrates) {
    if (migrates != endOffered) {
      offering = true;
      endOffered = migrates;
      end().setVisible(migrates && endChosen);
      offering = false;
    }
  }

  private void keep() {
    if (!offering) {
      if (endOffered) {
        endChosen = end().isVisible();
      }
      store.put(
          KEY,
          columns.keySet().stream()
              .filter(each ->
                  each == LogColumn.END
                      ? endChosen
                      : Objects.requireNonNull(columns.get(each)).isVisible())
              .map(Enum::name)
              .toArray(String[]::new));
    }
  }
}

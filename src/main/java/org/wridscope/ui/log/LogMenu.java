// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import java.util.List;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.MenuItem;
import javafx.scene.control.SeparatorMenuItem;
import javafx.scene.input.KeyCombination;
import org.wridscope.control.Session;
import org.wridscope.telemetry.Event;
import org.wridscope.ui.SelectionMenu;
import org.wridscope.ui.TimeRange;

/** What can be done with rows of the log: copying, filtering, and showing them in other views. */
final class LogMenu {
  /** More would not be pasted anywhere. */
  static final int MOST_COPIED = 100_000;

  private final TimeRange range;
  private final LogTexts texts;
  private final SelectionMenu actions;

  /**
   * @param actions what can be done with the event of a row
   */
  LogMenu(TimeRange range, LogTexts texts, SelectionMenu actions) {
    this.range = range;
    this.texts = texts;
    this.actions = actions;
  }

  /** Fills a menu for some rows. */
  void fill(ContextMenu menu, List<LogColumn> columns, List<LogRow> rows) {
    menu.getItems().clear();
    if (rows.isEmpty()) {
      return;
    }
    MenuItem copy = SelectionMenu.item("log-copy", "Copy", () -> copy(columns, rows));
    copy.setAccelerator(KeyCombination.valueOf("Shortcut+C"));
    menu.getItems().add(copy);
    menu.getItems()
        .add(
            SelectionMenu.item(
                "log-copy-filter", "Copy as filter", () -> SelectionMenu.copy(texts.filter(rows))));
    Session session = rows.getFirst().session();
    Event event = rows.getFirst().event();
    if (event != null) {
      addSeparated(menu, actions.filters(session, event));
      addSeparated(menu, actions.views(session, event, "Log"));
      MenuItem mark =
          SelectionMenu.item("log-mark", "Set a marker", () -> range.setMarker(event.nanos()));
      mark.setAccelerator(KeyCombination.valueOf("M"));
      addSeparated(menu, List.of(mark));
    }
  }

  private static void addSeparated(ContextMenu menu, List<MenuItem> items) {
    if (!items.isEmpty()) {
      menu.getItems().add(new SeparatorMenuItem());
      menu.getItems().addAll(items);
    }
  }

  /** Copies rows as lines with tabs between the cells. */
  void copy(List<LogColumn> columns, List<LogRow> rows) {
    if (!rows.isEmpty()) {
      SelectionMenu.copy(texts.lines(columns, rows.stream().limit(MOST_COPIED)));
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.MenuItem;
import javafx.scene.control.SeparatorMenuItem;
import javafx.scene.input.Clipboard;
import javafx.scene.input.ClipboardContent;
import javafx.scene.input.KeyCombination;
import org.wridscope.analysis.EventChunks;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.SearchField;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Event;
import org.wridscope.ui.Search;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;

/** What can be done with rows of the log: copying, filtering, and showing them in other views. */
final class LogMenu {
  /** More would not be pasted anywhere. */
  static final int MOST_COPIED = 100_000;

  private static final List<SearchField> FILTERS =
      List.of(SearchField.WRID, SearchField.CHUNK, SearchField.QP, SearchField.EVENT);

  private final TimeRange range;
  private final Selection selection;
  private final Search search;
  private final LogTexts texts;
  private final Consumer<String> opener;

  /**
   * @param opener shows the view with a given title
   */
  LogMenu(
      TimeRange range,
      Selection selection,
      Search search,
      LogTexts texts,
      Consumer<String> opener) {
    this.range = range;
    this.selection = selection;
    this.search = search;
    this.texts = texts;
    this.opener = opener;
  }

  /** Fills a menu for some rows. */
  void fill(ContextMenu menu, List<LogColumn> columns, List<LogRow> rows) {
    menu.getItems().clear();
    if (rows.isEmpty()) {
      return;
    }
    MenuItem copy = item("log-copy", "Copy", () -> copy(columns, rows));
    copy.setAccelerator(KeyCombination.valueOf("Shortcut+C"));
    menu.getItems().add(copy);
    menu.getItems().add(item("log-copy-filter", "Copy as filter", () -> copy(texts.filter(rows))));
    LogRow row = rows.getFirst();
    addSeparated(menu, filters(row));
    row(row)
        .ifPresent(event -> {
          addSeparated(menu, views(row, event));
          MenuItem mark = item("log-mark", "Set a marker", () -> range.setMarker(event.nanos()));
          mark.setAccelerator(KeyCombination.valueOf("M"));
          addSeparated(menu, List.of(mark));
        });
  }

  private static Optional<Event> row(LogRow row) {
    return Optional.ofNullable(row.event());
  }

  private List<MenuItem> filters(LogRow row) {
    var items = new ArrayList<MenuItem>();
    for (SearchField field : FILTERS) {
      String term = texts.term(field, row);
      if (!term.isEmpty()) {
        String block = field == SearchField.CHUNK ? " " + texts.term(SearchField.BLOCK, row) : "";
        items.add(
            item(
                "log-filter-" + field.title(),
                "Filter for %s%s".formatted(term, block),
                () -> filter(term + block)));
      }
    }
    return items;
  }

  private void filter(String term) {
    search.find(term);
    search.onlyProperty().set(true);
  }

  private List<MenuItem> views(LogRow row, Event event) {
    var items = new ArrayList<MenuItem>();
    if (!texts.term(SearchField.WRID, row).isEmpty()) {
      items.add(show("log-show-wrids", "Wrids", row, event));
    }
    long chunks =
        EventChunks.count(
            event.kind(), event.detail(), event.length(), event.wrid(), event.argument());
    if (chunks > 0) {
      items.add(
          item(
              "log-show-chunks",
              "Show in Chunks",
              () -> {
                selection.select(
                    new Selected.Chunk(
                        row.session(),
                        WorkRequestId.block(event.wrid()),
                        (int) WorkRequestId.chunk(event.wrid())));
                opener.accept("Chunks");
              }));
    }
    if (EventText.Group.MESSAGES.has(event)) {
      items.add(show("log-show-messages", "Messages", row, event));
    }
    return items;
  }

  private MenuItem show(String id, String view, LogRow row, Event event) {
    return item(
        id,
        "Show in %s".formatted(view),
        () -> {
          selection.select(new Selected.LoggedEvent(row.session(), event));
          range.reveal(event.nanos());
          opener.accept(view);
        });
  }

  private static void addSeparated(ContextMenu menu, List<MenuItem> items) {
    if (!items.isEmpty()) {
      menu.getItems().add(new SeparatorMenuItem());
      menu.getItems().addAll(items);
    }
  }

  private static MenuItem item(String id, String text, Runnable action) {
    var item = new MenuItem(text);
    item.setId(id);
    // A wrid may have underscores in its name.
    item.setMnemonicParsing(false);
    item.setOnAction(_ -> action.run());
    return item;
  }

  /** Copies rows as lines with tabs between the cells. */
  void copy(List<LogColumn> columns, List<LogRow> rows) {
    if (!rows.isEmpty()) {
      copy(texts.lines(columns, rows.stream().limit(MOST_COPIED)));
    }
  }

  private static void copy(String text) {
    var content = new ClipboardContent();
    content.putString(text);
    Clipboard.getSystemClipboard().setContent(content);
  }
}

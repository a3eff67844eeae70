// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javafx.beans.property.ReadOnlyObjectWrapper;
import javafx.css.PseudoClass;
import javafx.geometry.Pos;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.Label;
import javafx.scene.control.SelectionMode;
import javafx.scene.control.TableCell;
import javafx.scene.control.TableColumn;
import javafx.scene.control.TableRow;
import javafx.scene.control.TableView;
import javafx.scene.input.ContextMenuEvent;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyCombination;
import javafx.scene.input.KeyEvent;
import javafx.scene.layout.BorderPane;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.Hits;
import org.wridscope.analysis.Query;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.Search;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.SelectionMenu;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.TitledView;
import org.wridscope.ui.remembered.Memory;
import org.wridscope.ui.remembered.StoredJson;

/** The events of one end, or of both in the order of time, in words; the newest at the bottom. */
public final class LogView extends TitledView<BorderPane> {
  private static final PseudoClass FAILED = PseudoClass.getPseudoClass("failed");
  private static final PseudoClass FOUND = PseudoClass.getPseudoClass("found");
  private static final KeyCombination COPY = KeyCombination.valueOf("Shortcut+C");
  private static final double NARROWEST = 136;
  private static final long REFRESH_NANOS = 100_000_000;
  private static final int PIECE = 4_096;
  private static final long BUDGET_NANOS = 2_000_000;

  private final TimeRange range;
  private final Search search;
  private final Selection selection;
  private final Analyses analyses;
  private final LogRows rows = new LogRows();
  private final LogFailures failures = new LogFailures(rows);
  private final LogTexts texts;
  private final LogMenu menu;
  private final LogBar bar;
  private final TableView<LogRow> table = new TableView<>(rows);
  private final LogColumns columns;
  private final Label empty = new Label();

  private @Nullable SessionPair pair;

  /** The events of the shown ends that pass the filter, if they are searched for here only. */
  private List<Hits> own = List.of();

  /** The heartbeats among the messages, which are not shown with them. */
  private List<Hits> hidden = List.of();

  private long refreshed;
  private Selected.@Nullable LoggedEvent wanted;
  private boolean revealing;
  private long found;
  private String told = "";

  /** Whether the last row may be out of view. */
  private boolean moved;

  /**
   * Makes an empty view.
   *
   * @param choices keeps which columns the user has chosen
   * @param opener shows the view with a given title
   */
  public LogView(
      TimeRange range,
      Selection selection,
      Analyses analyses,
      Search search,
      StoredJson choices,
      Consumer<String> opener) {
    super("Log", new BorderPane());
    this.range = range;
    this.search = search;
    this.selection = selection;
    this.analyses = analyses;
    texts = new LogTexts(range, analyses, search, rows);
    menu = new LogMenu(range, texts, new SelectionMenu(range, selection, search, analyses, opener));
    bar = new LogBar(new Changes());
    columns = new LogColumns(choices, table, this::column);
    // Tab goes through them in this order.
    root.setTop(bar.node());
    root.setCenter(table);
    root.getStyleClass().add("log");
    empty.getStyleClass().add("empty-text");
    empty.setWrapText(true);
    makeTable();
    selection
        .selectedProperty()
        .subscribe(
            selected -> wanted = selected instanceof Selected.LoggedEvent logged ? logged : null);
    range.chosenProperty().subscribe(_ -> begin());
    search.queryProperty().subscribe(_ -> filter());
    search.onlyProperty().subscribe(_ -> filter());
    show(null);
  }

  /**
   * What the user has chosen about the columns.
   *
   * @param choices keeps it
   */
  public static Memory columnsMemory(StoredJson choices) {
    return LogColumns.memory(choices);
  }

  private final class Changes implements LogBar.Listener {
    @Override
    public void filterChanged() {
      filter();
    }

    @Override
    public void toFailure(boolean forwards) {
      goToFailure(forwards);
    }
  }

  private void makeTable() {
    table.setId("log-table");
    table.setAccessibleText("Events");
    table.getStyleClass().addAll("dense", "log-table");
    table.setColumnResizePolicy(TableView.CONSTRAINED_RESIZE_POLICY_FLEX_LAST_COLUMN);
    table.setPlaceholder(empty);
    table.setTableMenuButtonVisible(true);
    table.getSelectionModel().setSelectionMode(SelectionMode.MULTIPLE);
    var contextMenu = new ContextMenu();
    table.setContextMenu(contextMenu);
    // A menu without items does not open, and so cannot be filled when it does.
    table.addEventFilter(
        ContextMenuEvent.CONTEXT_MENU_REQUESTED,
        event ->
            menu.fill(
                contextMenu,
                columns.shown(),
                event.isKeyboardTrigger() ? menuRows() : chosenRows()));
    table.setRowFactory(_ -> new Row());
    table.addEventHandler(KeyEvent.KEY_PRESSED, this::key);
    table
        .getSelectionModel()
        .selectedItemProperty()
        .subscribe(row -> {
          if (row != null && row.event() != null && !revealing) {
            selection.select(new Selected.LoggedEvent(row.session(), row.event()));
          }
        });
    table.heightProperty().subscribe(_ -> moved = true);
  }

  private TableColumn<LogRow, String> column(LogColumn of) {
    var column = new TableColumn<LogRow, String>(of.title());
    column.setId("log-column-" + of.ordinal());
    column.setMinWidth(Math.min(of.width(true), NARROWEST));
    column.setSortable(false);
    column.setCellValueFactory(cell -> new ReadOnlyObjectWrapper<>(texts.of(of, cell.getValue())));
    if (of != LogColumn.WHAT) {
      column.setMaxWidth(of.width(false) + 80);
    }
    if (of.isNumber()) {
      column.getStyleClass().add("number-column");
      column.setCellFactory(_ -> new NumberCell());
    }
    return column;
  }

  private static final class NumberCell extends TableCell<LogRow, String> {
    @Override
    protected void updateItem(@Nullable String item, boolean isEmpty) {
      super.updateItem(item, isEmpty);
      setText(isEmpty ? null : item);
      setAlignment(Pos.CENTER_RIGHT);
    }
  }

  private final class Row extends TableRow<LogRow> {
    @Override
    protected void updateItem(@Nullable LogRow item, boolean isEmpty) {
      super.updateItem(item, isEmpty);
      Event event = isEmpty || item == null ? null : item.event();
      pseudoClassStateChanged(FAILED, event != null && EventText.failed(event));
      pseudoClassStateChanged(
          FOUND, !isEmpty && item != null && search.has(item.session(), item.number()));
    }
  }

  private List<LogRow> chosenRows() {
    return table.getSelectionModel().getSelectedIndices().stream()
        .filter(index -> index < rows.size())
        .limit(LogMenu.MOST_COPIED)
        .map(rows::get)
        .toList();
  }

  /** The chosen rows; with none, the one that the keyboard would choose next. */
  private List<LogRow> menuRows() {
    List<LogRow> chosen = chosenRows();
    if (chosen.isEmpty() && !rows.isEmpty()) {
      int at = table.getFocusModel().getFocusedIndex();
      table.getSelectionModel().select(at >= 0 && at < rows.size() ? at : rows.size() - 1);
      return chosenRows();
    }
    return chosen;
  }

  private void key(KeyEvent event) {
    if (COPY.match(event)) {
      menu.copy(columns.shown(), chosenRows());
      event.consume();
    } else if (event.getCode() == KeyCode.A
        && !event.isShortcutDown()
        && !event.isAltDown()
        && !event.isMetaDown()) {
      goToFailure(!event.isShiftDown());
      event.consume();
    } else if (event.getCode() == KeyCode.M
        && !event.isShortcutDown()
        && !event.isAltDown()
        && !event.isMetaDown()) {
      mark(event.isShiftDown());
      event.consume();
    }
  }

  private void mark(boolean remove) {
    LogRow row = table.getSelectionModel().getSelectedItem();
    if (remove) {
      range.removeMarkers();
    } else if (row != null && row.event() != null) {
      range.setMarker(row.event().nanos());
    }
  }

  @Override
  public void show(@Nullable SessionPair newPair) {
    // The same sessions are shown again when a recording went back in time.
    boolean again = newPair != null && newPair.equals(pair);
    pair = newPair;
    bar.show(newPair, again);
    columns.offerEnd(newPair == null || newPair.leading().migrates());
    begin();
  }

  private List<Session> sessions() {
    return pair == null
        ? List.of()
        : pair.sessions().stream().filter(session -> bar.includes(session.role())).toList();
  }

  private void filter() {
    if (!revealing) {
      begin();
    }
  }

  /** Shows other events from the beginning. */
  private void begin() {
    List<Session> sessions = sessions();
    var hits = new ArrayList<Hits>();
    var parts = new ArrayList<LogPart>();
    for (Session session : sessions) {
      Hits shared = search.only(session);
      Hits filtered = shared;
      if (bar.group() != EventText.Group.ALL) {
        Query query = search.filter();
        filtered =
            query == null
                ? new Hits(session.telemetry().log(), bar.group())
                : new Hits(analyses.of(session), query, bar.group());
        hits.add(filtered);
      }
      parts.add(new LogPart(session, filtered));
    }
    hidden =
        bar.group() == EventText.Group.MESSAGES
            ? sessions.stream()
                .map(session -> new Hits(session.telemetry().log(), EventText.Group.HEARTBEATS))
                .toList()
            : List.of();
    own = Stream.concat(hits.stream(), hidden.stream()).toList();
    failures.show(sessions);
    // Other rows come to the places of those that were selected.
    boolean before = revealing;
    revealing = true;
    try {
      table.getSelectionModel().clearSelection();
      rows.show(parts, range.chosen());
      if (selection.get() instanceof Selected.LoggedEvent(var session, var event)) {
        selectRow(session, event.number());
      }
    } finally {
      revealing = before;
    }
    empty.setText(whyEmpty(sessions));
    refreshed = 0;
    moved = true;
    told = "";
  }

  private static String whyEmpty(List<Session> sessions) {
    if (sessions.isEmpty()) {
      return "Events of the selected migration appear here. Start or select one.";
    }
    if (sessions.stream().noneMatch(session -> session.telemetry().monitored())) {
      return "This migration was started without monitoring, so it keeps no events.";
    }
    Session session = sessions.getFirst();
    if (!session.migrates()) {
      return "No event of the program passes the filter yet.";
    }
    if (sessions.size() > 1) {
      return "No event of either end passes the filter yet.";
    }
    return session.role() == Role.SOURCE
        ? "No event of the source passes the filter yet."
        : "No event of the destination passes the filter yet.";
  }

  private void goToFailure(boolean forwards) {
    failures.advance();
    int from = table.getSelectionModel().getSelectedIndex();
    LogFailures.Way way = failures.next(from < 0 && !forwards ? rows.size() : from, forwards);
    if (way == null) {
      told = "no failure among these events";
    } else {
      told =
          !way.wrapped() ? "" : forwards ? "back to the first failure" : "back to the last failure";
      table.getSelectionModel().clearAndSelect(way.row());
      table.scrollTo(Math.max(0, way.row() - 5));
      LogRow row = rows.get(way.row());
      if (row.event() != null) {
        range.reveal(row.event().nanos());
      }
    }
    count();
  }

  /** Shows the row of an event that was selected in another view. */
  private void reveal(Selected.LoggedEvent event) {
    SessionPair of = pair;
    TimeRange.Span span = range.chosen();
    if (of == null
        || !of.sessions().contains(event.session())
        || (span != null && !span.has(event.event().nanos()))) {
      return;
    }
    revealing = true;
    try {
      if (!bar.includes(event.session().role())) {
        bar.choose(event.session().role());
        begin();
      }
      rows.update();
      int row = rows.indexOf(event.session(), event.event().number());
      if (row < 0) {
        bar.setGroup(EventText.Group.ALL);
        if (!search.has(event.session(), event.event().number())) {
          search.onlyProperty().set(false);
        }
        begin();
        row = rows.indexOf(event.session(), event.event().number());
      }
      if (row >= 0) {
        table.getSelectionModel().clearAndSelect(row);
        table.scrollTo(Math.max(0, row - 5));
      }
    } finally {
      revealing = false;
    }
  }

  @Override
  public void pulse(long nowNanos) {
    advance();
    Selected.LoggedEvent event = wanted;
    if (event != null) {
      wanted = null;
      LogRow row = table.getSelectionModel().getSelectedItem();
      if (row == null || !row.isOf(event.session(), event.event().number())) {
        reveal(event);
      }
    }
    if (nowNanos - refreshed < REFRESH_NANOS) {
      return;
    }
    refreshed = nowNanos;
    boolean marksChanged = found != search.count();
    found = search.count();
    // While time holds, rows must not move while somebody reads them.
    boolean reading =
        range.isFollowing()
            || range.chosen() != null
            || rows.isEmpty()
            || search.filter() != null
            || bar.group() != EventText.Group.ALL;
    LogRows.Change change = reading ? update() : LogRows.Change.NONE;
    if (marksChanged || change == LogRows.Change.MOVED) {
      table.refresh();
    }
    moved |= change != LogRows.Change.NONE;
    if (moved && range.isFollowing()) {
      moved = false;
      if (table.getFixedCellSize() <= 0) {
        // Without its style, rows that nobody has seen yet have no height, and there is no end of
        // them.
        table.applyCss();
      }
      // A table knows new rows only after its layout. Scrolling to the last row would stop one row
      // short of it; scrolling to the row after it reaches the very end.
      table.layout();
      table.scrollTo(rows.size());
    }
    count();
  }

  private void advance() {
    failures.advance();
    if (pair != null && !own.isEmpty()) {
      if (search.filter() != null) {
        analyses.advance(pair);
      }
      long end = System.nanoTime() + BUDGET_NANOS;
      for (Hits each : own) {
        while (each.advance(PIECE) == PIECE && System.nanoTime() < end) {
          // until all events are examined, or it is time for the next frame
        }
      }
    }
  }

  /** Shows new rows; what was selected stays selected. */
  private LogRows.Change update() {
    LogRow selected = table.getSelectionModel().getSelectedItem();
    revealing = true;
    try {
      LogRows.Change change = rows.update();
      if (change == LogRows.Change.MOVED && selected != null) {
        selectRow(selected.session(), selected.number());
      }
      return change;
    } finally {
      revealing = false;
    }
  }

  /** Selects the row of an event, and none if there is no such row; several stay selected. */
  private void selectRow(Session session, long number) {
    int row = rows.indexOf(session, number);
    if (row < 0) {
      table.getSelectionModel().clearSelection();
    } else if (table.getSelectionModel().getSelectedIndices().size() < 2) {
      table.getSelectionModel().clearAndSelect(row);
    }
  }

  private long countOf(Hits hits) {
    TimeRange.Span span = range.chosen();
    return span == null
        ? hits.count()
        : hits.indexOf(span.toNanos()) - hits.indexOf(span.fromNanos());
  }

  private void count() {
    String shown = Format.count(rows.size());
    var text =
        new StringBuilder(
            range.chosen() == null
                ? "%s shown".formatted(shown)
                : "%s shown of the range".formatted(shown));
    long heartbeats = hidden.stream().mapToLong(this::countOf).sum();
    if (heartbeats > 0) {
      text.append(", %s hidden".formatted(Format.counted(heartbeats, "heartbeat")));
    }
    long discarded =
        sessions().stream().mapToLong(session -> session.telemetry().log().oldest()).sum();
    if (discarded > 0) {
      text.append(", the oldest %s discarded".formatted(Format.count(discarded)));
    }
    if (!told.isEmpty()) {
      text.append(", ").append(told);
    }
    bar.setCount(text.toString());
  }
}

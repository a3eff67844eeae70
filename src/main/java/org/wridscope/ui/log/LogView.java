// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import java.util.List;
import java.util.function.BiFunction;
import javafx.beans.property.ReadOnlyObjectWrapper;
import javafx.collections.FXCollections;
import javafx.collections.ObservableList;
import javafx.css.PseudoClass;
import javafx.geometry.Pos;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.TableCell;
import javafx.scene.control.TableColumn;
import javafx.scene.control.TableRow;
import javafx.scene.control.TableView;
import javafx.scene.control.ToggleButton;
import javafx.scene.layout.BorderPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import org.controlsfx.control.SegmentedButton;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.control.Session;
import org.wridscope.recording.SessionPair;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;
import org.wridscope.ui.Search;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.TitledView;

/** The events of one session in words, the newest at the bottom. */
public final class LogView extends TitledView<BorderPane> {
  private static final PseudoClass FAILED = PseudoClass.getPseudoClass("failed");
  private static final PseudoClass FOUND = PseudoClass.getPseudoClass("found");
  private static final long REFRESH_NANOS = 100_000_000;

  /** Rows shown above an event that was selected in another view. */
  private static final int ROWS_BEFORE = 50;

  private final TimeRange range;
  private final Search search;
  private final LogModel model = new LogModel();
  private final ObservableList<Event> rows = FXCollections.observableArrayList();
  private final TableView<Event> table = new TableView<>(rows);
  private final ComboBox<EventText.Group> group = new ComboBox<>();
  private final Label count = new Label();
  private final Label empty = new Label();
  private final ToggleButton source = new ToggleButton("Source");
  private final ToggleButton destination = new ToggleButton("Destination");

  private @Nullable SessionPair pair;
  private @Nullable Session session;
  private long refreshed;
  private Selected.@Nullable LoggedEvent wanted;
  private boolean revealing;
  private long found;

  /** Whether the last row may be out of view. */
  private boolean moved;

  public LogView(TimeRange range, Selection selection, Search search) {
    super("Log", new BorderPane());
    this.range = range;
    this.search = search;
    group.getItems().setAll(EventText.Group.values());
    group.setValue(EventText.Group.ALL);
    group.setId("log-group");
    group.setAccessibleText("Kinds of events to show");
    count.getStyleClass().addAll("number", "muted");
    count.setMinWidth(Region.USE_PREF_SIZE);
    var ends = new SegmentedButton(source, destination);
    ends.setMinWidth(Region.USE_PREF_SIZE);
    group.setMinWidth(Region.USE_PREF_SIZE);
    var gap = new Region();
    HBox.setHgrow(gap, Priority.ALWAYS);
    var bar = new HBox(8, ends, group, gap, count);
    bar.setAlignment(Pos.CENTER_LEFT);
    bar.getStyleClass().add("view-bar");
    root.setCenter(table);
    root.setTop(bar);
    root.getStyleClass().add("log");

    table.setId("log-table");
    table.setAccessibleText("Events");
    table.getStyleClass().addAll("dense", "log-table");
    table.setColumnResizePolicy(TableView.CONSTRAINED_RESIZE_POLICY_FLEX_LAST_COLUMN);
    table.setPlaceholder(empty);
    empty.getStyleClass().add("empty-text");
    empty.setWrapText(true);
    table.getColumns().add(column("#", 84, true, this::number));
    table
        .getColumns()
        .add(
            column(
                "Time",
                116,
                true,
                (_, event) -> Format.moment(event.nanos() - range.originNanos())));
    table.getColumns().add(column("Event", 136, false, (_, event) -> EventText.kind(event.kind())));
    table
        .getColumns()
        .add(
            column(
                "What happened",
                420,
                false,
                (of, event) -> EventText.summary(event, of.telemetry())));
    table.setRowFactory(_ ->
        new TableRow<>() {
          @Override
          protected void updateItem(Event item, boolean isEmpty) {
            super.updateItem(item, isEmpty);
            pseudoClassStateChanged(FAILED, !isEmpty && item != null && EventText.failed(item));
            pseudoClassStateChanged(
                FOUND,
                !isEmpty && item != null && session != null && search.has(session, item.number()));
          }
        });
    table
        .getSelectionModel()
        .selectedItemProperty()
        .subscribe(event -> {
          if (event != null && session != null && !revealing) {
            selection.select(new Selected.LoggedEvent(session, event));
          }
        });
    selection
        .selectedProperty()
        .subscribe(
            selected -> wanted = selected instanceof Selected.LoggedEvent logged ? logged : null);
    table.heightProperty().subscribe(_ -> moved = true);
    range
        .chosenProperty()
        .subscribe(span -> {
          model.limit(span);
          rows.clear();
          refreshed = 0;
        });
    group.valueProperty().subscribe(this::filter);
    search.queryProperty().subscribe(_ -> filter());
    search.onlyProperty().subscribe(_ -> filter());
    source.setOnAction(_ -> choose(true));
    destination.setOnAction(_ -> choose(false));
    show(null);
  }

  /** The number of an event, with a mark if it was found. */
  private String number(Session of, Event event) {
    return (search.has(of, event.number()) ? "▸ " : "") + Format.count(event.number());
  }

  private TableColumn<Event, String> column(
      String title, double width, boolean number, BiFunction<Session, Event, String> value) {
    var column = new TableColumn<Event, String>(title);
    column.setPrefWidth(width);
    column.setMinWidth(Math.min(width, 136));
    column.setSortable(false);
    column.setReorderable(false);
    column.setCellValueFactory(cell ->
        new ReadOnlyObjectWrapper<>(session == null ? "" : value.apply(session, cell.getValue())));
    if (number) {
      column.setMaxWidth(width + 40);
      column.getStyleClass().add("number-column");
      column.setCellFactory(_ ->
          new TableCell<>() {
            @Override
            protected void updateItem(String item, boolean isEmpty) {
              super.updateItem(item, isEmpty);
              setText(isEmpty ? null : item);
              setAlignment(Pos.CENTER_RIGHT);
            }
          });
    }
    return column;
  }

  @Override
  public void show(@Nullable SessionPair newPair) {
    // The same sessions are shown again when a recording went back in time.
    boolean again = newPair != null && newPair.equals(pair);
    boolean ofSource = again ? source.isSelected() : newPair != null && newPair.source() != null;
    pair = newPair;
    boolean program = newPair != null && !newPair.leading().migrates();
    source.setText(program ? "Program" : "Source");
    destination.setVisible(!program);
    source.setDisable(newPair == null || newPair.source() == null);
    destination.setDisable(newPair == null || newPair.destination() == null);
    choose(newPair == null || ofSource);
  }

  private void choose(boolean ofSource) {
    source.setSelected(pair != null && ofSource);
    destination.setSelected(pair != null && !ofSource);
    session = pair == null ? null : ofSource ? pair.source() : pair.destination();
    model.show(session);
    begin();
    if (session == null) {
      empty.setText("Events of the selected migration appear here. Start or select one.");
    } else if (!session.telemetry().monitored()) {
      empty.setText("This session was started without monitoring, so it keeps no events.");
    } else {
      empty.setText(
          "No event of the %s passes the filter yet."
              .formatted(
                  !session.migrates()
                      ? "program"
                      : session.role() == Role.SOURCE ? "source" : "destination"));
    }
  }

  private void filter() {
    if (!revealing) {
      begin();
    }
  }

  private void begin() {
    model.filter(group.getValue(), session == null ? null : search.only(session));
    rows.clear();
    refreshed = 0;
  }

  /** Shows the row of an event that was selected in another view. */
  private void reveal(Selected.LoggedEvent event) {
    SessionPair of = pair;
    if (of == null || !of.sessions().contains(event.session())) {
      return;
    }
    TimeRange.Span span = range.chosen();
    if (span != null && !span.has(event.event().nanos())) {
      return;
    }
    revealing = true;
    try {
      if (!event.session().equals(session)) {
        choose(event.session().role() == Role.SOURCE);
      }
      int row = rowOf(event.event().number());
      if (row < 0) {
        group.setValue(EventText.Group.ALL);
        if (!search.has(event.session(), event.event().number())) {
          search.onlyProperty().set(false);
        }
        begin();
        model.startAt(event.event().number() - ROWS_BEFORE);
        append(model.pollSome());
        row = rowOf(event.event().number());
      }
      if (row >= 0) {
        table.getSelectionModel().select(row);
        table.scrollTo(Math.max(0, row - 5));
      }
    } finally {
      revealing = false;
    }
  }

  private int rowOf(long number) {
    int low = 0;
    int high = rows.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (rows.get(middle).number() < number) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < rows.size() && rows.get(low).number() == number ? low : -1;
  }

  @Override
  public void pulse(long nowNanos) {
    Selected.LoggedEvent event = wanted;
    if (event != null) {
      wanted = null;
      Event row = table.getSelectionModel().getSelectedItem();
      if (!event.event().equals(row) || !event.session().equals(session)) {
        reveal(event);
      }
    }
    // While time holds, rows must not move while somebody reads them.
    if (nowNanos - refreshed >= REFRESH_NANOS && found != search.count()) {
      found = search.count();
      table.refresh();
    }
    boolean reading =
        range.isFollowing() || range.chosen() != null || rows.isEmpty() || search.filter() != null;
    if (nowNanos - refreshed < REFRESH_NANOS || !reading) {
      return;
    }
    refreshed = nowNanos;
    List<Event> events = model.poll();
    if (!events.isEmpty()) {
      append(events);
      moved = true;
    }
    if (moved && range.isFollowing()) {
      moved = false;
      // A table knows new rows only after its layout. Scrolling to the last row would stop one row
      // short of it; scrolling to the row after it reaches the very end.
      table.layout();
      table.scrollTo(rows.size());
    }
    String shown =
        Format.count(rows.size()) + (range.chosen() == null ? " shown" : " shown of the range");
    count.setText(
        model.missed() == 0
            ? shown
            : shown + ", " + Format.count(model.missed()) + " discarded unread");
  }

  private void append(List<Event> events) {
    int keep = LogModel.ROWS;
    List<Event> newest =
        events.size() > keep ? events.subList(events.size() - keep, events.size()) : events;
    int excess = rows.size() + newest.size() - keep;
    if (excess > 0) {
      // More than needed, so that this happens rarely.
      rows.remove(0, Math.min(rows.size(), excess + keep / 10));
    }
    rows.addAll(newest);
  }
}

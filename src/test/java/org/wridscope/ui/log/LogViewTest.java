// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.wridscope.ui.OnFx.layOut;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.Label;
import javafx.scene.control.MenuItem;
import javafx.scene.control.TableColumn;
import javafx.scene.control.TableView;
import javafx.scene.input.Clipboard;
import javafx.scene.input.ContextMenuEvent;
import javafx.scene.input.KeyCode;
import javafx.scene.input.MouseButton;
import javafx.scene.layout.StackPane;
import javafx.stage.Stage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.Start;
import org.wridscope.Slow;
import org.wridscope.control.FakeSession;
import org.wridscope.control.SessionPair;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.OnFxRobot;
import org.wridscope.ui.Search;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.remembered.Remembered;
import org.wridscope.ui.remembered.StoredJson;
import org.wridscope.verbs.WorkCompletionStatus;

@Slow("views of a window, which draws them in real time")
@ExtendWith(OnFxRobot.class)
final class LogViewTest {
  private static final int EVENTS = 60_000;
  private static final long WRITE_17 = WorkRequestId.of(WorkRequestId.RDMA_WRITE, 0, 17);

  private final FakeSession source =
      new FakeSession("l source", "rdma:127.0.0.1:4444", Role.SOURCE, true);
  private final FakeSession destination =
      new FakeSession("l destination", "rdma:127.0.0.1:4444", Role.DESTINATION, true);
  private final FakeSession program =
      new FakeSession("a program", "pid:1", Role.SOURCE, true) {
        @Override
        public boolean migrates() {
          return false;
        }
      };
  private final Selection selection = new Selection();
  private final TimeRange range = new TimeRange();
  private final Analyses analyses = new Analyses();
  private final Search search = new Search(range, selection, analyses);
  private final StoredJson choices = Remembered.inMemory().choices();
  private final List<String> opened = new ArrayList<>();
  private LogView view;
  private long now = 1;

  @Start
  void start(Stage stage) {
    view = new LogView(range, selection, analyses, search, choices, opened::add);
    stage.setScene(new Scene(new StackPane(view.node()), 900, 400));
    // The window is that of the test before.
    stage.setWidth(900);
    stage.show();
  }

  private void pulse(FxRobot robot) {
    robot.interact(() -> {
      now += 200_000_000;
      search.advance();
      view.pulse(now);
    });
  }

  @SuppressWarnings("unchecked")
  private TableView<LogRow> table() {
    return (TableView<LogRow>) view.node().lookup("#log-table");
  }

  private void show(FxRobot robot) {
    var pair = new SessionPair(source, destination);
    robot.interact(() -> {
      search.show(pair);
      view.show(pair);
    });
    pulse(robot);
  }

  private static void copied(FxRobot robot, String... lines) {
    robot.interact(() ->
        assertThat(Clipboard.getSystemClipboard().getString().strip().split("\n"))
            .containsExactly(lines));
  }

  /** What the context menu of the selected rows offers, which the keyboard has opened. */
  private Map<String, MenuItem> menu(FxRobot robot) {
    ask(robot, table(), true);
    return items(robot);
  }

  /** Asks for a context menu, as a desktop does; the platform of the tests does not. */
  private static void ask(FxRobot robot, Node node, boolean byKeyboard) {
    robot.interact(() ->
        javafx.event.Event.fireEvent(
            node,
            new ContextMenuEvent(
                ContextMenuEvent.CONTEXT_MENU_REQUESTED, 9, 9, 9, 9, byKeyboard, null)));
  }

  /** What the open context menu offers; closes it. */
  private Map<String, MenuItem> items(FxRobot robot) {
    var items = new LinkedHashMap<String, MenuItem>();
    robot.interact(() -> {
      ContextMenu menu = Objects.requireNonNull(table().getContextMenu());
      assertThat(menu.isShowing()).isTrue();
      menu.getItems().stream()
          .filter(item -> item.getText() != null)
          .forEach(item -> items.put(item.getText(), item));
      menu.hide();
    });
    return items;
  }

  private static void fire(Map<String, MenuItem> items, String text) {
    Objects.requireNonNull(items.get(text)).fire();
  }

  private void writeOneFailure() {
    source.telemetry().log().add(0, EventKind.POST_WRITE, 1, 4096, WRITE_17, 0x1000);
    destination.telemetry().log().add(1, EventKind.GUEST_RESUMED, 0, 0, 0, 0);
    int failed = WorkCompletionStatus.REM_ACCESS_ERR.value();
    source.telemetry().log().add(2, EventKind.COMPLETION_SEND_QUEUE, failed, 0, WRITE_17, 0);
  }

  @Test
  void rows_areCopiedAsLinesWithTabs(FxRobot robot) {
    writeOneFailure();
    show(robot);
    robot.interact(() -> {
      table().getSelectionModel().selectRange(0, 2);
      table().requestFocus();
    });
    robot.press(KeyCode.CONTROL, KeyCode.C).release(KeyCode.C, KeyCode.CONTROL);
    copied(
        robot,
        "0\tsource\t+0.000000 s\tpost WRITE\t"
            + "0x"
            + Long.toHexString(WRITE_17)
            + "\tblock 0 chunk 17, 4.00 KiB to"
            + " 0x0000000000001000",
        "0\tdestination\t+0.000000 s\tguest resumed\t\tthe guest runs");
  }

  @Test
  void menu_opensAtTheRowThatIsClicked(FxRobot robot) {
    writeOneFailure();
    show(robot);
    Node cell = robot.from(table()).lookup("guest resumed").query();
    robot.rightClickOn(cell);
    ask(robot, cell, false);
    assertThat(items(robot)).containsKeys("Copy", "Filter for event=guest-resumed");
  }

  @Test
  void menu_filtersForWhatTheRowIsAbout_andOpensOtherViews(FxRobot robot) {
    writeOneFailure();
    show(robot);
    robot.interact(() -> table().getSelectionModel().clearAndSelect(0));
    Map<String, MenuItem> items = menu(robot);
    String wrid = "0x" + Long.toHexString(WRITE_17);
    assertThat(items.keySet())
        .containsExactly(
            "Copy",
            "Copy as filter",
            "Filter for wrid=" + wrid,
            "Filter for chunk=17 block=\"block 0\"",
            "Filter for event=post-write",
            "Show in Wrids",
            "Show in Chunks",
            "Set a marker");
    robot.interact(() -> fire(items, "Filter for wrid=" + wrid));
    pulse(robot);
    pulse(robot);
    assertThat(search.textProperty().get()).isEqualTo("wrid=" + wrid);
    assertThat(table().getItems()).hasSize(2);
    robot.interact(() -> fire(items, "Show in Chunks"));
    assertThat(selection.get()).isEqualTo(new Selected.Chunk(source, 0, 17));
    assertThat(opened).containsExactly("Chunks");
    robot.interact(() -> fire(items, "Copy as filter"));
    copied(robot, "wrid=" + wrid + " event=post-write");
  }

  private List<String> titles() {
    return table().getColumns().stream()
        .filter(TableColumn::isVisible)
        .map(TableColumn::getText)
        .toList();
  }

  @Test
  void columns_areThoseThatWereChosen_inTheNextWindowToo(FxRobot robot) {
    assertThat(titles()).containsExactly("#", "End", "Time", "Event", "wrid", "What happened");
    robot.interact(() -> {
      table().getColumns().stream()
          .filter(column -> column.getText().equals("Event") || column.getText().equals("Chunk"))
          .forEach(column -> column.setVisible(!column.isVisible()));
      // A program has no ends; that is no choice of the user.
      view.show(new SessionPair(program, null));
    });
    assertThat(titles()).containsExactly("#", "Time", "wrid", "Chunk", "What happened");
    robot.interact(
        () -> view = new LogView(range, selection, analyses, search, choices, opened::add));
    List<String> next =
        ((TableView<?>) view.node().getCenter())
            .getColumns().stream()
                .filter(TableColumn::isVisible)
                .map(TableColumn::getText)
                .toList();
    assertThat(next).containsExactly("#", "End", "Time", "wrid", "Chunk", "What happened");
  }

  @Test
  void narrowTable_leavesRoomForWhatHappened(FxRobot robot) {
    for (int width : new int[] {700, 1200, 700}) {
      robot.interact(() -> table().getScene().getWindow().setWidth(width));
      show(robot);
      robot.interact(() -> layOut(table()));
      assertThat(titles().contains("#")).as("in %d pixels", width).isEqualTo(width > 1000);
      assertThat(width("What happened")).as("in %d pixels", width).isGreaterThan(200);
    }
  }

  private double width(String title) {
    return table().getColumns().stream()
        .filter(column -> column.getText().equals(title))
        .mapToDouble(TableColumn::getWidth)
        .sum();
  }

  @Test
  void columns_areWhereTheyWereDragged_andAsWide_inTheNextWindowToo(FxRobot robot) {
    robot.interact(() -> table().getScene().getWindow().setWidth(1200));
    show(robot);
    // As a drag of its title does.
    robot.interact(() -> {
      var dragged = new ArrayList<>(table().getColumns());
      dragged.add(0, dragged.remove(LogColumn.EVENT.ordinal()));
      table().getColumns().setAll(dragged);
    });
    assertThat(table().getColumns()).allMatch(TableColumn::isReorderable);
    assertThat(titles()).containsExactly("Event", "#", "End", "Time", "wrid", "What happened");
    List<String> order = titles();
    double before = width("Time");
    robot.moveTo("#log-column-2").press(MouseButton.PRIMARY);
    robot.interact(() ->
        table().getColumns().stream()
            .filter(column -> column.getText().equals("Time"))
            .forEach(column -> table().resizeColumn(column, 40)));
    robot.release(MouseButton.PRIMARY);
    double wider = width("Time");
    assertThat(wider).isEqualTo(before + 40);

    robot.interact(() -> {
      var scene = (StackPane) table().getScene().getRoot();
      view = new LogView(range, selection, analyses, search, choices, opened::add);
      scene.getChildren().setAll(view.node());
      layOut(scene);
    });
    show(robot);
    assertThat(titles()).isEqualTo(order);
    // A new table gives each column a little of the room that is left.
    assertThat(width("Time")).isCloseTo(wider, within(8.0));
    robot.interact(() -> {
      Runnable _ = LogView.columnsMemory(choices).forget();
    });
    assertThat(titles()).containsExactly("#", "End", "Time", "Event", "wrid", "What happened");
    robot.interact(() -> layOut(table()));
    assertThat(width("Time")).isCloseTo(before, within(8.0));
  }

  @Test
  void keys_goToFailures_andSayWhenTheyBeginAgain(FxRobot robot) {
    writeOneFailure();
    show(robot);
    robot.interact(() -> table().requestFocus());
    robot.type(KeyCode.A);
    assertThat(table().getSelectionModel().getSelectedIndex()).isEqualTo(2);
    robot.type(KeyCode.A);
    Label count = (Label) view.node().lookup("#log-count");
    assertThat(count.getText()).isEqualTo("3 shown, back to the first failure");
    assertThat(selection.get()).isInstanceOf(Selected.LoggedEvent.class);
  }

  private @Nullable Event selectedEvent() {
    return table().getSelectionModel().getSelectedItem().event();
  }

  @Test
  void eventChosenElsewhere_isShownWhateverTheEndAndTheFilter(FxRobot robot) {
    for (int i = 0; i < EVENTS; i++) {
      destination.telemetry().log().add(i, EventKind.POST_RECEIVE, 0, i, 4000, 0);
    }
    var pair = new SessionPair(source, destination);
    robot.interact(() -> {
      search.show(pair);
      view.show(pair);
    });
    pulse(robot);
    robot.interact(() -> {
      search.find("nothing");
      search.onlyProperty().set(true);
    });
    pulse(robot);
    assertThat(table().getItems()).isEmpty();
    Event early = destination.telemetry().log().read(1_234, 1).getFirst();
    robot.interact(() -> {
      range.followProperty().set(false);
      selection.select(new Selected.LoggedEvent(destination, early));
    });
    pulse(robot);
    assertThat(selectedEvent()).isEqualTo(early);
    Event late = destination.telemetry().log().read(EVENTS - 7, 1).getFirst();
    robot.interact(() -> selection.select(new Selected.LoggedEvent(destination, late)));
    pulse(robot);
    assertThat(selectedEvent()).isEqualTo(late);
    assertThat(selection.get()).isEqualTo(new Selected.LoggedEvent(destination, late));
    robot.interact(() -> {
      search.find("chunk=17");
      search.onlyProperty().set(true);
    });
    pulse(robot);
    robot.interact(() -> {
      search.onlyProperty().set(false);
      search.find("");
    });
    pulse(robot);
    assertThat(selection.get())
        .as("other rows are at the place of the one that was selected")
        .isEqualTo(new Selected.LoggedEvent(destination, late));
  }
}

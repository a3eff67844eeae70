// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.window.WindowFixture.await;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javafx.application.Platform;
import javafx.geometry.Bounds;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.control.Button;
import javafx.scene.control.ButtonType;
import javafx.scene.control.ComboBox;
import javafx.scene.control.ContentDisplay;
import javafx.scene.control.DialogPane;
import javafx.scene.control.Label;
import javafx.scene.control.Labeled;
import javafx.scene.control.ListView;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.scene.control.TabPane;
import javafx.scene.control.TableView;
import javafx.scene.control.TextField;
import javafx.scene.control.ToggleButton;
import javafx.scene.input.KeyCode;
import javafx.scene.layout.Pane;
import javafx.scene.text.Text;
import javafx.stage.Screen;
import javafx.stage.Stage;
import javafx.stage.Window;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testfx.api.FxRobot;
import org.testfx.api.FxToolkit;
import org.testfx.framework.junit5.ApplicationExtension;
import org.testfx.framework.junit5.Start;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.FakeSession;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.LabSettings;
import org.wridscope.control.SourceSettings;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.sessions.Migration;

@ExtendWith(ApplicationExtension.class)
final class MainWindowTest {
  private final WindowFixture fixture = new WindowFixture();
  private final FakeSessionManager manager = fixture.manager;
  private final AtomicInteger closed = fixture.closed;
  private final MemoryPreferences store = new MemoryPreferences();
  private Stage stage;
  private @Nullable MainWindow window;

  @Start
  void start(Stage primary) {
    stage = primary;
    store.put("theme", "dark");
    window = fixture.show(stage, 990, 700, store);
  }

  @AfterEach
  void stop() {
    fixture.close(window);
  }

  private static boolean shown(FxRobot robot, String id) {
    return robot.lookup(id).tryQuery().map(MainWindowTest::isShown).orElse(false);
  }

  private static boolean isShown(Node node) {
    for (Node at = node; at != null; at = at.getParent()) {
      if (!at.isVisible()) {
        return false;
      }
    }
    return node.getScene() != null;
  }

  private static String text(FxRobot robot, String id) {
    return robot.lookup(id).queryAs(Labeled.class).getText();
  }

  @SuppressWarnings("unchecked")
  private static ListView<Migration> list(FxRobot robot) {
    return robot.lookup("#sessions").queryAs(ListView.class);
  }

  private FakeSession startLab(FxRobot robot) {
    robot.clickOn("#start");
    await("the lab to be shown", () -> shown(robot, "#cancel"));
    return (FakeSession) manager.sessions().getFirst();
  }

  @Test
  void firstMigration_isReadyAndNothingRunsUntilItIsStarted(FxRobot robot) {
    assertThat(manager.sessions()).isEmpty();
    assertThat(list(robot).getItems()).hasSize(1);
    assertThat(list(robot).getItems().getFirst().name()).isEqualTo("First migration");
    startLab(robot);
    assertThat(manager.started()).hasSize(1).first().isInstanceOf(LabSettings.class);
    assertThat(list(robot).getItems()).hasSize(1);
    assertThat(list(robot).getItems().getFirst().name()).isEqualTo("lab 1");
  }

  @Test
  void sessions_startedElsewhere_appearAndTellHowTheyEnded(FxRobot robot) {
    FakeSession session = manager.add("vm7", "rdma:10.9.0.1:4444", Role.SOURCE);
    await("the session in the list", () -> list(robot).getItems().size() == 2);
    robot.interact(() -> list(robot).getSelectionModel().select(1));
    session.telemetry().setStatus(MigrationStatus.ACTIVE);
    await("its state", () -> text(robot, "#status").equals("migrating"));
    session.end(MigrationStatus.FAILED, "Connection refused: start the destination first.");
    await("its end", () -> text(robot, "#message").startsWith("Connection refused"));
    assertThat(shown(robot, "#cancel")).isFalse();
    robot.interact(() -> list(robot).requestFocus());
    robot.press(KeyCode.DELETE).release(KeyCode.DELETE);
    await("the session to be removed", () -> list(robot).getItems().size() == 1);
    robot.clickOn("#banner-close");
    await("the session to be closed", session::closed);
  }

  @Test
  void zoom_ofAMigration_doesNotCarryOverToTheNext(FxRobot robot) {
    startLab(robot);
    robot.press(KeyCode.SHORTCUT, KeyCode.EQUALS).release(KeyCode.EQUALS, KeyCode.SHORTCUT);
    assertThat(text(robot, "#span")).isNotEqualTo("Whole migration");
    manager.add("vm7", "rdma:10.9.0.1:4444", Role.SOURCE);
    await("the other migration", () -> list(robot).getItems().size() == 2);
    robot.interact(() -> list(robot).getSelectionModel().select(1));
    assertThat(text(robot, "#span")).isEqualTo("Whole migration");
  }

  @Test
  void cancel_running_reachesTheSource(FxRobot robot) {
    FakeSession source = startLab(robot);
    robot.clickOn("#cancel");
    await("the cancel", source::cancelled);
  }

  @Test
  void limits_typed_reachTheSessionAndShowWhatIsInForce(FxRobot robot) {
    FakeSession source = startLab(robot);
    ComboBox<?> bandwidth = robot.lookup("#bandwidth-limit").queryAs(ComboBox.class);
    await("the limit in force", () -> bandwidth.getEditor().getText().equals("128MiB/s"));
    type(robot, bandwidth, "64MiB/s");
    assertThat(source.telemetry().metrics().get(Metric.BANDWIDTH_LIMIT)).isEqualTo(64 << 20);
    type(robot, bandwidth, "none");
    assertThat(source.telemetry().metrics().get(Metric.BANDWIDTH_LIMIT)).isZero();
    type(robot, robot.lookup("#downtime-limit").queryAs(ComboBox.class), "1.5s");
    assertThat(source.telemetry().metrics().get(Metric.DOWNTIME_LIMIT)).isEqualTo(1_500_000_000);
  }

  @Test
  void limits_nonsense_isToldAndNotApplied(FxRobot robot) {
    FakeSession source = startLab(robot);
    type(robot, robot.lookup("#downtime-limit").queryAs(ComboBox.class), "soon");
    assertThat(text(robot, "#message")).contains("\"soon\" is not a length of time");
    assertThat(source.telemetry().metrics().get(Metric.DOWNTIME_LIMIT)).isEqualTo(300_000_000);
  }

  private static void type(FxRobot robot, ComboBox<?> box, String text) {
    robot.interact(() -> {
      box.getEditor().requestFocus();
      box.getEditor().setText(text);
    });
    robot.clickOn(box.getEditor()).press(KeyCode.ENTER).release(KeyCode.ENTER);
    WaitForAsyncUtils.waitForFxEvents();
  }

  @Test
  void tabs_byKeyboard_areSwitched(FxRobot robot) {
    startLab(robot);
    TabPane tabs = robot.lookup("#views").queryAs(TabPane.class);
    assertThat(tabs.getTabs()).extracting(tab -> tab.getText()).first().isEqualTo("Overview");
    assertThat(tabs.getTabs()).extracting(tab -> tab.getText()).last().isEqualTo("Log");
    for (int i = tabs.getTabs().size(); i >= 1; i--) {
      KeyCode digit = KeyCode.getKeyCode(Integer.toString(i));
      robot.press(KeyCode.CONTROL, digit).release(digit, KeyCode.CONTROL);
      assertThat(tabs.getSelectionModel().getSelectedIndex()).isEqualTo(i - 1);
    }
  }

  private void resize(FxRobot robot, double width, double height) {
    robot.interact(() -> {
      stage.setWidth(width);
      stage.setHeight(height);
    });
    await("the size", () -> stage.getScene().getWidth() == width);
    robot.interact(() -> stage.getScene().getRoot().layout());
  }

  private static void assertInside(Node node, Node room) {
    Bounds bounds = node.localToScene(node.getLayoutBounds());
    Bounds of = room.localToScene(room.getLayoutBounds());
    assertThat(bounds.getMinX()).as(node.toString()).isGreaterThanOrEqualTo(of.getMinX());
    assertThat(bounds.getMaxX()).as(node.toString()).isLessThanOrEqualTo(of.getMaxX() + 0.5);
  }

  private static List<Labeled> tabLabels(FxRobot robot) {
    Node pane = robot.lookup("#views").query();
    assertThat(pane.lookup(".control-buttons-tab").isVisible()).as("a menu of tabs").isFalse();
    List<Labeled> labels = new ArrayList<>();
    for (Node tab : pane.lookupAll(".tab")) {
      assertInside(tab, pane);
      labels.add((Labeled) tab.lookup(".tab-label"));
    }
    assertThat(labels).hasSize(9);
    return labels;
  }

  @Test
  void tabs_atEverySize_areAllInSight_withTheirTitlesWhereThereIsRoom(FxRobot robot) {
    startLab(robot);
    resize(robot, 1280, 720);
    assertThat(shown(robot, "#inspector")).isTrue();
    assertThat(tabLabels(robot))
        .allMatch(label -> label.getContentDisplay() == ContentDisplay.TEXT_ONLY);
    resize(robot, 900, 600);
    assertThat(shown(robot, "#inspector")).isFalse();
    assertThat(tabLabels(robot))
        .allMatch(label -> label.getContentDisplay() == ContentDisplay.TEXT_ONLY);
    robot.press(KeyCode.CONTROL, KeyCode.I).release(KeyCode.I, KeyCode.CONTROL);
    assertThat(tabLabels(robot))
        .filteredOn(label -> label.getContentDisplay() == ContentDisplay.GRAPHIC_ONLY)
        .hasSize(8)
        .allMatch(label -> label.getGraphic() != null);
  }

  @Test
  void window_narrow_cutsNothingOff(FxRobot robot) {
    startLab(robot);
    resize(robot, 900, 600);
    robot.press(KeyCode.CONTROL, KeyCode.I).release(KeyCode.I, KeyCode.CONTROL);
    Node root = stage.getScene().getRoot();
    for (double width : new double[] {900, 800}) {
      resize(robot, width, 600);
      robot.lookup(".main-toolbar > *").queryAll().forEach(node -> assertInside(node, root));
      assertInside(robot.lookup("#inspector").query(), root);
      for (String id : List.of("#status", "#cancel", "#bandwidth-limit", "#downtime-limit")) {
        assertInside(robot.lookup(id).query(), robot.lookup("#steering").query());
      }
      assertThat(list(robot).getWidth()).isGreaterThanOrEqualTo(160);
    }
  }

  @Test
  void inspector_hiddenByTheUser_staysHiddenWhenTheWindowGrows(FxRobot robot) {
    resize(robot, 1280, 720);
    assertThat(shown(robot, "#inspector")).isTrue();
    robot.press(KeyCode.CONTROL, KeyCode.I).release(KeyCode.I, KeyCode.CONTROL);
    resize(robot, 900, 600);
    resize(robot, 1280, 720);
    assertThat(shown(robot, "#inspector")).isFalse();
  }

  @Test
  void tabs_nextAndBefore_goRound(FxRobot robot) {
    startLab(robot);
    TabPane tabs = robot.lookup("#views").queryAs(TabPane.class);
    robot.press(KeyCode.CONTROL, KeyCode.PAGE_UP).release(KeyCode.PAGE_UP, KeyCode.CONTROL);
    assertThat(tabs.getSelectionModel().getSelectedItem().getText()).isEqualTo("Log");
    robot.press(KeyCode.CONTROL, KeyCode.PAGE_DOWN).release(KeyCode.PAGE_DOWN, KeyCode.CONTROL);
    assertThat(tabs.getSelectionModel().getSelectedItem().getText()).isEqualTo("Overview");
  }

  @Test
  void listEntry_longOutcome_isTwoLines_andWholeInItsTooltip(FxRobot robot) {
    String sentence = "The destination waited for what never came. ".repeat(8).strip();
    FakeSession session = manager.add("vm7", "rdma:10.9.0.1:4444", Role.SOURCE);
    session.end(MigrationStatus.FAILED, sentence);
    await("the outcome", () -> !robot.lookup(".session-outcome").queryAll().isEmpty());
    await(
        "its text",
        () ->
            robot.lookup(".session-outcome").queryAllAs(Label.class).stream()
                .anyMatch(label -> label.getText().equals(sentence)));
    Label outcome =
        robot.lookup(".session-outcome").queryAllAs(Label.class).stream()
            .filter(label -> label.getText().equals(sentence))
            .findFirst()
            .get();
    robot.interact(() -> list(robot).layout());
    double line = new Text("X").getLayoutBounds().getHeight();
    assertThat(outcome.getHeight()).isBetween(line, 2.5 * line);
    assertThat(outcome.getTooltip().getText()).isEqualTo(sentence);
  }

  @Test
  void dialog_lowerThanItsFields_scrollsThem_andKeepsItsButtons(FxRobot robot) {
    robot.clickOn("#new-source");
    Node accept = robot.lookup("#dialog-accept").query();
    Window dialog = accept.getScene().getWindow();
    assertThat(dialog.getHeight())
        .isLessThanOrEqualTo(Screen.getPrimary().getVisualBounds().getHeight());
    robot.interact(() -> dialog.setHeight(360));
    await("the height", () -> accept.getScene().getHeight() <= 360);
    robot.interact(() -> accept.getScene().getRoot().layout());
    assertThat(accept.localToScene(accept.getLayoutBounds()).getMaxY()).isLessThanOrEqualTo(360);
    assertThat(
            accept.getScene().getRoot().lookupAll(".scroll-bar").stream()
                .anyMatch(MainWindowTest::isShown))
        .isTrue();
  }

  @Test
  void window_closed_isForgotten(FxRobot robot) throws TimeoutException {
    startLab(robot);
    robot.press(KeyCode.F1).release(KeyCode.F1).press(KeyCode.ESCAPE).release(KeyCode.ESCAPE);
    var forgotten = new WeakReference<>(window);
    Platform.runLater(Objects.requireNonNull(window)::closeNow);
    window = null;
    await("the end", () -> closed.get() == 1);
    robot.interact(() -> stage.setScene(new Scene(new Pane())));
    // TestFX keeps the events of a stage until it is registered anew, and they know their targets.
    FxToolkit.registerPrimaryStage();
    await(
        "the window to be collected",
        () -> {
          System.gc();
          return forgotten.get() == null;
        });
  }

  @Test
  void comparison_closed_isForgotten(FxRobot robot) {
    robot.interact(() ->
        robot.lookup("#recordings").queryAs(MenuButton.class).getItems().stream()
            .filter(item -> "compare".equals(item.getId()))
            .forEach(MenuItem::fire));
    var forgotten =
        new WeakReference<>(robot.lookup("#compare-position").query().getScene().getRoot());
    robot.interact(() -> robot.lookup("#compare-position").query().getScene().getWindow().hide());
    await(
        "the comparison to be collected",
        () -> {
          System.gc();
          return forgotten.get() == null;
        });
  }

  @Test
  void theme_toggled_changesColoursAndIsRemembered(FxRobot robot) {
    assertThat(stage.getScene().getRoot().getStyle()).contains("-wrid-ground:#0d1117");
    robot.press(KeyCode.CONTROL, KeyCode.T).release(KeyCode.T, KeyCode.CONTROL);
    assertThat(stage.getScene().getRoot().getStyle()).contains("-wrid-ground:#ffffff");
    await("it to be remembered", () -> store.get("theme", "").equals("light"));
    robot.press(KeyCode.CONTROL, KeyCode.T).release(KeyCode.T, KeyCode.CONTROL);
    await("it to be remembered", () -> store.get("theme", "").equals("dark"));
  }

  @Test
  void clock_followAndHold_oneIsAlwaysOn(FxRobot robot) {
    ToggleButton follow = robot.lookup("#follow").queryAs(ToggleButton.class);
    ToggleButton hold = robot.lookup("#hold").queryAs(ToggleButton.class);
    assertThat(follow.isSelected()).isTrue();
    robot.clickOn(hold);
    assertThat(hold.isSelected()).isTrue();
    assertThat(follow.isSelected()).isFalse();
    robot.clickOn(hold);
    assertThat(hold.isSelected()).isTrue();
    robot.press(KeyCode.CONTROL, KeyCode.H).release(KeyCode.H, KeyCode.CONTROL);
    assertThat(follow.isSelected()).isTrue();
  }

  @Test
  void span_zoomedToAnyStretch_isShown(FxRobot robot) {
    startLab(robot);
    for (KeyCode key : List.of(KeyCode.EQUALS, KeyCode.EQUALS, KeyCode.MINUS)) {
      robot.press(KeyCode.CONTROL, key).release(key, KeyCode.CONTROL);
      WaitForAsyncUtils.waitForFxEvents();
      assertThat(text(robot, "#span")).isNotBlank().isNotEqualTo("Whole migration");
    }
    robot.press(KeyCode.CONTROL, KeyCode.DIGIT0).release(KeyCode.DIGIT0, KeyCode.CONTROL);
    WaitForAsyncUtils.waitForFxEvents();
    assertThat(text(robot, "#span")).isEqualTo("Whole migration");
    MenuButton span = robot.lookup("#span").queryAs(MenuButton.class);
    robot.interact(() -> span.getItems().get(2).fire());
    assertThat(span.getText()).isEqualTo(span.getItems().get(2).getText()).isEqualTo("1.0 s");
  }

  @Test
  @SuppressWarnings("unchecked")
  void log_eventSelected_isDescribedInTheInspectorUntilEscape(FxRobot robot) {
    FakeSession source = startLab(robot);
    source.telemetry().event(EventKind.ROUND_BEGIN, 3, 0, 0, 1 << 20);
    robot.press(KeyCode.CONTROL, KeyCode.F).release(KeyCode.F, KeyCode.CONTROL);
    TableView<Event> table = robot.lookup("#log-table").queryAs(TableView.class);
    await(
        "the event",
        () -> table.getItems().stream().anyMatch(e -> e.kind() == EventKind.ROUND_BEGIN));
    robot.press(KeyCode.CONTROL, KeyCode.I).release(KeyCode.I, KeyCode.CONTROL);
    robot.interact(() ->
        table
            .getItems()
            .forEach(event -> {
              if (event.kind() == EventKind.ROUND_BEGIN) {
                table.getSelectionModel().select(event);
              }
            }));
    assertThat(text(robot, "#inspector-title")).isEqualTo("round begins");
    robot.press(KeyCode.ESCAPE).release(KeyCode.ESCAPE);
    await("nothing to be selected", () -> text(robot, "#inspector-title").equals("Migration"));
  }

  @Test
  void log_filterTyped_leavesOutTheRest(FxRobot robot) {
    FakeSession source = startLab(robot);
    source.telemetry().event(EventKind.GUEST_PAUSED, 0, 0, 0, 0);
    source.telemetry().event(EventKind.ROUND_BEGIN, 3, 0, 0, 1 << 20);
    robot.press(KeyCode.CONTROL, KeyCode.F).release(KeyCode.F, KeyCode.CONTROL);
    TableView<?> table = robot.lookup("#log-table").queryAs(TableView.class);
    await("both events", () -> table.getItems().size() == 2);
    robot.interact(
        () -> robot.lookup("#log-filter").queryAs(TextField.class).setText("stands still"));
    await("one event", () -> table.getItems().size() == 1);
  }

  @Test
  void source_dialogWithNonsense_saysSoBelowTheFieldAndStartsNothing(FxRobot robot) {
    robot.clickOn("#new-source");
    robot.interact(() -> robot.lookup("#field-uri").queryAs(TextField.class).setText("localhost"));
    robot.clickOn("#dialog-accept");
    assertThat(
            robot
                .lookup(".field-error")
                .match(MainWindowTest::isShown)
                .queryAs(Label.class)
                .getText())
        .contains("rdma:HOST:PORT");
    assertThat(manager.started()).isEmpty();
    robot.interact(
        () -> robot.lookup("#field-uri").queryAs(TextField.class).setText("rdma:10.9.0.1:4444"));
    robot.clickOn("#dialog-accept");
    await("the source", () -> manager.started().size() == 1);
    assertThat(manager.started().getFirst())
        .isInstanceOfSatisfying(
            SourceSettings.class, s -> assertThat(s.uri()).isEqualTo("rdma:10.9.0.1:4444"));
    await("the source to be selected", () -> shown(robot, "#cancel"));
  }

  @Test
  void destination_imageChosen_asksForFilesAndCancelStartsNothing(FxRobot robot) {
    robot.clickOn("#new-destination");
    assertThat(isShown(robot.lookup("#field-out").query())).isFalse();
    robot.clickOn("#dialog-image");
    assertThat(isShown(robot.lookup("#field-out").query())).isTrue();
    assertThat(isShown(robot.lookup("#field-seed").query())).isFalse();
    assertThat(robot.lookup("#dialog-cancel").queryAs(Button.class).isCancelButton()).isTrue();
    robot.clickOn("#dialog-cancel");
    await("the dialog to close", () -> robot.lookup("#dialog-accept").tryQuery().isEmpty());
    assertThat(manager.started()).isEmpty();
    robot.clickOn("#new-destination").clickOn("#dialog-accept");
    await("the destination", () -> manager.started().size() == 1);
    assertThat(manager.started().getFirst()).isInstanceOf(DestinationSettings.class);
  }

  @Test
  void lab_settingsChanged_areThoseItIsStartedWith(FxRobot robot) {
    robot.clickOn("#change");
    robot.interact(() -> robot.lookup("#field-ram").queryAs(TextField.class).setText("64MiB"));
    robot.clickOn("#dialog-accept");
    await("the lab", () -> shown(robot, "#cancel"));
    assertThat(manager.started())
        .singleElement()
        .isInstanceOfSatisfying(
            LabSettings.class,
            s ->
                assertThat(s.guest())
                    .isInstanceOfSatisfying(
                        GuestSettings.Synthetic.class,
                        guest -> assertThat(guest.ramBytes()).isEqualTo(64 << 20)));
    assertThat(list(robot).getItems()).hasSize(1);
  }

  @Test
  void lab_ended_canBeRepeated(FxRobot robot) {
    startLab(robot);
    manager
        .sessions()
        .forEach(s -> ((FakeSession) s).end(MigrationStatus.COMPLETED, "The guest runs there."));
    await("the end", () -> shown(robot, "#repeat"));
    robot.clickOn("#repeat");
    await("another lab", () -> list(robot).getItems().size() == 2);
    assertThat(manager.started().get(1)).isEqualTo(manager.started().get(0));
  }

  @Test
  void start_refused_isToldInTheWindow(FxRobot robot) {
    manager.refuse("rdma:127.0.0.1:4444: the port is in use; choose another.");
    robot.clickOn("#start");
    await("the message", () -> shown(robot, "#banner"));
    assertThat(text(robot, "#banner")).contains("the port is in use");
  }

  @Test
  void close_nothingRunning_closesAtOnce(FxRobot robot) {
    robot.press(KeyCode.CONTROL, KeyCode.Q).release(KeyCode.Q, KeyCode.CONTROL);
    await("the end", () -> closed.get() == 1);
    assertThat(manager.closed()).isTrue();
    assertThat(stage.isShowing()).isFalse();
  }

  @Test
  void close_running_asksFirst(FxRobot robot) {
    startLab(robot);
    robot.press(KeyCode.CONTROL, KeyCode.Q).release(KeyCode.Q, KeyCode.CONTROL);
    answer(robot, "Keep running");
    assertThat(stage.isShowing()).isTrue();
    assertThat(closed).hasValue(0);
    robot.press(KeyCode.CONTROL, KeyCode.Q).release(KeyCode.Q, KeyCode.CONTROL);
    answer(robot, "Stop migration and quit");
    await("the end", () -> closed.get() == 1);
    assertThat(manager.sessions()).allMatch(session -> ((FakeSession) session).closed());
  }

  private static void answer(FxRobot robot, String choice) {
    Button button = button(robot, choice);
    Platform.runLater(button::fire);
    WaitForAsyncUtils.waitForFxEvents();
  }

  private static Button button(FxRobot robot, String choice) {
    DialogPane pane = robot.lookup(".dialog-pane").queryAs(DialogPane.class);
    ButtonType type =
        pane.getButtonTypes().stream().filter(t -> t.getText().equals(choice)).findFirst().get();
    return (Button) pane.lookupButton(type);
  }

  private static String question(FxRobot robot) {
    return robot.lookup(".dialog-pane").queryAs(DialogPane.class).getContentText();
  }

  @Test
  void close_questionAnsweredWithEnter_keepsRunning(FxRobot robot) {
    startLab(robot);
    robot.press(KeyCode.CONTROL, KeyCode.Q).release(KeyCode.Q, KeyCode.CONTROL);
    assertThat(button(robot, "Keep running").isDefaultButton()).isTrue();
    assertThat(button(robot, "Stop migration and quit").isDefaultButton()).isFalse();
    robot.press(KeyCode.ENTER).release(KeyCode.ENTER);
    await("the question to go", () -> robot.lookup(".dialog-pane").tryQuery().isEmpty());
    assertThat(stage.isShowing()).isTrue();
    assertThat(manager.sessions()).noneMatch(session -> ((FakeSession) session).closed());
  }

  @Test
  void close_whileRamIsMadeReady_asks_andGivesItUp(FxRobot robot) {
    manager.holdStarts(new CountDownLatch(1));
    robot.clickOn("#start");
    await("something to be under way", () -> shown(robot, "#busy-cancel"));
    robot.press(KeyCode.CONTROL, KeyCode.Q).release(KeyCode.Q, KeyCode.CONTROL);
    assertThat(question(robot)).contains("ready for the guest").contains("given up");
    answer(robot, "Stop migration and quit");
    await("the end", () -> closed.get() == 1);
    assertThat(manager.started()).isEmpty();
    assertThat(manager.closed()).isTrue();
  }

  @Test
  void start_cancelledWhileRamIsMadeReady_startsNothing(FxRobot robot) {
    manager.holdStarts(new CountDownLatch(1));
    robot.clickOn("#start");
    await("something to be under way", () -> shown(robot, "#busy-cancel"));
    robot.clickOn("#busy-cancel");
    await("the end of it", () -> !shown(robot, "#busy-cancel"));
    assertThat(text(robot, "#banner")).isEqualTo("Cancelled; nothing was started.");
    assertThat(manager.started()).isEmpty();
    manager.holdStarts(new CountDownLatch(0));
    startLab(robot);
  }

  @Test
  void close_pastThePointOfNoReturn_saysSo_andTheWindowStaysUntilTheGuestIsSafe(FxRobot robot) {
    FakeSession session = manager.add("vm7", "rdma:10.9.0.1:4444", Role.DESTINATION);
    session.telemetry().setStatus(MigrationStatus.DEVICE);
    session.telemetry().setWaitingFor("the guest to be on the disk");
    session.setMustFinish(true);
    await("it to be listed", () -> list(robot).getItems().size() == 2);
    robot.press(KeyCode.CONTROL, KeyCode.Q).release(KeyCode.Q, KeyCode.CONTROL);
    assertThat(question(robot)).contains("vm7 cannot be stopped any more");
    answer(robot, "Stop migration and quit");
    await("what is waited for", () -> shown(robot, "#closing"));
    assertThat(text(robot, "#closing"))
        .contains("vm7", "given the guest up", "Waiting for the guest to be on the disk.");
    assertThat(stage.isShowing()).isTrue();
    assertThat(closed).hasValue(0);
    session.setMustFinish(false);
    await("the end", () -> closed.get() == 1);
    assertThat(stage.isShowing()).isFalse();
  }

  @Test
  void help_f1_listsTheShortcuts(FxRobot robot) {
    robot.press(KeyCode.F1).release(KeyCode.F1);
    assertThat(robot.lookup(".keys").queryAll()).hasSizeGreaterThan(15);
    robot.press(KeyCode.ESCAPE).release(KeyCode.ESCAPE);
    await("the page to close", () -> robot.lookup(".keys").tryQuery().isEmpty());
  }
}

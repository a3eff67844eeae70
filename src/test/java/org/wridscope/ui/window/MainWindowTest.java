// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.inParent;
import static org.wridscope.ui.OnFx.inScene;
import static org.wridscope.ui.OnFx.layOut;
import static org.wridscope.ui.window.WindowFixture.await;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
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
import javafx.scene.control.MenuButton;
import javafx.scene.control.TabPane;
import javafx.scene.control.TableView;
import javafx.scene.control.TextField;
import javafx.scene.control.ToggleButton;
import javafx.scene.input.KeyCode;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Pane;
import javafx.scene.text.Text;
import javafx.stage.Screen;
import javafx.stage.Window;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.testfx.api.FxRobot;
import org.testfx.api.FxToolkit;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.Slow;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.FakeSession;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.LabSettings;
import org.wridscope.control.RamProgress;
import org.wridscope.control.SourceSettings;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Wait;
import org.wridscope.ui.log.LogRow;
import org.wridscope.ui.remembered.Remembered;

@Slow("it opens the window, which draws in real time")
final class MainWindowTest {
  private static final int MOST_COLLECTIONS = 20;

  private final Remembered remembered = Memories.withTheme("dark");

  @RegisterExtension final WindowFixture window = new WindowFixture(990, 700, remembered);
  private final FakeSessionManager manager = window.manager;

  @Test
  void firstMigration_isReadyAndNothingRunsUntilItIsStarted() {
    assertThat(manager.sessions()).isEmpty();
    assertThat(window.list().getItems()).hasSize(1);
    assertThat(window.list().getItems().getFirst().name()).isEqualTo("First migration");
    window.startLab();
    assertThat(manager.started()).hasSize(1).first().isInstanceOf(LabSettings.class);
    assertThat(window.list().getItems()).hasSize(1);
    assertThat(window.list().getItems().getFirst().name()).isEqualTo("lab 1");
  }

  @Test
  void sessions_startedElsewhere_appearAndTellHowTheyEnded(FxRobot robot) {
    FakeSession session = manager.add("vm7", "rdma:10.9.0.1:4444", Role.SOURCE);
    await("the session in the list", () -> window.list().getItems().size() == 2);
    robot.interact(() -> window.list().getSelectionModel().clearAndSelect(1));
    session.telemetry().setStatus(MigrationStatus.ACTIVE);
    await("its state", () -> window.text("#status").equals("migrating"));
    session.end(MigrationStatus.FAILED, "Connection refused: start the destination first.");
    await("its end", () -> window.text("#message").startsWith("Connection refused"));
    assertThat(window.isShown("#cancel")).isFalse();
    robot.interact(() -> window.list().requestFocus());
    window.press(KeyCode.DELETE);
    await("the session to be removed", () -> window.list().getItems().size() == 1);
    robot.clickOn("#banner-close");
    await("the session to be closed", session::closed);
  }

  @Test
  void zoom_ofAMigration_doesNotCarryOverToTheNext(FxRobot robot) {
    window.startLab();
    window.press(KeyCode.SHORTCUT, KeyCode.EQUALS);
    assertThat(window.text("#span")).isNotEqualTo("Whole time");
    manager.add("vm7", "rdma:10.9.0.1:4444", Role.SOURCE);
    await("the other migration", () -> window.list().getItems().size() == 2);
    robot.interact(() -> window.list().getSelectionModel().clearAndSelect(1));
    assertThat(window.text("#span")).isEqualTo("Whole time");
  }

  @Test
  void cancel_running_reachesTheSource(FxRobot robot) {
    FakeSession source = window.startLab();
    robot.clickOn("#cancel");
    await("the cancel", source::cancelled);
  }

  @Test
  void limits_typed_reachTheSessionAndShowWhatIsInForce(FxRobot robot) {
    FakeSession source = window.startLab();
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
    FakeSession source = window.startLab();
    type(robot, robot.lookup("#downtime-limit").queryAs(ComboBox.class), "soon");
    assertThat(window.text("#message")).contains("\"soon\" is not a length of time");
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
    window.startLab();
    TabPane tabs = robot.lookup("#views").queryAs(TabPane.class);
    assertThat(tabs.getTabs()).extracting(tab -> tab.getText()).first().isEqualTo("Overview");
    assertThat(tabs.getTabs()).extracting(tab -> tab.getText()).last().isEqualTo("Log");
    for (int i = tabs.getTabs().size(); i >= 1; i--) {
      KeyCode digit = KeyCode.getKeyCode(Integer.toString(i));
      window.press(KeyCode.CONTROL, digit);
      assertThat(tabs.getSelectionModel().getSelectedIndex()).isEqualTo(i - 1);
    }
  }

  private void resize(FxRobot robot, double width, double height) {
    robot.interact(() -> {
      window.stage().setWidth(width);
      window.stage().setHeight(height);
    });
    await("the size", () -> window.stage().getScene().getWidth() == width);
    robot.interact(() -> layOut(window.stage().getScene().getRoot()));
  }

  private static void assertInside(Node node, Node room) {
    Bounds bounds = inScene(node);
    Bounds of = inScene(room);
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
    window.startLab();
    resize(robot, 1280, 720);
    assertThat(window.isShown("#inspector")).isTrue();
    assertThat(tabLabels(robot))
        .allMatch(label -> label.getContentDisplay() == ContentDisplay.TEXT_ONLY);
    resize(robot, 900, 600);
    assertThat(window.isShown("#inspector")).isFalse();
    assertThat(tabLabels(robot))
        .allMatch(label -> label.getContentDisplay() == ContentDisplay.TEXT_ONLY);
    window.press(KeyCode.CONTROL, KeyCode.I);
    assertThat(tabLabels(robot))
        .filteredOn(label -> label.getContentDisplay() == ContentDisplay.GRAPHIC_ONLY)
        .hasSize(8)
        .allMatch(label -> label.getGraphic() != null);
  }

  @Test
  void window_narrow_cutsNothingOff(FxRobot robot) {
    window.startLab();
    resize(robot, 900, 600);
    window.press(KeyCode.CONTROL, KeyCode.I);
    Node root = window.stage().getScene().getRoot();
    for (double width : new double[] {900, 800}) {
      resize(robot, width, 600);
      robot.lookup(".main-toolbar > *").queryAll().forEach(node -> assertInside(node, root));
      assertInside(robot.lookup("#inspector").query(), root);
      for (String id : List.of("#status", "#cancel", "#bandwidth-limit", "#downtime-limit")) {
        assertInside(robot.lookup(id).query(), robot.lookup("#steering").query());
      }
      assertThat(window.list().getWidth()).isGreaterThanOrEqualTo(160);
    }
  }

  @Test
  void inspector_hiddenByTheUser_staysHiddenWhenTheWindowGrows(FxRobot robot) {
    resize(robot, 1280, 720);
    assertThat(window.isShown("#inspector")).isTrue();
    window.press(KeyCode.CONTROL, KeyCode.I);
    resize(robot, 900, 600);
    resize(robot, 1280, 720);
    assertThat(window.isShown("#inspector")).isFalse();
  }

  @Test
  void tabs_nextAndBefore_goRound(FxRobot robot) {
    window.startLab();
    TabPane tabs = robot.lookup("#views").queryAs(TabPane.class);
    window.press(KeyCode.CONTROL, KeyCode.PAGE_UP);
    assertThat(tabs.getSelectionModel().getSelectedItem().getText()).isEqualTo("Log");
    window.press(KeyCode.CONTROL, KeyCode.PAGE_DOWN);
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
    robot.interact(() -> layOut(window.list()));
    double line = inParent(new Text("X")).getHeight();
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
    robot.interact(() -> layOut(accept.getScene().getRoot()));
    assertThat(inScene(accept).getMaxY()).isLessThanOrEqualTo(360);
    assertThat(
            accept.getScene().getRoot().lookupAll(".scroll-bar").stream()
                .anyMatch(WindowFixture::isShown))
        .isTrue();
  }

  @Test
  void window_closed_isForgotten(FxRobot robot) throws TimeoutException {
    window.startLab();
    robot.press(KeyCode.F1).release(KeyCode.F1).press(KeyCode.ESCAPE).release(KeyCode.ESCAPE);
    var forgotten = new WeakReference<>(window.main());
    Platform.runLater(window.main()::closeNow);
    window.forget();
    await("the end", () -> window.closed.get() == 1);
    robot.interact(() -> window.stage().setScene(new Scene(new Pane())));
    // TestFX keeps the events of a stage, which refer to its nodes, until the next registration.
    FxToolkit.registerPrimaryStage();
    awaitCollected("the window", forgotten);
  }

  @Test
  void comparison_closed_isForgotten(FxRobot robot) {
    window.choose("#recordings", "compare");
    var forgotten =
        new WeakReference<>(robot.lookup("#compare-position").query().getScene().getRoot());
    robot.interact(() -> robot.lookup("#compare-position").query().getScene().getWindow().hide());
    awaitCollected("the comparison", forgotten);
  }

  /**
   * Fails if an object stays reachable. {@link System#gc()} is only a request, and references of
   * JavaFX may need some pulses to go, so collections are counted: an object that nobody holds
   * shows that one took place.
   */
  private static void awaitCollected(String what, WeakReference<?> object) {
    for (int collections = 0; object.get() != null; collections++) {
      assertThat(collections)
          .as("collections that %s has survived", what)
          .isLessThan(MOST_COLLECTIONS);
      var unreachable = new WeakReference<>(new Object());
      await(
          "a garbage collection",
          () -> {
            System.gc();
            return unreachable.get() == null;
          });
    }
  }

  @Test
  void theme_toggled_changesColoursAndIsRemembered() {
    assertThat(window.stage().getScene().getRoot().getStyle()).contains("-wrid-ground:#0d1117");
    window.press(KeyCode.CONTROL, KeyCode.T);
    assertThat(window.stage().getScene().getRoot().getStyle()).contains("-wrid-ground:#ffffff");
    await(
        "it to be remembered",
        () -> "light".equals(remembered.choices().get("theme", String.class)));
    window.press(KeyCode.CONTROL, KeyCode.T);
    await(
        "it to be remembered",
        () -> "dark".equals(remembered.choices().get("theme", String.class)));
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
    window.press(KeyCode.CONTROL, KeyCode.H);
    assertThat(follow.isSelected()).isTrue();
  }

  @Test
  void range_chosen_isInTheStatusLineUntilItIsCleared(FxRobot robot) {
    window.startLab();
    assertThat(window.isShown("#chosen-range")).isFalse();
    robot.clickOn("#hold");
    window.press(KeyCode.SHORTCUT, KeyCode.EQUALS);
    window.press(KeyCode.SHORTCUT, KeyCode.G);
    assertThat(window.isShown("#chosen-range")).isTrue();
    assertThat(window.text("#chosen-range")).matches("Range: .* from .* s to .* s");
    String shown = window.text("#span");
    window.press(KeyCode.SHORTCUT, KeyCode.MINUS);
    assertThat(window.text("#span")).isNotEqualTo(shown);
    robot.clickOn("#show-range");
    assertThat(window.text("#span")).isEqualTo(shown);
    robot.clickOn("#clear-range");
    assertThat(window.isShown("#chosen-range")).isFalse();
    window.press(KeyCode.SHORTCUT, KeyCode.G);
    assertThat(window.isShown("#chosen-range")).isTrue();
    window.press(KeyCode.ESCAPE);
    assertThat(window.isShown("#chosen-range")).isFalse();
  }

  @Test
  void span_zoomedToAnyStretch_isShown(FxRobot robot) {
    window.startLab();
    for (KeyCode key : List.of(KeyCode.EQUALS, KeyCode.EQUALS, KeyCode.MINUS)) {
      window.press(KeyCode.CONTROL, key);
      WaitForAsyncUtils.waitForFxEvents();
      assertThat(window.text("#span")).isNotBlank().isNotEqualTo("Whole time");
    }
    window.press(KeyCode.CONTROL, KeyCode.DIGIT0);
    WaitForAsyncUtils.waitForFxEvents();
    assertThat(window.text("#span")).isEqualTo("Whole time");
    MenuButton span = robot.lookup("#span").queryAs(MenuButton.class);
    robot.interact(() -> span.getItems().get(2).fire());
    assertThat(span.getText()).isEqualTo(span.getItems().get(2).getText()).isEqualTo("1.0 s");
  }

  @Test
  @SuppressWarnings("unchecked")
  void log_eventSelected_isDescribedInTheInspectorUntilEscape(FxRobot robot) {
    FakeSession source = window.startLab();
    source.telemetry().event(EventKind.ROUND_BEGIN, 3, 0, 0, 1 << 20);
    window.press(KeyCode.CONTROL, KeyCode.DIGIT9);
    TableView<LogRow> table = robot.lookup("#log-table").queryAs(TableView.class);
    await("the event", () -> table.getItems().stream().anyMatch(MainWindowTest::isRound));
    window.press(KeyCode.CONTROL, KeyCode.I);
    robot.interact(() ->
        table
            .getItems()
            .forEach(row -> {
              if (isRound(row)) {
                table.getSelectionModel().select(row);
              }
            }));
    assertThat(window.text("#inspector-title")).isEqualTo("round begins");
    window.press(KeyCode.ESCAPE);
    await("nothing to be selected", () -> window.text("#inspector-title").equals("Migration"));
  }

  private static boolean isRound(LogRow row) {
    return row.event() != null && row.event().kind() == EventKind.ROUND_BEGIN;
  }

  @Test
  void search_typed_findsEventsAndLeavesOutTheRest(FxRobot robot) {
    FakeSession source = window.startLab();
    source.telemetry().event(EventKind.GUEST_PAUSED, 0, 0, 0, 0);
    source.telemetry().event(EventKind.ROUND_BEGIN, 3, 0, 0, 1 << 20);
    window.press(KeyCode.CONTROL, KeyCode.DIGIT9);
    TableView<?> table = robot.lookup("#log-table").queryAs(TableView.class);
    await("both events", () -> table.getItems().size() == 2);
    window.press(KeyCode.CONTROL, KeyCode.I);
    assertThat(window.isShown("#search-bar")).isFalse();
    robot.interact(table::requestFocus);
    window.press(KeyCode.CONTROL, KeyCode.F);
    assertThat(window.isShown("#search-bar")).isTrue();
    double place = robot.lookup("#search-next").query().getLayoutX();
    window.setField("#search-text", "\"is paused\"");
    await("a hit", () -> window.text("#search-found").equals("1 hit"));
    assertThat(robot.lookup("#search-next").query().getLayoutX())
        .as("nothing moves below the pointer")
        .isEqualTo(place);
    assertThat(table.getItems()).hasSize(2);
    robot.clickOn("#search-only");
    await("one event", () -> table.getItems().size() == 1);
    robot.clickOn("#search-next");
    await("the hit to be selected", () -> window.text("#search-found").equals("1 of 1 hit"));
    assertThat(window.text("#inspector-title")).isEqualTo("guest paused");
    window.setField("#search-text", "colour=red");
    await(
        "the mistake to be told",
        () ->
            window.text("#search-problem").startsWith("There is no field \"colour\"; search for"));
    robot.clickOn("#search-close");
    assertThat(window.isShown("#search-bar")).isFalse();
    assertThat(table.isFocused()).as("the table has the keyboard again").isTrue();
    await("both events again", () -> table.getItems().size() == 2);
    window.press(KeyCode.CONTROL, KeyCode.F);
    assertThat(proposals(robot)).isEmpty();
    window.setField("#search-text", "ev");
    window.press(KeyCode.TAB);
    assertThat(window.field("#search-text")).isEqualTo("event=");
    window.setField("#search-text", "event=guest-p");
    assertThat(proposals(robot)).containsExactly("guest-paused");
    window.press(KeyCode.DOWN);
    window.press(KeyCode.SPACE);
    assertThat(window.field("#search-text")).isEqualTo("event=guest-paused");
    window.press(KeyCode.ENTER);
    window.press(KeyCode.ESCAPE);
    assertThat(window.isShown("#search-bar")).isFalse();
    window.press(KeyCode.CONTROL, KeyCode.F);
    assertThat(proposals(robot))
        .as("what was searched for last")
        .containsExactly("event=guest-paused");
  }

  private static List<String> proposals(FxRobot robot) {
    return robot.lookup("#search-proposals").<HBox>query().getChildren().stream()
        .map(button -> ((Button) button).getText())
        .toList();
  }

  @Test
  void source_dialogWithNonsense_saysSoBelowTheFieldAndStartsNothing(FxRobot robot) {
    robot.clickOn("#new-source");
    robot.interact(() -> robot.lookup("#field-uri").queryAs(TextField.class).setText("localhost"));
    robot.clickOn("#dialog-accept");
    assertThat(
            robot
                .lookup(".field-error")
                .match(WindowFixture::isShown)
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
    await("the source to be selected", () -> window.isShown("#cancel"));
  }

  @Test
  void destination_imageChosen_asksForFilesAndCancelStartsNothing(FxRobot robot) {
    robot.clickOn("#new-destination");
    assertThat(window.isShown("#field-out")).isFalse();
    robot.clickOn("#dialog-image");
    assertThat(window.isShown("#field-out")).isTrue();
    assertThat(window.isShown("#field-seed")).isFalse();
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
    await("the lab", () -> window.isShown("#cancel"));
    assertThat(manager.started())
        .singleElement()
        .isInstanceOfSatisfying(
            LabSettings.class,
            s ->
                assertThat(s.guest())
                    .isInstanceOfSatisfying(
                        GuestSettings.Synthetic.class,
                        guest -> assertThat(guest.ramBytes()).isEqualTo(64 << 20)));
    assertThat(window.list().getItems()).hasSize(1);
  }

  @Test
  void lab_ended_canBeRepeated(FxRobot robot) {
    window.startLab();
    manager
        .sessions()
        .forEach(s -> ((FakeSession) s).end(MigrationStatus.COMPLETED, "The guest runs there."));
    await("the end", () -> window.isShown("#repeat"));
    robot.clickOn("#repeat");
    await("another lab", () -> window.list().getItems().size() == 2);
    assertThat(manager.started().get(1)).isEqualTo(manager.started().get(0));
  }

  @Test
  void start_refused_isToldInTheWindow(FxRobot robot) {
    manager.refuse("rdma:127.0.0.1:4444: the port is in use; choose another.");
    robot.clickOn("#start");
    await("the message", () -> window.isShown("#banner"));
    assertThat(window.text("#banner")).contains("the port is in use");
  }

  @Test
  void close_nothingRunning_closesAtOnce() {
    window.press(KeyCode.CONTROL, KeyCode.Q);
    await("the end", () -> window.closed.get() == 1);
    assertThat(manager.closed()).isTrue();
    assertThat(window.stage().isShowing()).isFalse();
  }

  @Test
  void close_running_asksFirst(FxRobot robot) {
    window.startLab();
    window.press(KeyCode.CONTROL, KeyCode.Q);
    answer(robot, "Keep running");
    assertThat(window.stage().isShowing()).isTrue();
    assertThat(window.closed).hasValue(0);
    window.press(KeyCode.CONTROL, KeyCode.Q);
    answer(robot, "Stop migration and quit");
    await("the end", () -> window.closed.get() == 1);
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
    window.startLab();
    window.press(KeyCode.CONTROL, KeyCode.Q);
    assertThat(button(robot, "Keep running").isDefaultButton()).isTrue();
    assertThat(button(robot, "Stop migration and quit").isDefaultButton()).isFalse();
    window.press(KeyCode.ENTER);
    await("the question to go", () -> robot.lookup(".dialog-pane").tryQuery().isEmpty());
    assertThat(window.stage().isShowing()).isTrue();
    assertThat(manager.sessions()).noneMatch(session -> ((FakeSession) session).closed());
  }

  @Test
  void close_whileRamIsPrepared_asks_andCancels(FxRobot robot) {
    manager.holdStarts(new CountDownLatch(1));
    robot.clickOn("#start");
    await("the task", () -> window.isShown("#busy-cancel"));
    window.press(KeyCode.CONTROL, KeyCode.Q);
    assertThat(question(robot)).contains("for the guest").contains("cancelled");
    answer(robot, "Stop migration and quit");
    await("the end", () -> window.closed.get() == 1);
    assertThat(manager.started()).isEmpty();
    assertThat(manager.closed()).isTrue();
  }

  @Test
  void start_cancelledWhileRamIsPrepared_startsNothing(FxRobot robot) {
    manager.holdStarts(new CountDownLatch(1));
    robot.clickOn("#start");
    await("the task", () -> window.isShown("#busy-cancel"));
    manager.setRamProgress(new RamProgress(312 << 20, 2L << 30));
    await("its progress", () -> window.text("#busy").endsWith("Ready: 312 MiB of 2.00 GiB."));
    robot.clickOn("#busy-cancel");
    await("the end of it", () -> !window.isShown("#busy-cancel"));
    assertThat(window.text("#banner")).isEqualTo("Cancelled; nothing was started.");
    assertThat(manager.started()).isEmpty();
    manager.holdStarts(new CountDownLatch(0));
    window.startLab();
  }

  @Test
  void close_pastThePointOfNoReturn_saysSo_andTheWindowStaysUntilTheGuestIsSafe(FxRobot robot) {
    FakeSession session = manager.add("vm7", "rdma:10.9.0.1:4444", Role.DESTINATION);
    session.telemetry().setStatus(MigrationStatus.DEVICE);
    session.telemetry().setWaitingFor(new Wait(Wait.Kind.GUEST_ON_DISK));
    session.setMustFinish(true);
    await("it to be listed", () -> window.list().getItems().size() == 2);
    window.press(KeyCode.CONTROL, KeyCode.Q);
    assertThat(question(robot)).contains("vm7 at 10.9.0.1 can no longer be stopped");
    answer(robot, "Stop migration and quit");
    await("what is waited for", () -> window.isShown("#closing"));
    assertThat(window.text("#closing"))
        .contains("vm7", "given the guest up", "Waiting for the guest to be on the disk.");
    assertThat(window.stage().isShowing()).isTrue();
    assertThat(window.closed).hasValue(0);
    session.setMustFinish(false);
    await("the end", () -> window.closed.get() == 1);
    assertThat(window.stage().isShowing()).isFalse();
  }

  @Test
  void help_controlF1_listsTheShortcuts(FxRobot robot) {
    window.press(KeyCode.CONTROL, KeyCode.F1);
    assertThat(robot.lookup(".keys").queryAll()).hasSizeGreaterThan(15);
    window.press(KeyCode.ESCAPE);
    await("the page to close", () -> robot.lookup(".keys").tryQuery().isEmpty());
  }
}

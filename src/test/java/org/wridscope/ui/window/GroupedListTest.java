// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.onFx;
import static org.wridscope.ui.window.WindowFixture.await;

import java.util.List;
import javafx.scene.control.ComboBox;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.ListCell;
import javafx.scene.control.ListView;
import javafx.scene.control.Menu;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.scene.control.MultipleSelectionModel;
import javafx.scene.control.RadioMenuItem;
import javafx.scene.control.SeparatorMenuItem;
import javafx.scene.input.KeyCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.testfx.api.FxRobot;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.Slow;
import org.wridscope.control.FakeSession;
import org.wridscope.control.Session;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.remembered.Remembered;
import org.wridscope.ui.sessions.Grouping;
import org.wridscope.ui.sessions.Heading;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.sessions.Row;

/** The list of migrations in groups. */
@Slow("it opens the window, which draws in real time")
final class GroupedListTest {
  private final Remembered remembered = Remembered.inMemory();

  @RegisterExtension final WindowFixture window = new WindowFixture(990, 700, remembered);

  @SuppressWarnings("unchecked")
  private ListView<Row> list() {
    return (ListView<Row>) (ListView<?>) window.list();
  }

  private MultipleSelectionModel<Row> selection() {
    return list().getSelectionModel();
  }

  private static String text(Row row) {
    return switch (row) {
      case Heading heading ->
          (heading.folded() ? "> " : "v ") + heading.title() + " " + heading.count();
      case Migration migration -> migration.name();
    };
  }

  private List<String> rows() {
    return onFx(() -> list().getItems().stream().map(GroupedListTest::text).toList());
  }

  private List<String> selected() {
    return onFx(() -> selection().getSelectedItems().stream().map(GroupedListTest::text).toList());
  }

  /** The name above the views. */
  private String shown() {
    return window.isShown(".steering-name") ? window.text(".steering-name") : "";
  }

  private FakeSession source(String name, String host) {
    FakeSession session = window.manager.add(name, "rdma:" + host + ":4444", Role.SOURCE);
    session.end(MigrationStatus.FAILED, "It broke.");
    await(name, () -> onFx(() -> listed(name + " to " + host)));
    return session;
  }

  /** Whether it is in a row, or counted in a heading. */
  private boolean listed(String name) {
    return list().getItems().stream().anyMatch(row -> text(row).equals(name));
  }

  private void group(FxRobot robot, String by) {
    robot.interact(() -> item(list().getContextMenu().getItems(), by).fire());
  }

  private static RadioMenuItem item(List<MenuItem> menu, String text) {
    return menu.stream()
        .filter(item -> "Group list by".equals(item.getText()))
        .flatMap(item -> ((Menu) item).getItems().stream())
        .filter(item -> text.equals(item.getText()))
        .map(RadioMenuItem.class::cast)
        .findFirst()
        .orElseThrow();
  }

  private ListCell<?> cell(FxRobot robot, int index) {
    return robot.lookup("#sessions .list-cell").queryAllAs(ListCell.class).stream()
        .filter(cell -> cell.getIndex() == index && !cell.isEmpty())
        .findFirst()
        .orElseThrow();
  }

  private void click(FxRobot robot, int row) {
    await("the row", () -> onFx(() -> cell(robot, row).isVisible()));
    robot.clickOn(cell(robot, row));
    WaitForAsyncUtils.waitForFxEvents();
  }

  private void select(FxRobot robot, int row) {
    robot.interact(() -> {
      list().requestFocus();
      selection().clearAndSelect(row);
    });
  }

  /** Two hosts with two migrations each, and the one that is ready; vm1 is selected. */
  private void byHost(FxRobot robot) {
    source("vm1", "10.9.0.1");
    source("vm2", "10.9.0.2");
    source("vm3", "10.9.0.1");
    source("vm4", "10.9.0.2");
    select(robot, 1);
    group(robot, "Host");
    assertThat(rows())
        .containsExactly(
            "v This machine 1",
            "First migration",
            "v 10.9.0.1 2",
            "vm1 to 10.9.0.1",
            "vm3 to 10.9.0.1",
            "v 10.9.0.2 2",
            "vm2 to 10.9.0.2",
            "vm4 to 10.9.0.2");
  }

  @Test
  void grouped_theSelectionStays_andTheChoiceIsOneEverywhere_andRemembered(FxRobot robot) {
    byHost(robot);
    assertThat(selected()).containsExactly("vm1 to 10.9.0.1");
    assertThat(shown()).isEqualTo("vm1 to 10.9.0.1");
    assertThat(remembered.choices().get("group-list", String.class)).isEqualTo("host");
    List<MenuItem> program =
        onFx(() -> robot.lookup("#program-menu").queryAs(MenuButton.class).getItems());
    assertThat(onFx(() -> item(program, "Host").isSelected())).isTrue();
    window.press(KeyCode.CONTROL, KeyCode.COMMA);
    await("the settings", () -> window.isShown("#choose-grouping"));
    ComboBox<Grouping> box = robot.lookup("#choose-grouping").queryComboBox();
    assertThat(onFx(box::getValue)).isEqualTo(Grouping.HOST);
    robot.interact(() -> box.setValue(Grouping.NONE));
    assertThat(rows())
        .containsExactly(
            "First migration",
            "vm1 to 10.9.0.1",
            "vm2 to 10.9.0.2",
            "vm3 to 10.9.0.1",
            "vm4 to 10.9.0.2");
    assertThat(selected()).containsExactly("vm1 to 10.9.0.1");
    assertThat(onFx(() -> item(list().getContextMenu().getItems(), "Nothing").isSelected()))
        .isTrue();
    window.press(KeyCode.ESCAPE);
  }

  @Test
  void clickOnAHeading_foldsItsGroup_andWhatIsSelectedElsewhereStays(FxRobot robot) {
    byHost(robot);
    assertThat(onFx(() -> cell(robot, 5).getAccessibleText()))
        .isEqualTo("10.9.0.2, 2 migrations, unfolded");
    click(robot, 5);
    assertThat(rows()).endsWith("vm1 to 10.9.0.1", "vm3 to 10.9.0.1", "> 10.9.0.2 2");
    assertThat(selected()).containsExactly("vm1 to 10.9.0.1");
    assertThat(onFx(() -> cell(robot, 5).getAccessibleText()))
        .isEqualTo("10.9.0.2, 2 migrations, folded");
    click(robot, 5);
    assertThat(rows()).endsWith("v 10.9.0.2 2", "vm2 to 10.9.0.2", "vm4 to 10.9.0.2");
  }

  @Test
  void folding_theGroupOfTheShownOne_selectsItsHeading_andTheViewsStay(FxRobot robot) {
    byHost(robot);
    click(robot, 2);
    assertThat(selected()).containsExactly("> 10.9.0.1 2");
    assertThat(shown()).isEqualTo("vm1 to 10.9.0.1");
    group(robot, "Nothing");
    assertThat(selected()).containsExactly("vm1 to 10.9.0.1");
  }

  @Test
  void arrowKeys_passOverHeadings_fold_andUnfold(FxRobot robot) {
    byHost(robot);
    select(robot, 4);
    window.press(KeyCode.DOWN);
    assertThat(selected()).containsExactly("v 10.9.0.2 2");
    assertThat(shown()).isEqualTo("vm3 to 10.9.0.1");
    window.press(KeyCode.LEFT);
    assertThat(selected()).containsExactly("> 10.9.0.2 2");
    window.press(KeyCode.RIGHT);
    assertThat(rows()).endsWith("v 10.9.0.2 2", "vm2 to 10.9.0.2", "vm4 to 10.9.0.2");
    window.press(KeyCode.SPACE);
    assertThat(rows()).endsWith("> 10.9.0.2 2");
    window.press(KeyCode.ENTER);
    assertThat(selected()).containsExactly("v 10.9.0.2 2");
    window.press(KeyCode.RIGHT);
    assertThat(selected()).containsExactly("vm2 to 10.9.0.2");
    assertThat(shown()).isEqualTo("vm2 to 10.9.0.2");
    window.press(KeyCode.DOWN);
    window.press(KeyCode.LEFT);
    assertThat(selected()).containsExactly("v 10.9.0.2 2");
    window.press(KeyCode.UP);
    assertThat(shown()).isEqualTo("vm3 to 10.9.0.1");
  }

  @Test
  void heading_cannotBeRemovedOrRenamed_andItsMenuHasOnlyTheLooks(FxRobot robot) {
    byHost(robot);

    select(robot, 5);
    ContextMenu menu = onFx(() -> list().getContextMenu());
    robot.interact(() -> menu.show(list(), 10, 10));
    assertThat(
            onFx(() ->
                menu.getItems().stream()
                    .filter(MenuItem::isVisible)
                    .map(item -> item instanceof SeparatorMenuItem ? "-" : item.getText())
                    .toList()))
        .containsExactly("Group list by", "Compact list");
    robot.interact(menu::hide);
    assertThat(selected()).containsExactly("v 10.9.0.2 2");
    window.press(KeyCode.DELETE);
    window.press(KeyCode.F2);
    assertThat(rows()).hasSize(8);
    assertThat(window.isShown("#question-text")).isFalse();
  }

  @Test
  void removingAll_ignoresHeadings_andUndoUnfoldsAGroup(FxRobot robot) {
    byHost(robot);
    robot.interact(() -> {
      list().requestFocus();
      selection().clearSelection();
      selection().selectRange(3, 8);
      selection().select(5);
    });
    window.press(KeyCode.DELETE);
    await("the rest", () -> rows().equals(List.of("v This machine 1", "First migration")));
    assertThat(window.text("#banner")).isEqualTo("Removed 4 migrations from the list.");
    window.press(KeyCode.CONTROL, KeyCode.Z);
    await("them", () -> rows().size() == 8);
  }

  @Test
  void removed_theNextOneOfItsGroup_isShown(FxRobot robot) {
    byHost(robot);
    robot.interact(() -> list().requestFocus());
    window.press(KeyCode.DELETE);
    await("its removal", () -> !rows().contains("vm1 to 10.9.0.1"));
    assertThat(selected()).containsExactly("vm3 to 10.9.0.1");
    assertThat(shown()).isEqualTo("vm3 to 10.9.0.1");
    window.press(KeyCode.DELETE);
    await("the end of the group", () -> rows().size() == 5);
    await("another one", () -> selected().equals(List.of("First migration")));
  }

  @Test
  void newOne_inAFoldedGroup_isCounted_andUnfoldsItWhenItIsShown(FxRobot robot) {
    byHost(robot);
    click(robot, 2);
    window.manager.add("vm5", "rdma:10.9.0.1:4444", Role.SOURCE);
    await("its heading", () -> rows().contains("> 10.9.0.1 3"));
    assertThat(shown()).isEqualTo("vm1 to 10.9.0.1");
    click(robot, 0);
    assertThat(rows()).startsWith("> This machine 1", "> 10.9.0.1 3");
    window.choose("#lab", "repeat-lab");
    await("the lab", () -> rows().contains("lab 1"));
    assertThat(rows()).startsWith("v This machine 2", "First migration", "lab 1", "> 10.9.0.1 3");
    assertThat(selected()).containsExactly("lab 1");
  }

  @Test
  void byScenario_aRepeatedOneStaysInItsGroup(FxRobot robot) {
    group(robot, "Scenario");
    window.choose("#lab", "scenarios-menu");
    await("the scenarios", () -> window.isShown("#scenarios"));
    robot.clickOn("#run-all-zeros");
    await("the run", () -> rows().contains("All zeros (1)"));
    for (Session each : window.manager.sessions()) {
      ((FakeSession) each).end(MigrationStatus.COMPLETED, "The guest runs there.");
    }
    await("its end", () -> window.isShown("#repeat"));
    robot.clickOn("#repeat");
    await("the other run", () -> rows().contains("All zeros (2)"));
    assertThat(rows())
        .containsExactly(
            "v No scenario 1",
            "First migration",
            "v All zeros 2",
            "All zeros (1)",
            "All zeros (2)");
    assertThat(selected()).containsExactly("All zeros (2)");
  }
}

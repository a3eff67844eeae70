// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.window.WindowFixture.await;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import javafx.event.Event;
import javafx.scene.control.Button;
import javafx.scene.control.CheckBox;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.TabPane;
import javafx.scene.control.TextField;
import javafx.scene.control.ToggleButton;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.control.FakeSession;
import org.wridscope.control.QemuMigrationSettings;
import org.wridscope.control.Session;
import org.wridscope.control.SimulatedQemu;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.MigrationStatus;

/** Connects simulated QEMUs in the window, and migrates from one to the other. */
@Slow("it opens the window, which draws in real time")
final class QemuWindowTest {
  @RegisterExtension final WindowFixture window = new WindowFixture(1280, 800);
  @TempDir private Path directory;
  private SimulatedQemu from;
  private SimulatedQemu to;

  @BeforeEach
  void start() throws IOException {
    from = SimulatedQemu.running(directory, "vm7");
    to = SimulatedQemu.waiting(directory, "empty");
  }

  @AfterEach
  void close() throws IOException {
    from.close();
    to.close();
  }

  private void connect(FxRobot robot, String address) {
    robot.interact(() -> {
      TextField line = robot.lookup("#qemu-address").queryAs(ComboBox.class).getEditor();
      line.setText(address);
      Event.fireEvent(
          line,
          new KeyEvent(KeyEvent.KEY_PRESSED, "", "", KeyCode.ENTER, false, false, false, false));
    });
  }

  private void connectBoth(FxRobot robot) {
    window.press(KeyCode.CONTROL, KeyCode.SHIFT, KeyCode.C);
    await("the pane", () -> window.isShown("#qemu-address"));
    connect(robot, from.address().toString());
    connect(robot, to.address().toString());
    await("both to answer", () -> shown(robot, ".migrate-from") && shown(robot, ".receive-in"));
  }

  private static void open(FxRobot robot, String view) {
    TabPane tabs = robot.lookup("#views").queryAs(TabPane.class);
    tabs.getTabs().stream()
        .filter(tab -> view.equals(tab.getText()))
        .forEach(tabs.getSelectionModel()::select);
  }

  private static boolean shown(FxRobot robot, String button) {
    return robot.lookup(button).queryAllAs(Button.class).stream().anyMatch(Button::isVisible);
  }

  private static void press(FxRobot robot, String button) {
    robot.interact(() ->
        robot.lookup(button).queryAllAs(Button.class).stream()
            .filter(Button::isVisible)
            .findFirst()
            .orElseThrow()
            .fire());
  }

  @Test
  void migrationByQemu_isOneRowWithTwoEnds_andSaysWhatCannotBeSeen(FxRobot robot) {
    connectBoth(robot);
    press(robot, ".migrate-from");
    await("the dialog", () -> window.isShown("#dialog-accept"));
    robot.interact(() -> {
      robot.lookup("#dialog-qemu").queryAs(ToggleButton.class).fire();
      robot.lookup("#field-uri").queryAs(TextField.class).setText("unix:/run/migration");
      robot.lookup("#dialog-pause-before-switchover").queryAs(CheckBox.class).fire();
      robot.lookup("#dialog-accept").queryButton().fire();
    });
    await("the migration", () -> window.manager.started().size() == 1);
    var settings = (QemuMigrationSettings) window.manager.started().getFirst();
    assertThat(settings.source()).isEqualTo(from.address());
    assertThat(settings.destination()).isEqualTo(to.address());
    assertThat(settings.uri()).hasToString("unix:/run/migration");
    assertThat(settings.capabilities())
        .containsEntry(MigrationSetting.PAUSE_BEFORE_SWITCHOVER.qmp(), true);
    await("its row", () -> window.selected().pair() != null);
    assertThat(window.selected().pair())
        .matches(pair -> pair.source() != null && pair.destination() != null);
    assertThat(window.list().getItems()).hasSize(2);
    await("what cannot be seen", () -> window.isShown("#no-requests"));
    for (String view : List.of("Completions", "Chunks", "Registrations", "Wrids", "Messages")) {
      robot.interact(() -> open(robot, view));
      assertThat(robot.lookup("#views .empty-text").queryAllAs(Label.class))
          .as(view)
          .anyMatch(
              text -> WindowFixture.isShown(text) && text.getText().contains("QEMU's own engine"));
    }
  }

  private static List<String> offered(FxRobot robot, String box) {
    return robot.lookup(box).<ComboBox<String>>query().getItems();
  }

  @Test
  void addresses_areOfferedAgain_whereTheySuit(FxRobot robot) {
    connectBoth(robot);
    assertThat(offered(robot, "#qemu-address"))
        .contains(to.address().toString(), from.address().toString());
    press(robot, ".migrate-from");
    await("the dialog", () -> window.isShown("#dialog-accept"));
    assertThat(offered(robot, "#dialog-uri")).isEmpty();
    robot.interact(() -> {
      robot.lookup("#dialog-qemu").queryAs(ToggleButton.class).fire();
      robot.lookup("#field-uri").queryAs(TextField.class).setText("unix:/run/migration");
      robot.lookup("#dialog-accept").queryButton().fire();
    });
    await("the migration", () -> window.manager.started().size() == 1);
    await("its row", () -> window.selected().pair() != null);
    window.manager.everStarted().forEach(one -> one.end(MigrationStatus.CANCELLED, "Cancelled."));
    window.press(KeyCode.CONTROL, KeyCode.SHIFT, KeyCode.C);
    await("them to be back", () -> shown(robot, ".migrate-from") && shown(robot, ".receive-in"));
    press(robot, ".migrate-from");
    await("the dialog", () -> window.isShown("#dialog-accept"));
    TextField uri = robot.lookup("#field-uri").queryAs(TextField.class);
    robot.interact(() -> robot.lookup("#dialog-wridscope").queryAs(ToggleButton.class).fire());
    assertThat(offered(robot, "#dialog-uri")).isEmpty();
    assertThat(uri.getPromptText()).isEqualTo("rdma:HOST:PORT; port 0 is any");
    robot.interact(() -> uri.setText("rdma:h:1"));
    robot.interact(() -> robot.lookup("#dialog-qemu").queryAs(ToggleButton.class).fire());
    assertThat(offered(robot, "#dialog-uri")).containsExactly("unix:/run/migration");
    assertThat(uri.getText()).isEqualTo("rdma:h:1");
    assertThat(uri.getPromptText()).isEqualTo("rdma:HOST:PORT, tcp:HOST:PORT or unix:PATH");
    robot.interact(() -> robot.lookup("#dialog-cancel").queryButton().fire());
  }

  @Test
  void qemuInUse_isLentToItsSession_andTakenBack(FxRobot robot) {
    connectBoth(robot);
    press(robot, ".receive-in");
    await("the dialog", () -> window.isShown("#dialog-accept"));
    robot.interact(() -> {
      robot.lookup("#dialog-qemu").queryAs(ToggleButton.class).fire();
      robot.lookup("#dialog-accept").queryButton().fire();
    });
    await("the session", () -> window.manager.everStarted().size() == 1);
    window.press(KeyCode.CONTROL, KeyCode.SHIFT, KeyCode.C);
    await("the QEMU to be lent", () -> robot.lookup("in use by a session").tryQuery().isPresent());
    FakeSession session = window.manager.everStarted().getFirst();
    session.end(MigrationStatus.CANCELLED, "Cancelled.");
    await("it to be back", () -> shown(robot, ".receive-in"));
    assertThat(to.clients()).isEqualTo(2);
  }

  @Test
  void watchedQemu_isASession_thatCannotBeSteered_andIsPutBack(FxRobot robot) throws IOException {
    from.traceEvents().put("migrate_set_state", false);
    connectBoth(robot);
    press(robot, ".watch-qemu");
    await("the question", () -> window.isShown("#watch-both"));
    robot.interact(() -> robot.lookup("#watch-alone").queryButton().fire());
    await("its row", () -> window.selected().pair() != null);
    Session session = Objects.requireNonNull(window.selected().pair()).leading();
    assertThat(session.isWatched()).isTrue();
    assertThat(from.traceEvents()).containsEntry("migrate_set_state", true);
    await("the button", () -> window.text("#cancel").equals("Stop watching"));
    assertThat(window.isShown("#bandwidth-limit")).isFalse();
    from.log("migrate_set_state new state setup\n");
    await("its status", () -> session.status() == MigrationStatus.SETUP);
    press(robot, "#cancel");
    await("the end", () -> window.text("#message").startsWith("The watch was ended"));
    assertThat(from.traceEvents()).containsEntry("migrate_set_state", false);
    window.press(KeyCode.CONTROL, KeyCode.SHIFT, KeyCode.C);
    await("it to be back", () -> shown(robot, ".migrate-from"));
  }

  @Test
  void wrongAddress_isSaidAtOnce(FxRobot robot) {
    window.press(KeyCode.CONTROL, KeyCode.SHIFT, KeyCode.C);
    await("the pane", () -> window.isShown("#qemu-address"));
    connect(robot, "tcp:host");
    assertThat(window.text("#qemu-problem")).endsWith(".");
    assertThat(window.isShown("#qemu-problem")).isTrue();
  }
}

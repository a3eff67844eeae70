// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.onFx;
import static org.wridscope.ui.window.WindowFixture.await;

import java.nio.file.Path;
import java.util.List;
import javafx.application.Platform;
import javafx.scene.control.Button;
import javafx.scene.control.CheckBox;
import javafx.scene.control.CheckMenuItem;
import javafx.scene.control.ComboBox;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.scene.control.TextField;
import javafx.scene.input.KeyCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.ui.remembered.Remembered;
import org.wridscope.ui.settings.DialogKind;
import org.wridscope.ui.settings.Profiles;

/** The choices in one place, and what is remembered. */
@Slow("it opens the window, which draws in real time")
final class SettingsWindowTest {
  @TempDir static Path directory;

  private final Remembered remembered = Remembered.in(directory, directory, Runnable::run);

  @RegisterExtension final WindowFixture window = new WindowFixture(990, 700, remembered);

  private void open() {
    window.press(KeyCode.CONTROL, KeyCode.COMMA);
    await("the settings", () -> window.isShown("#settings"));
  }

  private boolean canForget(FxRobot robot, String id) {
    return onFx(() -> !robot.lookup("#forget-" + id).query().isDisabled());
  }

  private void press(FxRobot robot, String id) {
    robot.interact(() -> robot.lookup(id).queryAs(Button.class).fire());
  }

  @Test
  void choices_areThoseOfTheMenu_andOfTheNextWindow(FxRobot robot) {
    open();
    ComboBox<Theme.Choice> themes = robot.lookup("#choose-theme").query();
    robot.interact(() -> themes.setValue(Theme.Choice.LIGHT));
    assertThat(onFx(() -> window.stage().getScene().getRoot().getStyle()))
        .isEqualTo(onFx(() -> themes.getScene().getRoot().getStyle()));
    assertThat(remembered.choices().get("theme", String.class)).isEqualTo("light");
    robot.interact(() -> Script.shortcut(window.stage(), "Shortcut+T"));
    assertThat(onFx(themes::getValue)).isEqualTo(Theme.Choice.DARK);
    CheckMenuItem item =
        onFx(() ->
            robot.lookup("#program-menu").queryAs(MenuButton.class).getItems().stream()
                .filter(each -> String.valueOf(each.getText()).startsWith("Offer to save"))
                .map(CheckMenuItem.class::cast)
                .findFirst()
                .orElseThrow());
    assertThat(item.isSelected()).isTrue();
    robot.interact(() -> robot.lookup("#choose-offer-saving").queryAs(CheckBox.class).fire());
    assertThat(onFx(item::isSelected)).isFalse();
    Remembered next = Remembered.in(directory, directory, Runnable::run);
    assertThat(next.choices().get("offer-saving", Boolean.class)).isFalse();
    assertThat(next.choices().get("theme", String.class)).isEqualTo("dark");
    assertThat(
            robot.lookup("#settings .text-field").queryAllAs(TextField.class).stream()
                .map(TextField::getText))
        .containsExactly(
            directory.resolve("settings.json").toString(),
            directory.resolve("window.json").toString());
  }

  @Test
  void inputsOfADialog_areForgotten_andPutBack(FxRobot robot) {
    robot.clickOn("#new-source");
    window.setField("#field-uri", "rdma:10.9.0.7:4711");
    robot.clickOn("#dialog-accept");
    await("the source", () -> window.manager.started().size() == 1);
    open();
    assertThat(canForget(robot, "source-dialog")).isTrue();
    assertThat(canForget(robot, "lab-dialog")).isFalse();
    press(robot, "#forget-source-dialog");
    assertThat(canForget(robot, "source-dialog")).isFalse();
    assertThat(remembered.state().has("source-dialog")).isFalse();
    assertThat(window.text("#settings-done")).isEqualTo("Forgotten: Last inputs of “Source”.");
    press(robot, "#settings-undo");
    assertThat(canForget(robot, "source-dialog")).isTrue();
    assertThat(window.isShown("#settings-undo")).isFalse();
    window.press(KeyCode.ESCAPE);
    robot.interact(() -> robot.lookup("#new-source").queryAs(Button.class).fire());
    assertThat(window.field("#field-uri")).isEqualTo("rdma:10.9.0.7:4711");
    robot.clickOn("#dialog-cancel");
  }

  @Test
  void recentFiles_areForgottenInTheMenuToo(FxRobot robot) throws Exception {
    Path log = WindowFixture.traceLog(directory, "handwritten-6.0-hang.source.log");
    window.open(List.of(log));
    MenuItem menu =
        onFx(() ->
            robot.lookup("#recordings").queryAs(MenuButton.class).getItems().stream()
                .filter(each -> "open-recent".equals(each.getId()))
                .findFirst()
                .orElseThrow());
    assertThat(onFx(menu::isDisable)).isFalse();
    open();
    press(robot, "#forget-recent-files");
    assertThat(onFx(menu::isDisable)).isTrue();
    press(robot, "#settings-undo");
    assertThat(onFx(menu::isDisable)).isFalse();
    press(robot, "#forget-recent-files");
  }

  private MenuItem profile(FxRobot robot, String text) {
    return onFx(() -> {
      MenuButton menu = robot.lookup("#profiles").query();
      menu.getOnShowing().handle(null);
      return menu.getItems().stream()
          .filter(item -> text.equals(item.getText()))
          .findFirst()
          .orElseThrow();
    });
  }

  private void save(FxRobot robot, String name) {
    MenuItem save = profile(robot, "Save as…");
    robot.interact(save::fire);
    window.setField("#question-text", name);
  }

  @Test
  void profile_savedInADialog_isChosenThere_andReplacedOnlyWithTheButton(FxRobot robot) {
    robot.clickOn("#new-source");
    assertThat(onFx(() -> robot.lookup("#field-uri").query().isFocused())).isTrue();
    window.setField("#field-uri", "rdma:10.9.0.7:4711");
    robot.clickOn("#dialog-pin-all");
    robot.clickOn("#dialog-image");
    save(robot, "upstairs");
    assertThat(window.text("#question-yes")).isEqualTo("Save");
    press(robot, "#question-yes");
    robot.clickOn("#dialog-synthetic");
    robot.clickOn("#dialog-pin-all");
    window.setField("#field-uri", "rdma:10.9.0.8:4711");
    save(robot, "Upstairs");
    assertThat(window.text("#question-yes")).isEqualTo("Replace it");
    window.press(KeyCode.ENTER);
    press(robot, "#question-no");
    MenuItem upstairs = profile(robot, "upstairs");
    robot.interact(upstairs::fire);
    assertThat(window.field("#field-uri")).isEqualTo("rdma:10.9.0.7:4711");
    assertThat(onFx(() -> robot.lookup("#dialog-pin-all").queryAs(CheckBox.class).isSelected()))
        .isTrue();
    assertThat(window.isShown("#field-file")).isTrue();
    robot.clickOn("#dialog-cancel");

    open();
    press(robot, "#delete-profile");
    assertThat(robot.lookup("#delete-profile").tryQuery()).isEmpty();
    assertThat(window.text("#settings-done")).isEqualTo("Deleted the profile upstairs.");
    press(robot, "#settings-undo");
    press(robot, "#rename-profile");
    window.setField("#question-text", "downstairs");
    press(robot, "#question-yes");
    assertThat(new Profiles(remembered.choices()).names(DialogKind.SOURCE))
        .containsExactly("downstairs");
    press(robot, "#delete-profile");
  }

  @Test
  void placeOfTheWindow_onceForgotten_isNotStoredAgainWhenItCloses(FxRobot robot) {
    remembered.state().put("place", new WindowPlace(10, 10, 990, 700, false));
    open();
    press(robot, "#forget-window-place");
    Platform.runLater(() -> window.main().closeNow());
    await("the end", () -> window.closed.get() == 1);
    Remembered next = Remembered.in(directory, directory, Runnable::run);
    assertThat(next.state().has("place")).isFalse();
    assertThat(next.state().has("view")).isFalse();
  }
}

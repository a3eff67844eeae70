// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.control.CheckBox;
import javafx.scene.control.Label;
import javafx.scene.control.TextField;
import javafx.scene.layout.StackPane;
import javafx.stage.Stage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.Start;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.Slow;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.SourceSettings;
import org.wridscope.recording.SlowDisk;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.ui.FxWatchdog;
import org.wridscope.ui.OnFxRobot;
import org.wridscope.ui.remembered.Remembered;
import org.wridscope.ui.settings.SettingsForm.GuestKind;
import org.wridscope.ui.settings.SettingsForm.Kind;

/** The dialog checks named files on a disk that may not answer. */
@Slow("a dialog, which draws itself in real time")
@ExtendWith(OnFxRobot.class)
final class StartDialogTest {
  @RegisterExtension final FxWatchdog watchdog = new FxWatchdog();

  @TempDir Path directory;

  private final SlowDisk disk = new SlowDisk();
  private final ExecutorService background = Executors.newCachedThreadPool();
  private final List<SourceSettings> accepted = new ArrayList<>();
  private Stage owner;

  @Start
  void start(Stage stage) {
    owner = stage;
    stage.setScene(new Scene(new StackPane(), 400, 300));
    stage.show();
  }

  @BeforeEach
  void show(FxRobot robot) {
    robot.interact(() -> {
      // Files with this name are on the slow disk; all others answer at once.
      var form =
          new SettingsForm(
              Kind.SOURCE, path -> path.toString().contains("slow") ? disk.of(path) : path);
      form.setGuest(GuestKind.IMAGE);
      new StartDialog<>(
              owner,
              form,
              FormValues::source,
              new Profiles(Remembered.inMemory().choices()),
              background,
              "Start",
              (_, settings) -> accepted.add(settings))
          .show();
    });
  }

  @AfterEach
  void stop(FxRobot robot) {
    disk.goOn();
    if (isThere(robot)) {
      robot.clickOn("#dialog-cancel");
    }
    background.shutdown();
  }

  private static boolean isThere(FxRobot robot) {
    return robot.lookup("#dialog-accept").tryQuery().isPresent();
  }

  private static void await(Callable<Boolean> condition) throws Exception {
    WaitForAsyncUtils.waitFor(20, TimeUnit.SECONDS, condition);
    WaitForAsyncUtils.waitForFxEvents();
  }

  private static void type(FxRobot robot, Path file) {
    robot.interact(
        () -> robot.lookup("#field-file").queryAs(TextField.class).setText(file.toString()));
  }

  private static String error(FxRobot robot) {
    return robot
        .lookup(".field-error")
        .match(Node::isVisible)
        .tryQueryAs(Label.class)
        .map(Label::getText)
        .orElse("");
  }

  private static String hindrance(FxRobot robot) {
    return robot.lookup("#dialog-hindrance").queryAs(Label.class).getText();
  }

  private static boolean isDisabled(FxRobot robot) {
    return robot.lookup("#dialog-accept").query().isDisabled();
  }

  private Path image(String name) throws IOException {
    return Files.write(directory.resolve(name), new byte[8192]);
  }

  @Test
  void aFileThatIsTyped_isLookedAtInTheBackground_andTheNewestTextWins(FxRobot robot)
      throws Exception {
    type(robot, directory.resolve("none"));
    await(() -> error(robot).contains("none does not exist"));
    disk.stop();
    Path slow = Files.write(directory.resolve("slow"), new byte[5000]);
    type(robot, slow);
    await(disk::isWaitedFor);
    // The last result stays until there is a new one.
    assertThat(error(robot)).contains("none does not exist");
    type(robot, image("ram"));
    await(() -> error(robot).isEmpty());
    disk.goOn();
    await(() -> !disk.isWaitedFor());
    assertThat(error(robot)).isEmpty();
    type(robot, slow);
    await(() -> error(robot).contains("not a multiple of the page size"));
  }

  @Test
  void manyTexts_onADiskThatDoesNotAnswer_keepFewThreads_andTheLastIsLookedAt(FxRobot robot)
      throws Exception {
    disk.stop();
    for (int i = 0; i < 50; i++) {
      type(robot, directory.resolve("slow" + i));
    }
    await(disk::isWaitedFor);
    assertThat(disk.waiting()).isLessThanOrEqualTo(4);
    disk.goOn();
    await(() -> error(robot).contains("slow49 does not exist"));
  }

  @Test
  void accepting_waitsForTheDisk_andGoesOnWithIt(FxRobot robot) throws Exception {
    type(robot, image("slow"));
    disk.stop();
    robot.clickOn("#dialog-accept");
    await(disk::isWaitedFor);
    assertThat(isDisabled(robot)).isTrue();
    assertThat(hindrance(robot)).isEqualTo("Checking the file…");
    assertThat(accepted).isEmpty();
    disk.goOn();
    await(() -> !isThere(robot));
    assertThat(accepted).hasSize(1);
    assertThat(((GuestSettings.Image) accepted.getFirst().migration().guest()).ramBytes())
        .isEqualTo(8192);
  }

  @Test
  void accepting_aFileThatIsWrong_saysSo_onceThatIsKnown(FxRobot robot) throws Exception {
    disk.stop();
    type(robot, directory.resolve("slow"));
    robot.clickOn("#dialog-accept");
    await(disk::isWaitedFor);
    assertThat(error(robot)).isEmpty();
    disk.goOn();
    await(() -> error(robot).contains("slow does not exist"));
    assertThat(isDisabled(robot)).isFalse();
    assertThat(hindrance(robot)).isEqualTo("To correct: Image file");
    type(robot, image("ram"));
    await(() -> hindrance(robot).isEmpty());
    assertThat(accepted).isEmpty();
  }

  @Test
  void whatIsChangedWhileItWaits_isNotAccepted(FxRobot robot) throws Exception {
    type(robot, image("slow"));
    disk.stop();
    robot.clickOn("#dialog-accept");
    await(disk::isWaitedFor);
    robot.interact(() -> robot.lookup("#dialog-pin-all").queryAs(CheckBox.class).setSelected(true));
    assertThat(isDisabled(robot)).isFalse();
    disk.goOn();
    await(() -> !disk.isWaitedFor());
    assertThat(accepted).isEmpty();
    robot.clickOn("#dialog-accept");
    await(() -> !isThere(robot));
    assertThat(accepted)
        .singleElement()
        .extracting(source -> source.migration().get(MigrationSetting.PIN_ALL))
        .isEqualTo(true);
  }

  @Test
  void cancelledWhileItWaits_startsNothing(FxRobot robot) throws Exception {
    type(robot, image("slow"));
    disk.stop();
    robot.clickOn("#dialog-accept");
    await(disk::isWaitedFor);
    robot.clickOn("#dialog-cancel");
    assertThat(isThere(robot)).isFalse();
    disk.goOn();
    background.shutdown();
    assertThat(background.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
    WaitForAsyncUtils.waitForFxEvents();
    assertThat(accepted).isEmpty();
  }
}

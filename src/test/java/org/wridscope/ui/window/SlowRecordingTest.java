// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.wridscope.ui.OnFx.inScene;
import static org.wridscope.ui.OnFx.prefWidth;
import static org.wridscope.ui.window.WindowFixture.await;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import javafx.animation.AnimationTimer;
import javafx.application.Platform;
import javafx.geometry.Bounds;
import javafx.scene.control.Button;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.ListView;
import javafx.scene.control.Slider;
import javafx.scene.input.KeyCode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.control.SessionPair;
import org.wridscope.recording.RecordedLab;
import org.wridscope.recording.SlowDisk;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.ui.FxWatchdog;
import org.wridscope.ui.recording.Player;

/** A recording on a disk that stops answering: the window keeps working and shows the wait. */
@Slow("it opens the window, which draws in real time")
final class SlowRecordingTest {
  /** Enough frames for several refreshes of texts, lists and views. */
  private static final int FRAMES = 40;

  @RegisterExtension final FxWatchdog watchdog = new FxWatchdog();

  @TempDir static Path directory;

  private static Path file;

  @RegisterExtension final WindowFixture window = new WindowFixture(1200, 760);
  private final SlowDisk disk = new SlowDisk();
  private final AtomicInteger frames = new AtomicInteger();

  @BeforeAll
  static void record() throws Exception {
    file = directory.resolve("lab.wrs");
    RecordedLab.record(file);
  }

  @BeforeEach
  void countFrames() {
    new AnimationTimer() {
      @Override
      public void handle(long now) {
        frames.incrementAndGet();
      }
    }.start();
  }

  @AfterEach
  void stop() {
    disk.goOn();
  }

  /** Asserts that the window draws frames while the disk does not answer. */
  private void goesOn() {
    await("somebody to wait for the disk", disk::isWaitedFor);
    int before = frames.get();
    await("the window to go on", () -> frames.get() >= before + FRAMES);
    assertThat(disk.isWaitedFor()).isTrue();
  }

  private SessionPair open() {
    return Objects.requireNonNull(window.open(List.of(disk.of(file))).pair());
  }

  @SuppressWarnings("unchecked")
  private static void speed(FxRobot robot, double factor) {
    robot.interact(() -> robot.lookup("#player-speed").queryAs(ComboBox.class).setValue(factor));
  }

  private static String moment(FxRobot robot) {
    return robot.lookup("#player-moment").queryAs(Label.class).getText();
  }

  @Test
  void openingOne_keepsNobodyWaiting() {
    disk.stop();
    Platform.runLater(() -> window.main().openRecordings(List.of(disk.of(file))));
    goesOn();
    assertThat(window.selected().recorded()).isFalse();
    disk.goOn();
    await("the recording", () -> window.selected().recorded());
  }

  @Test
  void seeking_showsTheLastMomentMeanwhile_saysSo_andTheNewestMomentWins(FxRobot robot) {
    SessionPair pair = open();
    var source = (RecordedSession) pair.leading();
    long end = source.position();
    int rewinds = source.rewinds();
    disk.stop();
    window.seek(0.3);
    for (double share = 0.31; share < 0.6; share += 0.01) {
      window.seek(share);
    }
    window.seek(0.5);
    goesOn();
    await("it to say so", () -> moment(robot).startsWith("seeking +"));
    assertThat(source.position()).isEqualTo(end);
    assertThat(source.status()).isEqualTo(MigrationStatus.COMPLETED);
    assertThat(robot.lookup("#player-position").queryAs(Slider.class).getValue())
        .isBetween(0.499, 0.501);

    disk.goOn();
    await("the moment", () -> !moment(robot).startsWith("seeking"));
    long first = pair.originNanos();
    long last =
        Player.recorded(pair).stream().mapToLong(RecordedSession::lastNanos).max().orElseThrow();
    assertThat(source.position()).isCloseTo(first + (last - first) / 2, within(1L));
    assertThat(source.status()).isEqualTo(MigrationStatus.ACTIVE);
    // Of thirty moments, only the newest and perhaps the first are decoded.
    assertThat(source.rewinds() - rewinds).isBetween(1, 2);
    assertThat(Player.recorded(pair))
        .extracting(RecordedSession::position)
        .containsExactly(source.position(), source.position());
  }

  @Test
  void playing_waitsForTheDisk_andGoesOnWithIt(FxRobot robot) {
    SessionPair pair = open();
    var source = (RecordedSession) pair.leading();
    disk.stop();
    speed(robot, 0.1);
    robot.clickOn("#player-play");
    goesOn();
    await("it to say so", () -> moment(robot).startsWith("seeking +"));
    disk.goOn();
    await("some of it to be played", () -> source.rewinds() > 0);
    speed(robot, 10);
    await("the end", () -> source.status() == MigrationStatus.COMPLETED);
  }

  @Test
  void removingOneThatIsBeingRead_keepsNobodyWaiting(FxRobot robot) {
    open();
    disk.stop();
    window.seek(0.3);
    await("somebody to wait for the disk", disk::isWaitedFor);
    ListView<?> list = window.list();
    int entries = list.getItems().size();
    robot.interact(list::requestFocus);
    robot.push(KeyCode.DELETE);
    await("it to be gone", () -> list.getItems().size() == entries - 1);
    // Closing the message ends the time for undoing the removal.
    robot.interact(() ->
        robot
            .lookup((Button each) -> "Close this message".equals(each.getAccessibleText()))
            .queryAllAs(Button.class)
            .forEach(Button::fire));
    goesOn();
    disk.goOn();
    await("the file to be closed", () -> !disk.isWaitedFor());
    assertThat(window.text("#banner")).doesNotContain("cannot be", "error");
  }

  @Test
  void anErrorWhileSeeking_leavesItWhereItIs_andSaysWhy(FxRobot robot) {
    SessionPair pair = open();
    var source = (RecordedSession) pair.leading();
    long end = source.position();
    int rewinds = source.rewinds();
    disk.fail();
    window.seek(0.3);
    await(
        "the sentence",
        () ->
            window
                .text("#banner")
                .equals(
                    "The recording cannot be read (Input/output error); look at the disk that it is"
                        + " on, and try again."));
    assertThat(Player.recorded(pair))
        .extracting(RecordedSession::position)
        .containsExactly(end, end);
    assertThat(source.rewinds()).isEqualTo(rewinds);
    assertThat(source.status()).isEqualTo(MigrationStatus.COMPLETED);
    await(
        "the slider to stand where the recording does",
        () -> robot.lookup("#player-position").queryAs(Slider.class).getValue() == 1);
    assertThat(moment(robot)).doesNotContain("seeking");

    disk.goOn();
    window.seek(0.3);
    await("the moment", () -> source.position() < end);
    assertThat(source.status()).isEqualTo(MigrationStatus.ACTIVE);
  }

  @Test
  void movingOne_leavesTheSliderUnderThePointer(FxRobot robot) {
    open();
    Slider slider = robot.lookup("#player-position").queryAs(Slider.class);
    Bounds place = inScene(slider);
    for (double share : new double[] {0, 0.001, 0.2, 0.5, 0.9, 1, 0.4}) {
      window.seek(share);
      await("the moment", () -> !moment(robot).startsWith("seeking"));
      assertThat(inScene(slider)).as("%s", share).isEqualTo(place);
    }
    disk.stop();
    window.seek(0.7);
    await("it to say so", () -> moment(robot).startsWith("seeking +"));
    assertThat(inScene(slider)).isEqualTo(place);
    Label label = robot.lookup("#player-moment").queryAs(Label.class);
    assertThat(label.getWidth()).isGreaterThanOrEqualTo(prefWidth(label));
  }

  @Test
  void openingAPipe_isRefusedAtOnce() throws Exception {
    Path pipe = directory.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    Platform.runLater(() -> window.main().openRecordings(List.of(pipe)));
    await("the sentence", () -> window.text("#banner").contains("pipe is not a regular file"));
    assertThat(window.selected().recorded()).isFalse();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.wridscope.ui.OnFx.inScene;

import java.util.List;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.control.Button;
import javafx.scene.control.CheckMenuItem;
import javafx.scene.control.Labeled;
import javafx.scene.control.MenuButton;
import javafx.scene.image.ImageView;
import javafx.scene.input.KeyCode;
import javafx.scene.shape.Circle;
import javafx.scene.text.Text;
import javafx.stage.Stage;
import javafx.stage.WindowEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.testfx.api.FxRobot;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.Slow;
import org.wridscope.ui.Question;

/** The window in front of an audience. */
@Slow("it opens the window, which draws in real time")
final class LectureTest {
  @RegisterExtension final WindowFixture window = new WindowFixture(1280, 720);

  private static double factor(Node node) {
    return node.getLocalToSceneTransform().getMxx();
  }

  private Node node(FxRobot robot, String id) {
    return robot.lookup(id).query();
  }

  @Test
  void f11_enlargesTextsAndPictures_hidesTheRest_andEscapeLeaves(FxRobot robot) {
    window.startLab();
    double plain = factor(node(robot, "#views"));
    assertThat(plain).isEqualTo(1);
    window.press(KeyCode.F11);
    Stage stage = window.stage();
    double expected = Math.min(stage.getWidth() / 960, stage.getHeight() / 540);
    assertThat(stage.isFullScreen()).isTrue();
    assertThat(factor(node(robot, "#views"))).isCloseTo(expected, within(0.01));
    assertThat(window.isShown("#sessions")).isFalse();
    assertThat(window.isShown("#inspector")).isFalse();
    assertThat(window.isShown("#guest")).isFalse();
    assertThat(window.isShown("#views")).isTrue();
    WindowFixture.await("pictures with a pixel for each pixel of the screen", () -> sharp(robot));
    window.press(KeyCode.ESCAPE);
    assertThat(stage.isFullScreen()).isFalse();
    assertThat(factor(node(robot, "#views"))).isEqualTo(1);
    assertThat(window.isShown("#sessions")).isTrue();
    assertThat(window.isShown("#inspector")).isTrue();
    assertThat(window.isShown("#guest")).isTrue();
  }

  /** Whether all drawn pictures are shown one to one. */
  private static boolean sharp(FxRobot robot) {
    return robot
        .lookup(".panel")
        .lookup(ImageView.class::isInstance)
        .queryAllAs(ImageView.class)
        .stream()
        .filter(WindowFixture::isShown)
        .allMatch(view ->
            Math.abs(view.getViewport().getWidth() - view.getFitWidth() * factor(view)) < 1);
  }

  @Test
  void dialogsAndQuestions_growAlike_andNoTextIsCut(FxRobot robot) {
    window.startLab();
    window.press(KeyCode.F11);
    double factor = factor(node(robot, "#views"));
    for (String button : List.of("#new-source", "#new-destination")) {
      robot.interact(() -> robot.lookup(button).queryButton().fire());
      assertThat(factor(node(robot, "#dialog-accept"))).as(button).isEqualTo(factor);
      assertThat(cut(node(robot, "#dialog-accept").getScene())).as(button).isEmpty();
      robot.interact(() -> robot.lookup("#dialog-cancel").queryButton().fire());
    }
    robot.interact(() ->
        window
            .stage()
            .fireEvent(new WindowEvent(window.stage(), WindowEvent.WINDOW_CLOSE_REQUEST)));
    Node no = node(robot, "#question-no");
    assertThat(((Button) no).getFont().getSize()).isCloseTo(13 * factor, within(0.1));
    assertThat(cut(no.getScene())).as("question").isEmpty();
  }

  @Test
  void questionsOfDialogsAndOtherWindows_growAlike(FxRobot robot) {
    window.press(KeyCode.F11);
    robot.interact(() -> {
      window.stage().setFullScreen(false);
      window.stage().setWidth(1600);
      window.stage().setHeight(900);
    });
    double factor = factor(node(robot, "#start"));
    assertThat(factor).isCloseTo(1.67, within(0.01));

    robot.interact(() -> robot.lookup("#new-source").queryButton().fire());
    robot.interact(
        () -> robot.lookup("#profiles").queryAs(MenuButton.class).getItems().getLast().fire());
    assertLarge(node(robot, "#question-no"), factor);
    robot.interact(() -> robot.lookup("#question-no").queryButton().fire());
    robot.interact(() -> robot.lookup("#dialog-cancel").queryButton().fire());

    window.press(KeyCode.CONTROL, KeyCode.COMMA);
    robot.interact(() ->
        Question.choose(
            node(robot, "#settings").getScene().getWindow(),
            "A question",
            "It has several answers, one of which is long.",
            List.of(
                new Question.Choice("one", "Do it with everything that is there", () -> {}),
                new Question.Choice("other", "Do it alone", () -> {})),
            "Cancel"));
    assertLarge(node(robot, "#question-no"), factor);
    robot.interact(() -> robot.lookup("#question-no").queryButton().fire());
  }

  private static void assertLarge(Node button, double factor) {
    assertThat(((Button) button).getFont().getSize()).isCloseTo(13 * factor, within(0.1));
    assertThat(cut(button.getScene())).isEmpty();
  }

  /** The texts in a scene that are shown with an ellipsis. */
  private static List<String> cut(Scene scene) {
    return scene.getRoot().lookupAll(".label, .button, .check-box, .toggle-button").stream()
        .filter(Labeled.class::isInstance)
        .map(Labeled.class::cast)
        .filter(WindowFixture::isShown)
        .filter(labeled ->
            labeled.lookup(".text") instanceof Text text
                && !text.getText().equals(labeled.getText()))
        .map(Labeled::getText)
        .toList();
  }

  @Test
  void halo_followsThePointer_onlyInALecture(FxRobot robot) {
    Circle halo = robot.lookup(".pointer-halo").queryAs(Circle.class);
    robot.moveTo("#start");
    assertThat(halo.isVisible()).isFalse();
    window.press(KeyCode.F11);
    robot.moveTo("#start");
    WaitForAsyncUtils.waitForFxEvents();
    assertThat(halo.isVisible()).isTrue();
    Node button = node(robot, "#start");
    assertThat(inScene(button).contains(halo.getCenterX(), halo.getCenterY())).isTrue();
    window.press(KeyCode.ESCAPE);
    assertThat(halo.isVisible()).isFalse();
  }

  @Test
  void statusBar_saysWhereTheGuestIs_andFigures_onlyWhenAskedFor(FxRobot robot) {
    window.startLab();
    WindowFixture.await(
        "the guest", () -> window.text("#guest").equals("guest runs at the source"));
    assertThat(window.text("#status-details")).isEmpty();
    robot.interact(() ->
        robot.lookup("#program-menu").queryAs(MenuButton.class).getItems().stream()
            .filter(item -> item.getText() != null && item.getText().startsWith("Frame rate"))
            .forEach(item -> ((CheckMenuItem) item).setSelected(true)));
    WindowFixture.await(
        "figures", () -> window.text("#status-details").matches("[0-9]+ frames/s, heap .+ of .+"));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.control.Button;
import javafx.scene.control.ListView;
import javafx.scene.layout.BorderPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.VBox;
import javafx.stage.Stage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.Start;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.Slow;

/** A window with a tool bar, a list, a second list and a bar of buttons below it. */
@Slow("a window, whose focus moves with its frames")
@ExtendWith(OnFxRobot.class)
final class KeyboardKeeperTest {
  private ListView<String> list;
  private ListView<String> near;
  private Button first;
  private Button next;
  private HBox buttons;
  private VBox centre;
  private Scene scene;

  @Start
  void start(Stage stage) {
    list = new ListView<>();
    near = new ListView<>();
    first = new Button("Cancel");
    next = new Button("Clear");
    buttons = new HBox(first, next);
    centre = new VBox(near, buttons);
    var root = new BorderPane(centre);
    root.setTop(new HBox(new Button("New source")));
    root.setLeft(list);
    scene = new Scene(root, 400, 300);
    KeyboardKeeper.install(scene);
    stage.setScene(scene);
    stage.show();
  }

  /** Focuses nodes one after the other, then does something, and returns what has the focus. */
  private Node after(FxRobot robot, Runnable change, Node... focused) {
    Stream.of(focused).forEach(node -> robot.interact(node::requestFocus));
    robot.interact(change);
    WaitForAsyncUtils.waitForFxEvents(20);
    return scene.getFocusOwner();
  }

  @Test
  void whatIsDisabled_getsTheFocusBack_whenItIsEnabled(FxRobot robot) {
    assertThat(after(robot, () -> first.setDisable(true), list, first)).isSameAs(buttons);
    assertThat(after(robot, () -> first.setDisable(false))).isSameAs(first);
    assertThat(after(robot, () -> centre.setDisable(true), first)).isSameAs(scene.getRoot());
    assertThat(after(robot, () -> centre.setDisable(false))).isSameAs(first);
  }

  @Test
  void whatIsDisabled_doesNotTakeTheFocusFromWhatGotItMeanwhile(FxRobot robot) {
    after(robot, () -> first.setDisable(true), first);
    assertThat(after(robot, () -> first.setDisable(false), list)).isSameAs(list);
  }

  @Test
  void whatIsHiddenOrRemoved_givesTheFocusToTheListThatHadItLast(FxRobot robot) {
    assertThat(after(robot, () -> Presence.set(first, false), list, first)).isSameAs(list);
    assertThat(after(robot, () -> buttons.getChildren().remove(next), near, next)).isSameAs(near);
  }

  @Test
  void whatIsHidden_givesTheFocusToTheNearestList_ifNoneHadIt(FxRobot robot) {
    assertThat(after(robot, () -> Presence.set(buttons, false), first)).isSameAs(near);
    robot.interact(() -> {
      Presence.set(buttons, true);
      near.setDisable(true);
    });
    assertThat(after(robot, () -> Presence.set(buttons, false), first)).isSameAs(list);
  }

  @Test
  void whatIsMadeAnew_getsTheFocus_atItsPlaceAmongItsLike(FxRobot robot) {
    var second = new Button("Cancel");
    robot.interact(() -> buttons.getChildren().add(second));
    var third = new Button("Cancel");
    var fourth = new Button("Cancel");
    assertThat(after(robot, () -> buttons.getChildren().setAll(third, fourth), list, second))
        .isSameAs(fourth);
    // One of two is no other one.
    assertThat(after(robot, () -> buttons.getChildren().remove(fourth))).isSameAs(list);
  }

  @Test
  void whatIsAskedFor_getsTheFocus(FxRobot robot) {
    Runnable hideAndFocus =
        () -> {
          Presence.set(first, false);
          next.requestFocus();
        };
    assertThat(after(robot, hideAndFocus, list, first)).isSameAs(next);
  }
}

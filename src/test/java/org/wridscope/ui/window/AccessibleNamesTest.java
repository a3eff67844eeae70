// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.control.Label;
import javafx.scene.control.Labeled;
import javafx.scene.control.ScrollBar;
import javafx.scene.control.ScrollPane;
import javafx.scene.control.SplitPane;
import javafx.scene.control.TabPane;
import javafx.scene.image.ImageView;
import javafx.stage.Window;
import org.controlsfx.control.SegmentedButton;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;

/** A screen reader has a name for everything that can have the focus, and for every picture. */
@Slow("it opens the window, which draws in real time")
final class AccessibleNamesTest {
  @RegisterExtension final WindowFixture window = new WindowFixture(1280, 800);

  @Test
  void everyControlAndPicture_ofTheWindow_hasAName(FxRobot robot) {
    assertThat(nameless(robot)).as("before a start").isEmpty();
    window.startLab();
    TabPane views = robot.lookup("#views").queryAs(TabPane.class);
    for (int i = 0; i < views.getTabs().size(); i++) {
      int view = i;
      robot.interact(() -> views.getSelectionModel().select(view));
      robot.interact(() -> {});
      assertThat(nameless(robot)).as(views.getTabs().get(view).getText()).isEmpty();
    }
  }

  @Test
  void everyControl_ofTheOtherWindows_hasAName(FxRobot robot) {
    for (String button : List.of("#show-devices", "#show-qemus", "#show-fleet", "#help")) {
      robot.interact(() -> robot.lookup(button).queryButton().fire());
      assertThat(nameless(robot)).as(button).isEmpty();
    }
    window.beginTour();
    assertThat(nameless(robot)).as("stepping").isEmpty();
    window.choose("#lab", "scenarios-menu");
    assertThat(nameless(robot)).as("scenarios").isEmpty();
    for (String button : List.of("#new-source", "#new-destination")) {
      robot.interact(() -> robot.lookup(button).queryButton().fire());
      assertThat(nameless(robot)).as(button).isEmpty();
      robot.interact(() -> robot.lookup("#dialog-cancel").queryButton().fire());
    }
    window.choose("#lab", "new-lab");
    assertThat(nameless(robot)).as("lab").isEmpty();
  }

  private static List<String> nameless(FxRobot robot) {
    var found = new ArrayList<String>();
    robot.interact(() -> {
      for (Window open : Window.getWindows()) {
        if (open.isShowing() && open.getScene() != null) {
          var labelled = new HashSet<Node>();
          labels(open.getScene().getRoot(), labelled);
          walk(open.getScene().getRoot(), labelled, found);
        }
      }
    });
    return found;
  }

  private static void labels(Node node, Set<Node> labelled) {
    if (node instanceof Label label && label.getLabelFor() != null) {
      labelled.add(label.getLabelFor());
    }
    if (node instanceof Parent parent) {
      parent.getChildrenUnmodifiable().forEach(child -> labels(child, labelled));
    }
  }

  private static void walk(Node node, Set<Node> labelled, List<String> found) {
    if (!node.isVisible() || (isContainer(node) && node.isDisabled())) {
      return;
    }
    boolean matters =
        node instanceof ImageView || (node.isFocusTraversable() && !isContainer(node));
    if (matters && !isNamed(node, labelled)) {
      found.add(
          "%s#%s %s in %s"
              .formatted(
                  node.getClass().getSimpleName(),
                  node.getId(),
                  node.getStyleClass(),
                  node.getParent() == null ? "" : node.getParent().getClass().getSimpleName()));
    }
    if (node instanceof Parent parent) {
      parent.getChildrenUnmodifiable().forEach(child -> walk(child, labelled, found));
    }
  }

  /** What has no name of its own: its content has. */
  private static boolean isContainer(Node node) {
    return node instanceof ScrollPane
        || node instanceof ScrollBar
        || node instanceof SplitPane
        || node instanceof SegmentedButton;
  }

  private static boolean isNamed(Node node, Set<Node> labelled) {
    for (Node at = node; at != null; at = node instanceof ImageView ? at.getParent() : null) {
      if (at.getAccessibleText() != null && !at.getAccessibleText().isBlank()) {
        return true;
      }
    }
    return labelled.contains(node)
        || labelled.contains(node.getParent())
        || (node instanceof Labeled text && text.getText() != null && !text.getText().isBlank())
        || node instanceof TabPane;
  }
}

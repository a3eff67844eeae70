// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.control.CheckBox;
import javafx.scene.control.ComboBoxBase;
import javafx.scene.control.Control;
import javafx.scene.control.Slider;
import javafx.scene.control.TextField;
import javafx.stage.Window;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.control.attach.RdmaProcess;
import org.wridscope.ui.settings.AttachDialog;

/** Every input of the window and of its dialogs says in a tool tip what it is for. */
@Slow("it opens the window, which draws in real time")
final class HintsTest {
  @RegisterExtension final WindowFixture window = new WindowFixture(1280, 800);

  @Test
  void everyInput_ofEveryWindow_hasAHint(FxRobot robot) {
    window.startLab();
    window.beginTour();
    for (String button : List.of("#show-devices", "#show-qemus", "#show-fleet")) {
      robot.interact(() -> robot.lookup(button).queryButton().fire());
    }
    window.choose("#lab", "scenarios-menu");
    window.choose("#recordings", "compare");
    for (String dialog : List.of("#new-source", "#new-destination")) {
      robot.interact(() -> robot.lookup(dialog).queryButton().fire());
      assertThat(unexplained(robot)).as(dialog).isEmpty();
      robot.interact(() -> robot.lookup("#dialog-cancel").queryButton().fire());
    }
    for (String menu : List.of("#lab new-lab", "#recordings attach-wridscope")) {
      String[] item = menu.split(" ", -1);
      window.choose(item[0], item[1]);
      assertThat(unexplained(robot)).as(menu).isEmpty();
      robot.interact(() -> robot.lookup("#dialog-cancel").queryButton().fire());
    }
    List<RdmaProcess> none = List.of();
    robot.interact(() -> new AttachDialog(window.stage(), none, "", _ -> {}).show());
    assertThat(unexplained(robot)).as("attach").isEmpty();
  }

  private static List<String> unexplained(FxRobot robot) {
    var found = new ArrayList<String>();
    robot.interact(() ->
        Window.getWindows().stream()
            .filter(open -> open.isShowing() && open.getScene() != null)
            .forEach(open -> walk(open.getScene().getRoot(), found)));
    return found;
  }

  private static void walk(Node node, List<String> found) {
    boolean input =
        node instanceof ComboBoxBase<?>
            || node instanceof Slider
            || node instanceof CheckBox
            || (node instanceof TextField text && text.isEditable());
    if (input && !isExplained((Control) node)) {
      found.add("%s#%s".formatted(node.getClass().getSimpleName(), node.getId()));
    }
    if (node instanceof Parent parent) {
      parent.getChildrenUnmodifiable().forEach(child -> walk(child, found));
    }
  }

  /** Whether it has a tool tip, or is a part of what has one. */
  private static boolean isExplained(Control control) {
    return (control.getTooltip() != null && !control.getTooltip().getText().isBlank())
        || (control.getParent() instanceof ComboBoxBase<?> box && isExplained(box));
  }
}

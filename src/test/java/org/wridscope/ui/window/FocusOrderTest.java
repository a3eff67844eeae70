// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.inScene;
import static org.wridscope.ui.OnFx.layOut;
import static org.wridscope.ui.OnFx.onFx;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import javafx.event.Event;
import javafx.event.EventType;
import javafx.geometry.Bounds;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.Scene;
import javafx.scene.control.Button;
import javafx.scene.control.ComboBoxBase;
import javafx.scene.control.ScrollPane;
import javafx.scene.control.SplitPane;
import javafx.scene.control.ToggleButton;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.stage.Stage;
import javafx.stage.Window;
import javafx.stage.WindowEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.testfx.api.FxRobot;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.Slow;
import org.wridscope.control.attach.RdmaProcess;
import org.wridscope.ui.settings.AttachDialog;

/** The Tab key leads to every control, in the order in which the eye reads, and comes back. */
@Slow("it opens the window, which draws in real time")
final class FocusOrderTest {
  /** Controls whose edges differ by less are in one line. */
  private static final double LINE = 6;

  /**
   * A walk from control to control, each with its name, until one of them was reached again.
   *
   * @param back whether that one is the first; else it is a trap
   * @param end that one
   * @param missed the controls that were not reached
   * @param backwards the steps to the left or up
   */
  private record Walk(
      boolean back,
      String end,
      List<String> reached,
      List<String> missed,
      List<String> backwards) {}

  @RegisterExtension final WindowFixture window = new WindowFixture(1280, 800);

  @Test
  void mainWindow_beforeAStart_beginsAtTheButtonThatStarts(FxRobot robot) {
    assertThat(owner(window.stage().getScene())).isEqualTo("start");
    assertWalk(window.stage().getScene());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 4, 7, 8})
  void mainWindow_withAMigration_ofTheView(int view, FxRobot robot) {
    window.startLab();
    robot.interact(() -> Script.open(view));
    assertWalk(window.stage().getScene());
  }

  @ParameterizedTest
  @ValueSource(strings = {"#new-source", "#new-destination", "#lab new-lab"})
  void dialogOfAStart_beginsAtItsFirstField(String opener, FxRobot robot) {
    open(opener, robot);
    Scene dialog = top();
    assertThat(owner(dialog)).isIn("dialog-uri", "field-uri", "dialog-synthetic");
    assertWalk(dialog);
    type(robot, dialog, KeyCode.ESCAPE);
    assertThat(dialog.getWindow().isShowing()).isFalse();
  }

  @Test
  void dialogsToAttach_beginAtTheirFirstInput(FxRobot robot) {
    open("#recordings attach-wridscope", robot);
    Scene dialog = top();
    assertThat(owner(dialog)).isEqualTo("wridscope-address");
    assertWalk(dialog);
    type(robot, dialog, KeyCode.ESCAPE);
    assertThat(dialog.getWindow().isShowing()).isFalse();
    List<RdmaProcess> none = List.of();
    robot.interact(() -> new AttachDialog(window.stage(), none, "", _ -> {}).show());
    assertWalk(top());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "#show-devices",
        "#show-qemus",
        "#show-fleet",
        "#help",
        "#lab scenarios-menu",
        "#recordings compare"
      })
  void otherWindows_areWalked_andClosedWithEscape(String opener, FxRobot robot) {
    open(opener, robot);
    Scene other = top();
    assertThat(other).isNotSameAs(window.stage().getScene());
    assertWalk(other);
    type(robot, other, KeyCode.ESCAPE);
    assertThat(other.getWindow().isShowing()).isFalse();
  }

  @Test
  void enter_inTheQuestionBeforeClosing_endsNothing(FxRobot robot) {
    window.startLab();
    robot.interact(() ->
        window
            .stage()
            .getOnCloseRequest()
            .handle(new WindowEvent(window.stage(), WindowEvent.WINDOW_CLOSE_REQUEST)));
    Scene question = top();
    assertThat(owner(question)).isEqualTo("question-no");
    type(robot, question, KeyCode.ENTER);
    assertThat(question.getWindow().isShowing()).isFalse();
    assertThat(window.stage().isShowing()).isTrue();
  }

  private void open(String opener, FxRobot robot) {
    String[] parts = opener.split(" ", -1);
    if (parts.length == 1) {
      robot.interact(() -> robot.lookup(opener).queryAs(Button.class).fire());
    } else {
      window.choose(parts[0], parts[1]);
    }
    WaitForAsyncUtils.waitForFxEvents();
  }

  /** The scene of the window that was opened last. */
  private static Scene top() {
    return onFx(() ->
        Window.getWindows().stream()
            .filter(open -> open instanceof Stage && open.isShowing())
            .reduce((_, last) -> last)
            .orElseThrow()
            .getScene());
  }

  private static String owner(Scene scene) {
    return onFx(() -> Objects.requireNonNullElse(focused(scene).getId(), ""));
  }

  /** Types a key where the focus is, whichever window the desktop thinks is active. */
  private static void type(FxRobot robot, Scene scene, KeyCode key) {
    robot.interact(() -> type(scene, key));
  }

  private static void type(Scene scene, KeyCode key) {
    Event.fireEvent(focused(scene), event(KeyEvent.KEY_PRESSED, key));
    Event.fireEvent(focused(scene), event(KeyEvent.KEY_RELEASED, key));
  }

  private static Node focused(Scene scene) {
    return Objects.requireNonNullElse(scene.getFocusOwner(), scene.getRoot());
  }

  private static KeyEvent event(EventType<KeyEvent> type, KeyCode key) {
    return new KeyEvent(type, "", "", key, false, false, false, false);
  }

  private static void assertWalk(Scene scene) {
    Walk walk = onFx(() -> walk(scene));
    assertThat(walk.back).as("trap at %s after %s", walk.end, walk.reached).isTrue();
    assertThat(walk.missed).as("not reached").isEmpty();
    // One step leads from the last control to the first one.
    assertThat(walk.backwards).as("steps back").hasSizeLessThanOrEqualTo(1);
  }

  /** Walks once around, from the control that has the focus. */
  private static Walk walk(Scene scene) {
    var controls = new LinkedHashSet<Node>();
    controls(scene.getRoot(), controls);
    var reached = new LinkedHashSet<Node>();
    var backwards = new ArrayList<String>();
    Node first = Objects.requireNonNull(scene.getFocusOwner(), "nothing has the focus");
    Node at = first;
    while (reached.add(at) && reached.size() <= controls.size() + 10) {
      type(scene, KeyCode.TAB);
      // What scrolls to the control that has the focus does so when it is laid out.
      layOut(scene.getRoot());
      Node to = focused(scene);
      if (leadsBack(inScene(at), inScene(to))) {
        backwards.add(name(at) + " -> " + name(to));
      }
      at = to;
    }
    controls.removeAll(reached);
    return new Walk(at.equals(first), name(at), names(reached), names(controls), backwards);
  }

  /** Whether a step leads to the left in a line, or up in a column. */
  private static boolean leadsBack(Bounds a, Bounds b) {
    boolean above = b.getMaxY() <= a.getMinY() + LINE;
    boolean below = b.getMinY() >= a.getMaxY() - LINE;
    boolean right = b.getMinX() >= a.getMaxX() - LINE;
    boolean left = b.getMaxX() <= a.getMinX() + LINE;
    return above ? !right : !below && left;
  }

  private static void controls(Node node, Set<Node> found) {
    if (!node.isVisible() || node.isDisabled()) {
      return;
    }
    boolean container = node instanceof ScrollPane || node instanceof SplitPane;
    // The arrow keys choose among the others.
    boolean unchosen =
        node instanceof ToggleButton toggle
            && toggle.getToggleGroup() != null
            && !toggle.isSelected();
    if (node.isFocusTraversable() && !container && !unchosen) {
      found.add(node);
    }
    if (node instanceof Parent parent && !(node instanceof ComboBoxBase<?>)) {
      parent.getChildrenUnmodifiable().forEach(child -> controls(child, found));
    }
  }

  private static String name(Node node) {
    return "%s#%s %s"
        .formatted(node.getClass().getSimpleName(), node.getId(), node.getAccessibleText());
  }

  private static List<String> names(Set<Node> nodes) {
    return nodes.stream().map(FocusOrderTest::name).toList();
  }
}

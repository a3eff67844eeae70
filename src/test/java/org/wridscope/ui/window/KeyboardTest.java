// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.telemetry.MigrationStatus.FAILED;
import static org.wridscope.ui.OnFx.asLaidOut;
import static org.wridscope.ui.OnFx.onFx;
import static org.wridscope.ui.window.WindowFixture.await;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import javafx.event.Event;
import javafx.event.EventType;
import javafx.geometry.Bounds;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.Scene;
import javafx.scene.SnapshotParameters;
import javafx.scene.control.Button;
import javafx.scene.control.CheckBox;
import javafx.scene.control.ComboBoxBase;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.ListView;
import javafx.scene.control.ScrollPane;
import javafx.scene.control.SplitPane;
import javafx.scene.control.TabPane;
import javafx.scene.control.TableView;
import javafx.scene.control.TextField;
import javafx.scene.control.ToggleButton;
import javafx.scene.control.TreeTableView;
import javafx.scene.control.TreeView;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.stage.Stage;
import javafx.stage.Window;
import javafx.stage.WindowEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.testfx.api.FxRobot;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.Slow;
import org.wridscope.control.FakeSession;
import org.wridscope.control.attach.RdmaProcess;
import org.wridscope.telemetry.EventKind;
import org.wridscope.ui.settings.AttachDialog;

/**
 * The keyboard alone suffices: the Tab key leads to every control, in the order in which the eye
 * reads, and comes back; what has the keyboard can be seen; Enter accepts; and what is under the
 * hand has a context menu.
 */
@Slow("it opens the window, which draws in real time")
final class KeyboardTest {
  /** Controls whose edges differ by less are in one line. */
  private static final double LINE = 6;

  /**
   * A walk from control to control, each with its name, until one of them was reached again.
   *
   * @param back whether that one is the first; else it is a trap
   * @param end that one
   * @param missed the controls that were not reached
   * @param backwards the steps to the left or up
   * @param unseen the controls that look the same whether they have the keyboard or not
   */
  private record Walk(
      boolean back,
      String end,
      List<String> reached,
      List<String> missed,
      List<String> backwards,
      List<String> unseen) {}

  private static final List<KeyCode> DIGITS =
      List.of(
          KeyCode.DIGIT1,
          KeyCode.DIGIT2,
          KeyCode.DIGIT3,
          KeyCode.DIGIT4,
          KeyCode.DIGIT5,
          KeyCode.DIGIT6,
          KeyCode.DIGIT7,
          KeyCode.DIGIT8,
          KeyCode.DIGIT9);

  @RegisterExtension final WindowFixture window = new WindowFixture(1280, 800);

  private final Set<String> unseen = new TreeSet<>();

  @AfterEach
  void whatHasTheKeyboard_canBeSeen() {
    assertThat(unseen).isEmpty();
  }

  @Test
  void mainWindow_andItsViews(FxRobot robot) {
    Scene scene = window.stage().getScene();
    assertThat(owner(scene)).isEqualTo("start");
    assertWalk(scene);
    assertMenus(robot, scene);
    FakeSession source = window.startLab();
    window.manager.sessions().forEach(each -> ((FakeSession) each).end(FAILED, "It broke."));
    await("its end", () -> !window.isShown("#cancel"));
    source.telemetry().log().add(1, EventKind.POST_RECEIVE, 0, 0, 4000, 0);
    int pictures = 0;
    for (int view = 0; view < views(); view++) {
      boolean inside = onFx(() -> isInViews(focused(scene)));
      window.press(KeyCode.CONTROL, DIGITS.get(view));
      // What is not shown any more loses the keyboard with the next frame.
      await("the keyboard", () -> onFx(() -> WindowFixture.isShown(focused(scene))));
      assertThat(onFx(() -> isInViews(focused(scene))))
          .as("whether view %s has the keyboard that the view before had", view)
          .isEqualTo(inside);
      for (Node picture : pictures()) {
        robot.clickOn(picture);
        assertThat(onFx(scene::getFocusOwner))
            .as("view %s, %s", view, picture.getAccessibleText())
            .isSameAs(picture);
        pictures++;
        type(robot, scene, KeyCode.CONTEXT_MENU);
        assertThat(menus()).as("menus of %s", picture.getAccessibleText()).isPositive();
        robot.interact(KeyboardTest::hideMenus);
      }
      assertWalk(scene);
      assertMenus(robot, scene);
    }
    assertThat(pictures).isGreaterThanOrEqualTo(8);
    robot.interact(() -> window.list().requestFocus());
    window.press(KeyCode.SHIFT, KeyCode.F10);
    assertThat(menus()).as("menus of the list").isPositive();
    robot.interact(KeyboardTest::hideMenus);
  }

  @Test
  void dialogsAndOtherWindows(FxRobot robot) {
    window.press(KeyCode.CONTROL, KeyCode.L);
    window.press(KeyCode.ENTER);
    await("the lab to be shown", () -> window.isShown("#cancel"));
    // Compare shows two.
    window.press(KeyCode.CONTROL, KeyCode.L);
    window.press(KeyCode.ENTER);
    await("another one", () -> window.list().getItems().size() >= 2);
    for (String opener : List.of("#new-source", "#new-destination", "#lab new-lab")) {
      open(opener, robot);
      Scene dialog = top();
      assertThat(owner(dialog)).isIn("dialog-uri", "field-uri", "dialog-synthetic");
      assertWalk(dialog);
      assertEnterAccepts(robot, dialog);
      type(robot, dialog, KeyCode.ESCAPE);
      assertThat(dialog.getWindow().isShowing()).isFalse();
    }

    open("#recordings attach-wridscope", robot);
    Scene attach = top();
    assertThat(owner(attach)).isEqualTo("wridscope-address");
    assertWalk(attach);
    type(robot, attach, KeyCode.ESCAPE);
    assertThat(attach.getWindow().isShowing()).isFalse();
    List<RdmaProcess> none = List.of();
    robot.interact(() -> new AttachDialog(window.stage(), none, "", _ -> {}).show());
    Scene processes = top();
    assertWalk(processes);
    assertThat(assertMenus(robot, processes)).isEqualTo(1);
    type(robot, processes, KeyCode.ESCAPE);

    for (String opener :
        List.of("#show-devices", "#show-qemus", "#show-fleet", "#help", "#recordings compare")) {
      open(opener, robot);
      Scene other = top();
      assertThat(other).isNotSameAs(window.stage().getScene());
      assertWalk(other);
      assertThat(assertMenus(robot, other)).as(opener).isGreaterThanOrEqualTo(listsBehind(opener));
      type(robot, other, KeyCode.ESCAPE);
      assertThat(other.getWindow().isShowing()).as("%s, %s", opener, owner(other)).isFalse();
    }

    open("#lab scenarios-menu", robot);
    assertWalk(top());
    Node run =
        onFx(() ->
            top().getRoot().lookupAll(".button").stream()
                .filter(node -> node.getId() != null && node.getId().startsWith("run-"))
                .findFirst()
                .orElseThrow());
    assertMenu(robot, top(), run);
    window.setField("#scenario-filter", "loss");
    type(robot, top(), KeyCode.ESCAPE);
    open("#lab scenarios-menu", robot);
    TextField filter = robot.lookup("#scenario-filter").queryAs(TextField.class);
    assertThat(filter.isFocused()).isTrue();
    assertThat(filter.getSelectedText()).isEqualTo("loss");
    type(robot, top(), KeyCode.ESCAPE);

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

  /** Enter accepts a dialog from each of its inputs. */
  private static boolean isInViews(Node node) {
    Node each = node;
    while (each != null && !"views".equals(each.getId())) {
      each = each.getParent();
    }
    return each != null;
  }

  private static void assertEnterAccepts(FxRobot robot, Scene dialog) {
    var accepted = new AtomicInteger();
    List<Node> inputs =
        onFx(() -> {
          Button accept = (Button) dialog.lookup("#dialog-accept");
          accept.setDisable(false);
          accept.setOnAction(_ -> accepted.incrementAndGet());
          return dialog.getRoot().lookupAll("*").stream()
              .filter(node -> node.isFocusTraversable() && WindowFixture.isShown(node))
              .filter(node ->
                  node instanceof TextField
                      || node instanceof ToggleButton
                      || node instanceof CheckBox
                      || node instanceof ComboBoxBase<?>)
              .toList();
        });
    assertThat(inputs).hasSizeGreaterThan(4);
    for (Node input : inputs) {
      int before = accepted.get();
      robot.interact(input::requestFocus);
      type(robot, dialog, KeyCode.ENTER);
      assertThat(accepted.get()).as("%s", input).isEqualTo(before + 1);
    }
  }

  /** How many lists, tables and plots a window has at least; that of QEMUs has cards. */
  private static int listsBehind(String opener) {
    return opener.equals("#show-qemus") ? 0 : 1;
  }

  /**
   * Each list, table and plot has a context menu, by the keyboard alone.
   *
   * @return how many there are
   */
  private int assertMenus(FxRobot robot, Scene scene) {
    List<Node> all =
        onFx(() ->
            scene.getRoot().lookupAll("*").stream()
                .filter(KeyboardTest::isOfRows)
                .filter(node -> node.isFocusTraversable() && WindowFixture.isShown(node))
                // An empty log has nothing that could be done with it.
                .filter(node -> !(isLog(node) && ((TableView<?>) node).getItems().isEmpty()))
                .toList());
    all.forEach(node -> assertMenu(robot, scene, node));
    return all.size();
  }

  private static boolean isLog(Node node) {
    return "log-table".equals(node.getId());
  }

  private static boolean isOfRows(Node node) {
    return node instanceof ListView<?>
        || node instanceof TableView<?>
        || node instanceof TreeView<?>
        || node instanceof TreeTableView<?>
        || "compare-strip".equals(node.getId())
        || "chunk-map".equals(node.getId())
        || node.getStyleClass().contains("chart-view");
  }

  private static void assertMenu(FxRobot robot, Scene scene, Node node) {
    robot.interact(node::requestFocus);
    type(robot, scene, KeyCode.CONTEXT_MENU);
    assertThat(menus()).as("menus of %s", name(node)).isPositive();
    robot.interact(KeyboardTest::hideMenus);
  }

  private static long menus() {
    return onFx(() -> Window.getWindows().stream().filter(ContextMenu.class::isInstance).count());
  }

  private static void hideMenus() {
    List.copyOf(Window.getWindows()).stream()
        .filter(ContextMenu.class::isInstance)
        .forEach(Window::hide);
  }

  private int views() {
    return onFx(() -> ((TabPane) window.stage().getScene().lookup("#views")).getTabs().size());
  }

  private List<Node> pictures() {
    return onFx(() ->
        window.stage().getScene().getRoot().lookupAll("*").stream()
            .filter(node ->
                "chunk-map".equals(node.getId()) || node.getStyleClass().contains("chart-view"))
            .filter(WindowFixture::isShown)
            .toList());
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

  private void assertWalk(Scene scene) {
    // A new window may get the keyboard only with its first frame.
    await("the keyboard", () -> onFx(() -> scene.getFocusOwner() != null));
    Walk walk = onFx(() -> walk(scene));
    assertThat(walk.back).as("trap at %s after %s", walk.end, walk.reached).isTrue();
    assertThat(walk.missed).as("not reached").isEmpty();
    unseen.addAll(walk.unseen);
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
    var unseen = new ArrayList<String>();
    while (reached.add(at) && reached.size() <= controls.size() + 10) {
      int[] focused = pixels(at);
      type(scene, KeyCode.TAB);
      // What scrolls to the control that has the focus does so when a snapshot lays it out.
      int[] left = pixels(at);
      Node to = focused(scene);
      if (leadsBack(asLaidOut(at), asLaidOut(to))) {
        backwards.add(name(at) + " -> " + name(to));
      }
      if (!at.equals(to) && Arrays.equals(focused, left)) {
        unseen.add(name(at));
      }
      at = to;
    }
    controls.removeAll(reached);
    return new Walk(at.equals(first), name(at), names(reached), names(controls), backwards, unseen);
  }

  /** What a control looks like. */
  private static int[] pixels(Node node) {
    return Pictures.pixels(node.snapshot(new SnapshotParameters(), null));
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
    return nodes.stream().map(KeyboardTest::name).toList();
  }
}

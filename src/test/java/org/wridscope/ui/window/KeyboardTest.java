// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.onFx;
import static org.wridscope.ui.window.WindowFixture.await;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.CheckBox;
import javafx.scene.control.ComboBoxBase;
import javafx.scene.control.TabPane;
import javafx.scene.control.TextField;
import javafx.scene.control.ToggleButton;
import javafx.scene.input.KeyCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;

/** Keys go where a user expects them. */
@Slow("it opens the window, which draws in real time")
final class KeyboardTest {
  @RegisterExtension final WindowFixture window = new WindowFixture(1280, 800);

  @Test
  void click_leavesTheKeyboardInThePicture(FxRobot robot) {
    window.startLab();
    int clicked = 0;
    for (int view = 0; view < views(); view++) {
      int shown = view;
      robot.interact(() -> Script.open(shown));
      for (Node picture : pictures()) {
        robot.clickOn(picture);
        assertThat(onFx(() -> window.stage().getScene().getFocusOwner()))
            .as("view %s, %s", view, picture.getAccessibleText())
            .isSameAs(picture);
        clicked++;
      }
    }
    assertThat(clicked).isGreaterThanOrEqualTo(8);
  }

  @Test
  void enter_startsWhatTheShortcutOpened(FxRobot robot) {
    window.press(KeyCode.CONTROL, KeyCode.L);
    window.press(KeyCode.ENTER);
    await("the lab to be shown", () -> window.isShown("#cancel"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"#new-source", "#new-destination", "#new-lab"})
  void enter_inAnyInputOfADialog_accepts(String opener, FxRobot robot) {
    if (opener.equals("#new-lab")) {
      window.press(KeyCode.CONTROL, KeyCode.L);
    } else {
      robot.clickOn(opener);
    }
    var accepted = new AtomicInteger();
    List<Node> inputs =
        onFx(() -> {
          Button accept = robot.lookup("#dialog-accept").queryButton();
          accept.setDisable(false);
          accept.setOnAction(_ -> accepted.incrementAndGet());
          return accept.getScene().getRoot().lookupAll("*").stream()
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
      window.press(KeyCode.ENTER);
      assertThat(accepted.get()).as("%s", input).isEqualTo(before + 1);
    }
  }

  @Test
  void scenariosOpenedAgain_areSearchedForWhatIsTyped(FxRobot robot) {
    window.choose("#lab", "scenarios-menu");
    window.setField("#scenario-filter", "loss");
    window.press(KeyCode.ESCAPE);
    window.choose("#lab", "scenarios-menu");
    TextField filter = robot.lookup("#scenario-filter").queryAs(TextField.class);
    assertThat(filter.isFocused()).isTrue();
    assertThat(filter.getSelectedText()).isEqualTo("loss");
    window.press(KeyCode.ESCAPE);
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
}

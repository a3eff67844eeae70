// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import javafx.collections.ObservableList;
import javafx.scene.control.Label;
import javafx.scene.control.ListView;
import javafx.scene.control.Tab;
import javafx.scene.control.TabPane;
import javafx.scene.input.KeyCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.settings.Setting;
import org.wridscope.settings.SettingTable;
import org.wridscope.ui.help.HelpPane;
import org.wridscope.ui.settings.Field;

/** Help of the window. */
@Slow("it opens the window, which draws in real time")
final class HelpTest {
  @RegisterExtension final WindowFixture window = new WindowFixture(1200, 760);

  private List<String> page(FxRobot robot) {
    return robot
        .lookup("#help-page")
        .lookup(Label.class::isInstance)
        .queryAllAs(Label.class)
        .stream()
        .map(Label::getText)
        .toList();
  }

  @Test
  void f1_tellsAboutTheViewAtHand_whicheverItIs(FxRobot robot) {
    window.startLab();
    ObservableList<Tab> tabs = robot.lookup("#views").queryAs(TabPane.class).getTabs();
    for (Tab tab : tabs) {
      robot.interact(() -> tab.getTabPane().getSelectionModel().select(tab));
      robot.interact(() -> robot.lookup("#help").queryButton().fire());
      assertThat(page(robot).getFirst()).isEqualTo(tab.getText());
      assertThat(page(robot)).contains("What it shows", "How it is measured", "Keys and mouse");
    }
  }

  @Test
  void helpHasAGlossary_andSaysWhatTheProgramIs(FxRobot robot) {
    window.press(KeyCode.F1);
    ListView<?> topics = robot.lookup("#help-topics").queryListView();
    int about = topics.getItems().size() - 1;
    robot.interact(() -> topics.getSelectionModel().select(about - 1));
    assertThat(page(robot)).startsWith(HelpPane.GLOSSARY).contains("READY", "wrid", "RNR");
    robot.interact(() -> topics.getSelectionModel().select(about));
    WindowFixture.await(
        "the devices", () -> page(robot).stream().noneMatch(text -> text.startsWith("looking")));
    assertThat(page(robot))
        .startsWith(HelpPane.ABOUT)
        .contains("Version", "Licence", System.getProperty("javafx.runtime.version"));
  }

  @Test
  void everyFieldAndOption_hasAHint() {
    assertThat(Field.all()).allSatisfy(field -> assertThat(field.hint()).endsWith("."));
    assertThat(SettingTable.that(Setting::isInput))
        .allSatisfy(option -> assertThat(option.hint()).endsWith("."));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.inspector;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.control.Label;
import javafx.scene.input.Clipboard;
import javafx.scene.input.KeyCode;
import javafx.scene.layout.Region;
import javafx.scene.layout.StackPane;
import javafx.scene.text.Text;
import javafx.stage.Stage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.Start;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.Slow;
import org.wridscope.control.FakeSession;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.OnFxRobot;
import org.wridscope.ui.Selection;

@Slow("it opens a window")
@ExtendWith(OnFxRobot.class)
final class InspectorTest {
  private static final String LONG = "rdma:a-host-with-a-very-long-name.of.a.laboratory:44444";

  private Inspector inspector;

  @Start
  void start(Stage stage) {
    inspector = new Inspector(new Selection(), Runnable::run);
    stage.setX(0);
    stage.setY(0);
    // In its own pane, because the stage may still have the size of another test.
    var narrow = (Region) inspector.node();
    narrow.setMaxSize(240, 500);
    stage.setScene(new Scene(new StackPane(narrow), 240, 500));
    stage.show();
    inspector.show(new SessionPair(new FakeSession("one", LONG, Role.SOURCE, true), null));
  }

  private Label value() {
    List<Label> found =
        inspector.node().lookupAll(".inspector-value").stream()
            .map(Label.class::cast)
            .filter(label -> label.getText().equals(LONG))
            .toList();
    assertThat(found).hasSize(1);
    return found.getFirst();
  }

  @Test
  void longValue_isCutWithAnEllipsis_andWholeInItsTooltip() throws TimeoutException {
    Label value = value();
    Node written = value.lookup(".text");
    WaitForAsyncUtils.waitFor(20, TimeUnit.SECONDS, () -> ((Text) written).getText().contains("…"));
    assertThat(((Text) written).getText()).startsWith("rdma:").endsWith("44");
    assertThat(value.getTooltip().getText()).contains(LONG);
  }

  @Test
  void value_clickedAndCopied_isWholeInTheClipboard(FxRobot robot) {
    robot.clickOn(value());
    robot.press(KeyCode.CONTROL, KeyCode.C).release(KeyCode.C, KeyCode.CONTROL);
    var copied = new String[1];
    robot.interact(() -> copied[0] = Clipboard.getSystemClipboard().getString());
    assertThat(copied[0]).isEqualTo(LONG);
    assertThat(value().getContextMenu().getItems()).extracting("text").containsExactly("Copy");
  }
}

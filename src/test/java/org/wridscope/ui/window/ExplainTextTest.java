// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.window.WindowFixture.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javafx.scene.control.Button;
import javafx.scene.control.TextArea;
import javafx.scene.control.TextField;
import javafx.scene.input.Clipboard;
import javafx.scene.input.DataFormat;
import javafx.scene.input.KeyCode;
import javafx.stage.Stage;
import javafx.stage.Window;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.ui.sessions.Migration;

/** A text that is pasted into the window, by the keyboard alone. */
@Slow("it opens the window, which draws in real time")
final class ExplainTextTest {
  private static final String CONSOLE =
      """
      > (qemu) migrate -d rdma:192.0.2.7:8888
      > qemu-system-x86_64: cannot get lkey
      > qemu-system-x86_64: failed to save SaveStateEntry with id(name): 2(ram): -22
      """;

  @RegisterExtension final WindowFixture window = new WindowFixture(1280, 800);

  private static TextArea area(FxRobot robot, String id) {
    return robot.lookup(id).queryAs(TextArea.class);
  }

  private static String answer(FxRobot robot) {
    return area(robot, "#explained-answer").getText();
  }

  private static void toClipboard(FxRobot robot, String text) {
    robot.interact(
        () -> Clipboard.getSystemClipboard().setContent(Map.of(DataFormat.PLAIN_TEXT, text)));
  }

  private static boolean isSideShown() {
    return Window.getWindows().stream()
        .filter(Stage.class::isInstance)
        .map(Stage.class::cast)
        .anyMatch(stage -> "Wridscope: explain a text".equals(stage.getTitle()));
  }

  @Test
  void pastedConsole_isExplained_copied_andOpened(FxRobot robot, @TempDir Path folder)
      throws IOException {
    Path noEnd =
        Files.writeString(
            folder.resolve("console.log"),
            """
            qemu-system-x86_64: rdma migration: recv polling control error!
            qemu-system-x86_64: RDMA is in an error state waiting migration to abort!
            """);
    toClipboard(robot, CONSOLE);
    robot.interact(() -> window.list().requestFocus());
    window.press(KeyCode.CONTROL, KeyCode.V);
    await("the explanation", () -> answer(robot).contains("First cause, line 2"));
    assertThat(answer(robot))
        .startsWith("The text: 3 lines, ")
        .contains("cannot get lkey")
        .contains("ulimit -l");
    assertThat(area(robot, "#explained-text").isFocused()).isTrue();

    robot.interact(() -> robot.lookup("#copy-explanation").queryAs(Button.class).fire());
    robot.interact(
        () -> assertThat(Clipboard.getSystemClipboard().getString()).isEqualTo(answer(robot)));

    // Tab leaves the text, whose content it does not change.
    window.press(KeyCode.TAB);
    assertThat(area(robot, "#explained-text").isFocused()).isFalse();
    assertThat(area(robot, "#explained-text").getText()).isEqualTo(CONSOLE);

    // Typing another text changes the answer; a single line is read as explain LINE does.
    robot.interact(() -> area(robot, "#explained-text").setText("wc status 12"));
    await("the other answer", () -> answer(robot).contains("IBV_WC_RETRY_EXC_ERR"));
    robot.interact(() -> area(robot, "#explained-text").setText("lorem ipsum"));
    await("no answer", () -> answer(robot).startsWith("Nothing is known about this text."));

    robot.interact(() -> area(robot, "#explained-text").setText(CONSOLE));
    robot.interact(() -> robot.lookup("#open-explained").queryAs(Button.class).fire());
    await("the session", () -> window.selected() != null && window.selected().recorded());
    Migration opened = window.selected();
    assertThat(opened.pair()).isNotNull();
    assertThat(opened.pair().leading().uri()).isEqualTo("rdma:192.0.2.7:8888");
    assertThat(opened.pair().leading().outcome()).contains("cannot get lkey");
    assertThat(isSideShown()).isFalse();

    // A text field takes the key itself.
    toClipboard(robot, "status 5");
    window.press(KeyCode.CONTROL, KeyCode.F);
    await("the search", () -> robot.lookup("#search-text").queryAs(TextField.class).isFocused());
    window.press(KeyCode.CONTROL, KeyCode.V);
    await("the text", () -> window.field("#search-text").equals("status 5"));
    assertThat(isSideShown()).isFalse();

    // A console that does not show its end is asked for it; its lines can be explained without.
    robot.interact(() -> window.main().openRecordings(List.of(noEnd)));
    await("the question", () -> robot.lookup("#question-explain").tryQuery().isPresent());
    robot.interact(() -> robot.lookup("#question-explain").queryAs(Button.class).fire());
    await("the explanation", () -> isSideShown() && answer(robot).contains("First error, line 1"));
  }
}

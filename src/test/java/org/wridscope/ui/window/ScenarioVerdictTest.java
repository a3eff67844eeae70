// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.OnFx.onFx;
import static org.wridscope.ui.window.WindowFixture.await;

import java.util.List;
import java.util.concurrent.Callable;
import javafx.css.PseudoClass;
import javafx.scene.Node;
import javafx.scene.control.Label;
import javafx.scene.control.ListCell;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.control.FakeSession;
import org.wridscope.telemetry.MigrationStatus;

/** Whether a scenario failed as it should is said the same in the list, the header and Explain. */
@Slow("it opens the window, which draws in real time")
final class ScenarioVerdictTest {
  private static final int EXPLAIN = 7;
  private static final PseudoClass ERROR = PseudoClass.getPseudoClass("error");
  private static final PseudoClass EXPECTED = PseudoClass.getPseudoClass("expected");

  @RegisterExtension final WindowFixture window = new WindowFixture(1280, 800);

  /** Runs a scenario whose source ends with a failure; its destination is still there. */
  private void fail(FxRobot robot, String scenario, String sentence) {
    window.choose("#lab", "scenarios-menu");
    await("the scenarios", () -> window.isShown("#scenarios"));
    robot.interact(() -> robot.lookup("#run-" + scenario).queryButton().fire());
    await("the run", () -> window.isShown("#cancel"));
    robot.interact(() -> Script.open(EXPLAIN));
    source().end(MigrationStatus.FAILED, sentence);
  }

  private FakeSession source() {
    return (FakeSession) window.manager.sessions().getFirst();
  }

  private FakeSession destination() {
    return (FakeSession) window.manager.sessions().getLast();
  }

  /** What is said about the migration, from top to bottom, with how it looks. */
  private record Shown(
      String cell,
      String read,
      List<String> cellIcon,
      List<String> cause,
      String header,
      List<String> chip,
      String message,
      boolean messageIsRed,
      String headline,
      List<String> headlineIcon,
      boolean stagesAreRed) {}

  private static List<String> statusClasses(Node node) {
    return node.getStyleClass().stream().filter(name -> name.startsWith("status-")).toList();
  }

  private Shown shown(FxRobot robot) {
    Callable<Shown> read =
        () -> {
          ListCell<?> cell =
              robot.lookup("#sessions .list-cell").queryAllAs(ListCell.class).stream()
                  .filter(each -> window.selected().equals(each.getItem()))
                  .findFirst()
                  .orElseThrow();
          var header = robot.lookup("#status").queryAs(Label.class);
          var message = robot.lookup("#message").queryAs(Label.class);
          Node stages = robot.lookup(".stages").query();
          var headline = robot.lookup("#explain-headline").queryAs(Label.class);
          return new Shown(
              ((Label) cell.lookup(".session-status")).getText(),
              cell.getAccessibleText(),
              statusClasses(cell.lookup(".ikonli-font-icon")),
              statusClasses(cell.lookup(".session-outcome")),
              header.getText(),
              statusClasses(header).stream().filter(name -> !name.equals("status-chip")).toList(),
              message.getText(),
              message.getPseudoClassStates().contains(ERROR),
              headline.getText(),
              statusClasses(headline.getGraphic()),
              !stages.getPseudoClassStates().contains(EXPECTED));
        };
    return onFx(read);
  }

  private static void assertRed(Shown shown, String sentence) {
    assertThat(shown.cell()).isEqualTo("failed");
    assertThat(shown.read()).contains(", failed").doesNotContain("as expected");
    assertThat(shown.cellIcon()).containsExactly("status-failed");
    assertThat(shown.cause()).containsExactly("status-failed");
    assertThat(shown.header()).isEqualTo("failed");
    assertThat(shown.chip()).containsExactly("status-failed");
    assertThat(shown.message()).contains(sentence);
    assertThat(shown.messageIsRed()).isTrue();
    assertThat(shown.headline()).contains(sentence).doesNotContain("as expected");
    assertThat(shown.headlineIcon()).containsExactly("status-failed");
    assertThat(shown.stagesAreRed()).isTrue();
  }

  @Test
  void scenarioThatShouldFail_failed_asExpected_everywhere(FxRobot robot) {
    String sentence = "The device reported QP_FATAL.";
    fail(robot, "queue-pair-fatal", sentence);
    await("Explain", () -> window.text("#explain-headline").contains(sentence));
    // The destination has not ended, so there is no verdict.
    assertRed(shown(robot), sentence);
    destination().end(MigrationStatus.FAILED, "The source is gone.");
    await("the verdict", () -> window.isShown("#banner"));
    await("Explain", () -> window.text("#explain-headline").startsWith("Failed, as expected: "));
    Shown shown = shown(robot);
    assertThat(window.text("#banner")).endsWith(": failed, as expected.");
    assertThat(shown.cell()).isEqualTo("failed, as expected");
    assertThat(shown.read()).contains(", failed, as expected");
    assertThat(shown.cellIcon()).containsExactly("status-done");
    assertThat(shown.cause()).containsExactly("status-done");
    assertThat(shown.header()).isEqualTo("failed, as expected");
    assertThat(shown.chip()).containsExactly("status-done");
    assertThat(shown.message()).contains(sentence);
    assertThat(shown.messageIsRed()).isFalse();
    assertThat(shown.headline()).isEqualTo("Failed, as expected: " + shown.message());
    assertThat(shown.headlineIcon()).containsExactly("status-done");
    robot.interact(() -> Script.open(0));
    await("the stages", () -> !shown(robot).stagesAreRed());
  }

  @Test
  void scenarioThatShouldFailOtherwise_staysRedEverywhere(FxRobot robot) {
    String sentence = "The peer refused the connection.";
    fail(robot, "queue-pair-fatal", sentence);
    destination().end(MigrationStatus.FAILED, "The source is gone.");
    await("the verdict", () -> window.isShown("#banner"));
    await("Explain", () -> window.text("#explain-headline").contains(sentence));
    assertThat(window.text("#banner")).contains(": not as expected.");
    assertRed(shown(robot), sentence);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.ui.window.WindowFixture.await;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.control.Labeled;
import javafx.scene.control.TabPane;
import javafx.scene.text.Text;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.testfx.api.FxRobot;
import org.wridscope.Slow;
import org.wridscope.recording.packets.CapturedConversation;
import org.wridscope.wire.Wire;

/** Captured packets in the window: what they do not show is not shown as if it were known. */
@Slow("it opens the window, which draws in real time")
final class CaptureWindowTest {
  @TempDir private Path folder;

  @RegisterExtension final WindowFixture window = new WindowFixture(1200, 760);

  private static List<String> texts(Node node) {
    var texts = new ArrayList<String>();
    if (node instanceof Labeled labeled) {
      texts.add(labeled.getText());
    } else if (node instanceof Text text) {
      texts.add(text.getText());
    }
    if (node instanceof Parent parent) {
      parent.getChildrenUnmodifiable().forEach(child -> texts.addAll(texts(child)));
    }
    return texts;
  }

  /** Waits until a view says something. */
  private void says(FxRobot robot, String view, String words) {
    TabPane tabs = robot.lookup("#views").queryAs(TabPane.class);
    robot.interact(() ->
        tabs.getTabs().stream()
            .filter(tab -> tab.getText().equals(view))
            .forEach(tab -> tabs.getSelectionModel().select(tab)));
    await(
        "'%s' in %s".formatted(words, view),
        () -> says(tabs.getSelectionModel().getSelectedItem().getContent(), words));
  }

  private static boolean says(Node node, String words) {
    return texts(node).stream().anyMatch(text -> text != null && text.contains(words));
  }

  @Test
  void connectionsOfAProgram_areNamedByTheirPeers(FxRobot robot) throws Exception {
    var wire = new Wire();
    for (int i = 0; i < 3; i++) {
      wire.add(Wire.A, Wire.B, 4, 18, i, new byte[4]).acknowledge(Wire.B, Wire.A, 17, i, 0x1f);
      wire.add(Wire.B, Wire.A, 4, 17, i, new byte[4]).acknowledge(Wire.A, Wire.B, 18, i, 0x1f);
    }
    window.open(List.of(wire.file(folder.resolve("program.pcap"))));
    says(robot, "Wrids", "QP 17 to 192.0.2.2");
    says(robot, "Wrids", "QP 18 (context 2) to 192.0.2.1");
    says(robot, "Wrids", "not captured: posting a receive sends no packet");
  }

  @Test
  void everyView_saysWhatPacketsDoNotTell(FxRobot robot) throws Exception {
    CapturedConversation talk = CapturedConversation.migration(false);
    talk.refuse(0x2c);
    talk.disconnect();
    window.open(List.of(talk.wire().file(folder.resolve("wire.pcap"))));
    Node root = robot.lookup(".window-root").query();
    await(
        "the status line",
        () -> says(root, "inferred from captured packets: wr_ids do not travel"));
    assertThat(says(root, "QP 18  ·  inferred from captured packets")).isTrue();
    says(robot, "Overview", "rounds not known");
    says(robot, "Registrations", "not known, because packets have only the destination's keys");
    says(robot, "Wrids", "○ sent again");
    says(robot, "Wrids", "not known when receives were posted");
    says(robot, "Virtio", "Captured packets do not show the virtio devices");
    says(robot, "Explain", "RNR NAK, source");
    says(robot, "Log", "RNR NAK, to be sent again after 640 µs");
  }
}

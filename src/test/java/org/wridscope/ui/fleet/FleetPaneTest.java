// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javafx.scene.Scene;
import javafx.scene.control.Button;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.TreeItem;
import javafx.scene.control.TreeTableView;
import javafx.stage.Stage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.ApplicationExtension;
import org.testfx.framework.junit5.Start;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.control.fleet.Fleet;
import org.wridscope.libvirt.FakeVirt;
import org.wridscope.libvirt.VirtDomain;

@ExtendWith(ApplicationExtension.class)
final class FleetPaneTest {
  private final FakeVirt virt = new FakeVirt();
  private final Fleet fleet = new Fleet(virt);

  @Start
  void start(Stage stage) {
    stage.setScene(new Scene(new FleetPane(fleet).node(), 1000, 640));
    stage.show();
  }

  @AfterEach
  void close() {
    fleet.close();
  }

  private static void connect(FxRobot robot, String address) {
    robot.interact(() -> {
      robot.lookup("#fleet-address").queryAs(ComboBox.class).getEditor().setText(address);
      robot.lookup("#fleet-connect").queryAs(Button.class).fire();
    });
  }

  /** Name and state of each row, of a domain after two spaces. */
  private static List<String> rows(FxRobot robot) {
    var rows = new ArrayList<String>();
    robot.interact(() -> {
      TreeTableView<FleetRow> table = table(robot);
      for (TreeItem<FleetRow> host : table.getRoot().getChildren()) {
        rows.add(text(host));
        host.getChildren().forEach(domain -> rows.add("  " + text(domain)));
      }
    });
    return rows;
  }

  @SuppressWarnings("unchecked")
  private static TreeTableView<FleetRow> table(FxRobot robot) {
    return (TreeTableView<FleetRow>) robot.lookup("#fleet-hosts").queryAs(TreeTableView.class);
  }

  private static String text(TreeItem<FleetRow> item) {
    return FleetTexts.name(item.getValue()) + ": " + FleetTexts.state(item.getValue());
  }

  private static void await(FxRobot robot, String... rows) throws Exception {
    WaitForAsyncUtils.waitFor(30, TimeUnit.SECONDS, () -> rows(robot).equals(List.of(rows)));
  }

  @Test
  void connectedHosts_areListedWithTheirDomains_live(FxRobot robot) throws Exception {
    FakeVirt.Host node = virt.host("qemu+ssh://node1/system", "node1").runs("web");
    virt.host("qemu+ssh://node2/system", "node2");
    connect(robot, "qemu+ssh://node1/system");
    connect(robot, "qemu+ssh://node2/system");
    await(robot, "node1: 1 of 1 domain active", "  web: running", "node2: 0 of 0 domains active");
    VirtDomain web = fleet.list().getFirst().domains().getFirst();
    node.set(new VirtDomain(web.id(), "web", VirtDomain.State.PAUSED, 1 << 30, 2)).runs("db");
    await(
        robot,
        "node1: 2 of 2 domains active",
        "  web: paused",
        "  db: running",
        "node2: 0 of 0 domains active");
  }

  @Test
  void wrongAddress_isToldAtTheField(FxRobot robot) {
    connect(robot, "node1");
    assertThat(robot.lookup("#fleet-problem").queryAs(Label.class).getText())
        .contains("write qemu+ssh://HOST/system");
    assertThat(fleet.list()).isEmpty();
  }

  @Test
  void hostThatCannotBeReached_saysWhy_andIsRemovedByItsButton(FxRobot robot) throws Exception {
    connect(robot, "qemu+ssh://nowhere/system");
    await(robot, "qemu+ssh://nowhere/system: not connected");
    robot.interact(() -> {
      assertThat(FleetTexts.about(table(robot).getRoot().getChildren().getFirst().getValue()))
          .isEqualTo("libvirt could not connect to qemu+ssh://nowhere/system: no route to host.");
      robot.lookup("#fleet-disconnect").queryAs(Button.class).fire();
    });
    await(robot);
    assertThat(fleet.list()).isEmpty();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javafx.event.Event;
import javafx.scene.Scene;
import javafx.scene.control.Button;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.TableView;
import javafx.scene.control.TextField;
import javafx.scene.control.TreeItem;
import javafx.scene.control.TreeTableView;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.stage.Stage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.testfx.api.FxRobot;
import org.testfx.framework.junit5.Start;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.Slow;
import org.wridscope.control.Session;
import org.wridscope.control.fleet.Fleet;
import org.wridscope.control.fleet.FleetHost;
import org.wridscope.control.fleet.FleetMigrations;
import org.wridscope.control.fleet.FleetPlan;
import org.wridscope.libvirt.FakeVirt;
import org.wridscope.libvirt.VirtDomain;
import org.wridscope.libvirt.VirtMigration;
import org.wridscope.libvirt.VirtUri;
import org.wridscope.ui.OnFxRobot;
import org.wridscope.ui.remembered.RecentUris;
import org.wridscope.ui.remembered.Remembered;
import org.wridscope.ui.remembered.StoredJson;

@Slow("views of a window, which draws them in real time")
@ExtendWith(OnFxRobot.class)
final class FleetPaneTest {
  private final FakeVirt virt = new FakeVirt();
  private final Fleet fleet = new Fleet(virt);
  private final FleetMigrations migrations = new FleetMigrations(virt);
  private final StoredJson store = Remembered.inMemory().state();
  private final RecentUris recent = new RecentUris(store, RecentUris.Kind.LIBVIRT);
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final List<Session> shown = new CopyOnWriteArrayList<>();

  private final FleetPane.Commands commands =
      new FleetPane.Commands() {
        @Override
        public void migrate(FleetHost source, List<VirtDomain> domains) {
          asked.add(
              source.title() + ": " + domains.stream().map(VirtDomain::name).sorted().toList());
        }

        @Override
        public void watch(FleetHost host, VirtDomain domain) {
          asked.add("watch " + domain.name() + " of " + host.title());
        }

        @Override
        public void show(Session session) {
          shown.add(session);
        }
      };

  @Start
  void start(Stage stage) {
    stage.setScene(new Scene(new FleetPane(fleet, migrations, recent, commands).node(), 1000, 640));
    stage.show();
  }

  @AfterEach
  void close() {
    migrations.list().forEach(migration -> migration.session().close());
    migrations.close();
    fleet.close();
  }

  private static void connect(FxRobot robot, String address) {
    robot.interact(() -> {
      TextField line = robot.lookup("#fleet-address").queryAs(ComboBox.class).getEditor();
      line.setText(address);
      Event.fireEvent(
          line,
          new KeyEvent(KeyEvent.KEY_PRESSED, "", "", KeyCode.ENTER, false, false, false, false));
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

  private static void select(FxRobot robot, int... rows) {
    robot.interact(() -> {
      table(robot).getSelectionModel().clearSelection();
      table(robot).getSelectionModel().selectIndices(rows[0], rows);
    });
    // The buttons follow with the next refresh.
    WaitForAsyncUtils.waitForFxEvents();
  }

  private static boolean press(FxRobot robot, String button) {
    var enabled = new AtomicBoolean();
    robot.interact(() -> {
      Button found = robot.lookup(button).queryAs(Button.class);
      enabled.set(!found.isDisabled());
      found.fire();
    });
    return enabled.get();
  }

  @Test
  void domainsOfOneHost_areMigrated_andAHostIsEvacuated(FxRobot robot) throws Exception {
    virt.host("qemu+ssh://node1/system", "node1").runs("web").runs("db");
    virt.host("qemu+ssh://node2/system", "node2").runs("mail");
    connect(robot, "qemu+ssh://node1/system");
    connect(robot, "qemu+ssh://node2/system");
    await(
        robot,
        "node1: 2 of 2 domains active",
        "  web: running",
        "  db: running",
        "node2: 1 of 1 domain active",
        "  mail: running");
    select(robot, 1, 2);
    assertThat(press(robot, "#fleet-migrate")).isTrue();
    select(robot, 0);
    assertThat(press(robot, "#fleet-migrate")).isFalse();
    assertThat(press(robot, "#fleet-evacuate")).isTrue();
    select(robot, 2, 4);
    assertThat(press(robot, "#fleet-migrate")).as("of two hosts").isFalse();
    assertThat(asked).containsExactly("node1: [db, web]", "node1: [db, web]");
  }

  @Test
  void domainOfThisMachine_isWatched_andNoOther(FxRobot robot) throws Exception {
    virt.host("qemu:///system", "here").runs("web").runs("db");
    virt.host("qemu+ssh://node2/system", "node2").runs("mail");
    connect(robot, "qemu:///system");
    connect(robot, "qemu+ssh://node2/system");
    await(
        robot,
        "here: 2 of 2 domains active",
        "  web: running",
        "  db: running",
        "node2: 1 of 1 domain active",
        "  mail: running");
    select(robot, 1, 2);
    assertThat(press(robot, "#fleet-watch")).as("two").isFalse();
    select(robot, 4);
    assertThat(press(robot, "#fleet-watch")).as("elsewhere").isFalse();
    select(robot, 2);
    assertThat(press(robot, "#fleet-watch")).isTrue();
    assertThat(asked).containsExactly("watch db of here");
  }

  @Test
  void migrations_areToldInOneTable_untilTheyAreCleared(FxRobot robot) throws Exception {
    FakeVirt.Host node = virt.host("qemu+ssh://node1/system", "node1").runs("web").runs("db");
    virt.host("qemu+ssh://node2/system", "node2");
    for (String domain : List.of("web", "db")) {
      migrations.start(
          new FleetPlan(
              VirtUri.parse("qemu+ssh://node1/system"),
              VirtUri.parse("qemu+ssh://node2/system"),
              UUID.nameUUIDFromBytes(domain.getBytes(StandardCharsets.UTF_8)),
              domain,
              new VirtMigration("", false, 0, 0, false, true, false),
              Duration.ofMillis(300)),
          1);
    }
    awaitTable(robot, "web: set-up", "db: waits for its turn");
    node.progress("web", Map.of("memory_total", 100L, "memory_remaining", 25L));
    awaitTable(robot, "web: active", "db: waits for its turn");
    robot.interact(() -> {
      migrationTable(robot).getSelectionModel().select(0);
      assertThat(migrationTable(robot).getItems().getFirst().progress()).isEqualTo(0.75);
      robot.lookup("#fleet-show").queryAs(Button.class).fire();
      migrationTable(robot).getSelectionModel().clearAndSelect(1);
      robot.lookup("#fleet-cancel").queryAs(Button.class).fire();
    });
    assertThat(shown).containsExactly(migrations.list().getFirst().session());
    node.arrive("web");
    awaitTable(robot, "web: completed", "db: cancelled");
    assertThat(robot.lookup("#fleet-summary").queryAs(Label.class).getText())
        .isEqualTo("Migrations: 2 of 2 have ended, 1 of them without success");
    assertThat(press(robot, "#fleet-clear")).isTrue();
    assertThat(migrations.list()).isEmpty();
  }

  @SuppressWarnings("unchecked")
  private static TableView<MigrationRow> migrationTable(FxRobot robot) {
    return (TableView<MigrationRow>) robot.lookup("#fleet-migrations").queryAs(TableView.class);
  }

  private static void awaitTable(FxRobot robot, String... rows) throws Exception {
    WaitForAsyncUtils.waitFor(
        30,
        TimeUnit.SECONDS,
        () -> {
          var seen = new ArrayList<String>();
          robot.interact(() -> {
            if (robot.lookup("#fleet-migrations").tryQuery().isPresent()) {
              migrationTable(robot)
                  .getItems()
                  .forEach(row -> seen.add(row.domain() + ": " + row.state()));
            }
          });
          return seen.equals(List.of(rows));
        });
  }

  private static List<?> offered(FxRobot robot) {
    ComboBox<?> address = robot.lookup("#fleet-address").queryAs(ComboBox.class);
    robot.interact(address::show);
    robot.interact(address::hide);
    return address.getItems();
  }

  @Test
  void addressOfAHost_isOfferedAgain_untilItIsForgotten(FxRobot robot) {
    virt.host("qemu+ssh://node1/system", "node1");
    assertThat(offered(robot)).hasSize(4);
    connect(robot, "qemu+ssh://node1/system");
    connect(robot, "qemu:///session");
    assertThat(offered(robot))
        .hasToString(
            "[qemu:///session, qemu+ssh://node1/system, qemu:///system, qemu+ssh://HOST/system,"
                + " test:///default]");
    robot.interact(() -> RecentUris.memory(store).forget());
    assertThat(offered(robot)).hasSize(4);
  }

  @Test
  void wrongAddress_isToldAtTheField(FxRobot robot) {
    connect(robot, "node1");
    assertThat(recent.list()).isEmpty();
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

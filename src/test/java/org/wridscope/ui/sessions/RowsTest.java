// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javafx.collections.ListChangeListener;
import org.junit.jupiter.api.Test;
import org.wridscope.control.FakeSession;
import org.wridscope.control.Lab;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.Role;

final class RowsTest {
  private final SessionsModel model = new SessionsModel(Session::reading);
  private final Rows rows = new Rows(model.migrations());

  private Migration source(String name, String host) {
    var session = new FakeSession(name, "rdma:" + host + ":4444", Role.SOURCE, false);
    Migration migration = model.addStarted(new SessionPair(session, null));
    rows.update();
    return migration;
  }

  private Migration lab(String name) {
    return model.addLab(ends(name), null);
  }

  private static SessionPair pair(String name) {
    Lab ends = ends(name);
    return new SessionPair(ends.source(), ends.destination());
  }

  private static Lab ends(String name) {
    return new Lab(
        new FakeSession(name + " source", "rdma:127.0.0.1:1", Role.SOURCE, false),
        new FakeSession(name + " destination", "rdma:127.0.0.1:1", Role.DESTINATION, false));
  }

  /** The rows as a user reads them. */
  private List<String> texts() {
    return rows.list().stream()
        .map(row ->
            switch (row) {
              case Heading heading ->
                  (heading.folded() ? "> " : "v ") + heading.title() + " " + heading.count();
              case Migration migration -> migration.name();
            })
        .toList();
  }

  private Heading heading(Migration migration) {
    return Objects.requireNonNull(rows.headingOf(migration));
  }

  @Test
  void notGrouped_areTheMigrations() {
    Migration vm1 = source("vm1", "10.9.0.2");
    Migration vm2 = source("vm2", "10.9.0.1");
    assertThat(rows.list()).containsExactly(vm1, vm2);
    assertThat(rows.headingOf(vm1)).isNull();
  }

  @Test
  void byHost_thisMachineIsFirst_hostsAreInTheOrderOfTheirNumbers_andMigrationsInTheirs() {
    source("vm1", "10.9.0.10");
    source("vm2", "10.9.0.2");
    lab("lab 1");
    source("vm3", "10.9.0.10");
    rows.group(Grouping.HOST);
    assertThat(texts())
        .containsExactly(
            "v This machine 1",
            "lab 1",
            "v 10.9.0.2 1",
            "vm2 to 10.9.0.2",
            "v 10.9.0.10 2",
            "vm1 to 10.9.0.10",
            "vm3 to 10.9.0.10");
  }

  @Test
  void byHost_twoEnds_areWhereTheDestinationIs() {
    var source = new FakeSession("vm source", "rdma:10.9.0.1:1", Role.SOURCE, false);
    var here = new FakeSession("vm destination", "rdma:127.0.0.1:1", Role.DESTINATION, false);
    model.addStarted(new SessionPair(source, here));
    rows.group(Grouping.HOST);
    assertThat(texts()).containsExactly("v This machine 1", "vm to 10.9.0.1");
  }

  @Test
  void byScenario_runsOfOneAreTogether_andTheOthersFirst() {
    source("vm1", "10.9.0.1");
    model.addRun(pair("lab 1"), "Busy guest");
    model.addRun(pair("lab 2"), "All zeros");
    model.addRun(pair("lab 3"), "Busy guest");
    rows.group(Grouping.SCENARIO);
    assertThat(texts())
        .containsExactly(
            "v No scenario 1",
            "vm1 to 10.9.0.1",
            "v All zeros 1",
            "All zeros (2)",
            "v Busy guest 2",
            "Busy guest (1)",
            "Busy guest (3)");
  }

  @Test
  void folded_showsTheHeading_whichCountsNewOnes_untilOneIsRevealed() {
    Migration vm1 = source("vm1", "10.9.0.1");
    source("vm2", "10.9.0.2");
    rows.group(Grouping.HOST);
    Heading heading = heading(vm1);
    rows.fold(heading, true);
    assertThat(texts()).containsExactly("> 10.9.0.1 1", "v 10.9.0.2 1", "vm2 to 10.9.0.2");
    Migration vm3 = source("vm3", "10.9.0.1");
    assertThat(texts()).containsExactly("> 10.9.0.1 2", "v 10.9.0.2 1", "vm2 to 10.9.0.2");
    assertThat(heading(vm3)).isSameAs(heading);
    assertThat(heading.sentence()).isEqualTo("10.9.0.1, 2 migrations, folded");
    rows.reveal(vm3);
    assertThat(texts())
        .containsExactly(
            "v 10.9.0.1 2",
            "vm1 to 10.9.0.1",
            "vm3 to 10.9.0.1",
            "v 10.9.0.2 1",
            "vm2 to 10.9.0.2");
    assertThat(heading.sentence()).isEqualTo("10.9.0.1, 2 migrations, unfolded");
  }

  @Test
  void aGroupWithoutMigrations_goes_andComesBackUnfolded() {
    Migration vm1 = source("vm1", "10.9.0.1");
    source("vm2", "10.9.0.2");
    rows.group(Grouping.HOST);
    rows.fold(heading(vm1), true);
    model.hide(vm1);
    rows.update();
    assertThat(texts()).containsExactly("v 10.9.0.2 1", "vm2 to 10.9.0.2");
    assertThat(rows.headingOf(vm1)).isNull();
    model.restore(vm1);
    rows.update();
    assertThat(texts())
        .containsExactly("v 10.9.0.1 1", "vm1 to 10.9.0.1", "v 10.9.0.2 1", "vm2 to 10.9.0.2");
  }

  @Test
  void rowsThatStay_areNotTouched() {
    source("vm1", "10.9.0.2");
    Migration vm2 = source("vm2", "10.9.0.2");
    rows.group(Grouping.HOST);
    var changes = new ArrayList<String>();
    rows.list()
        .addListener(
            (ListChangeListener<Row>)
                change -> {
                  while (change.next()) {
                    changes.add("-" + change.getRemovedSize() + " +" + change.getAddedSize());
                  }
                });
    rows.update();
    assertThat(changes).isEmpty();
    source("vm3", "10.9.0.2");
    model.hide(vm2);
    rows.update();
    assertThat(changes).containsExactly("-0 +1", "-1 +0");
  }
}

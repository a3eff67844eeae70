// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import javafx.scene.control.Alert;
import javafx.stage.Stage;
import org.wridscope.control.qemu.QemuConnection;
import org.wridscope.control.qemu.QemuConnections;
import org.wridscope.qmp.FoundQemu;
import org.wridscope.qmp.QemuDiscovery;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.ui.Question;
import org.wridscope.ui.qemu.QemuPane;
import org.wridscope.ui.remembered.RecentUris;
import org.wridscope.ui.settings.LastInputs;
import org.wridscope.ui.settings.QemuMigrationForm;

/** The connected QEMUs, and what the user starts with them. For the JavaFX thread only. */
final class QemuActions {
  private final Stage owner;
  private final Starting starting;
  private final LastInputs lastInputs;
  private final Runnable uncover;
  private final QemuConnections connections = new QemuConnections();
  private final QemuPane pane;

  /**
   * @param owner the main window
   * @param lastInputs what dialogs about QEMUs begin with
   * @param uncover makes the main window visible, where something is being started
   */
  QemuActions(
      Stage owner,
      Executor background,
      Starting starting,
      LastInputs lastInputs,
      Runnable uncover) {
    this.owner = owner;
    this.starting = starting;
    this.lastInputs = lastInputs;
    this.uncover = uncover;
    pane =
        new QemuPane(
            connections,
            QemuActions::find,
            lastInputs.recentUris(RecentUris.Kind.QMP),
            background,
            new QemuPane.Commands() {
              @Override
              public void migrateFrom(QmpAddress qemu) {
                askAnew(QemuMigrationForm.from(qemu, connections.list()));
              }

              @Override
              public void receiveIn(QmpAddress qemu) {
                askAnew(QemuMigrationForm.into(qemu, connections.list()));
              }

              @Override
              public void watch(QmpAddress qemu) {
                askWatch(qemu);
              }
            });
  }

  /** Shows the connected QEMUs. */
  QemuPane pane() {
    return pane;
  }

  private static List<QemuPane.Offer> find() {
    return new QemuDiscovery()
        .find().stream()
            .flatMap(qemu ->
                qemu.addresses().stream()
                    .map(address -> new QemuPane.Offer(address, about(qemu, address))))
            .toList();
  }

  private static String about(FoundQemu qemu, QmpAddress address) {
    String name = qemu.name().isEmpty() ? address.toString() : qemu.name();
    return qemu.pid().isPresent()
        ? "%s (process %d)".formatted(name, qemu.pid().getAsLong())
        : name;
  }

  private Stage shownStage() {
    return pane.node().getScene().getWindow() instanceof Stage shown ? shown : owner;
  }

  /** Asks which other end is to be watched, too: a QEMU waits for a guest, or has one. */
  private void askWatch(QmpAddress address) {
    List<QemuConnection> all = connections.list();
    all.stream()
        .filter(qemu -> qemu.address().equals(address))
        .findFirst()
        .ifPresent(chosen -> {
          var choices = new ArrayList<Question.Choice>();
          for (QemuConnection other : all) {
            if (isOtherEnd(chosen, other)) {
              choices.add(
                  new Question.Choice(
                      "watch-both",
                      "Watch it and %s".formatted(other.title()),
                      () -> watch(List.of(address, other.address()))));
            }
          }
          choices.add(
              new Question.Choice("watch-alone", "Watch it alone", () -> watch(List.of(address))));
          Alert _ =
              Question.choose(
                  shownStage(),
                  "Watch %s?".formatted(chosen.title()),
                  "Its trace log is switched on and read here, until its next migration has"
                      + " ended or you stop watching; then it is restored. The migration is"
                      + " started elsewhere, over another QMP socket or monitor.",
                  choices,
                  "Cancel");
        });
  }

  private static boolean isOtherEnd(QemuConnection one, QemuConnection other) {
    return other.phase() == QemuConnection.Phase.CONNECTED
        && one.state() != null
        && other.state() != null
        && one.state().isIncoming() != other.state().isIncoming();
  }

  private void watch(List<QmpAddress> qemus) {
    uncover.run();
    starting.watchQemus(qemus, connections);
  }

  private void askAnew(QemuMigrationForm form) {
    lastInputs.enterInto(form);
    ask(form);
  }

  private void ask(QemuMigrationForm form) {
    Stage over = shownStage();
    starting.askQemu(
        over,
        form,
        plan -> {
          uncover.run();
          starting.startQemu(plan, connections, _ -> ask(form.again(connections.list())));
        });
  }

  /** Ends all connections. */
  void close() {
    connections.close();
  }
}

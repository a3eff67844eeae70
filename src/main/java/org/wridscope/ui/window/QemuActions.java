// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.List;
import java.util.concurrent.Executor;
import javafx.stage.Stage;
import org.wridscope.control.qemu.QemuConnections;
import org.wridscope.qmp.FoundQemu;
import org.wridscope.qmp.QemuDiscovery;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.ui.qemu.QemuPane;
import org.wridscope.ui.settings.QemuMigrationForm;

/** The connected QEMUs, and what the user starts with them. For the JavaFX thread only. */
final class QemuActions {
  private final Stage owner;
  private final Starting starting;
  private final Runnable uncover;
  private final QemuConnections connections = new QemuConnections();
  private final QemuPane pane;

  /**
   * @param owner the main window
   * @param uncover makes the main window visible, where something is being started
   */
  QemuActions(Stage owner, Executor background, Starting starting, Runnable uncover) {
    this.owner = owner;
    this.starting = starting;
    this.uncover = uncover;
    pane =
        new QemuPane(
            connections,
            QemuActions::find,
            background,
            new QemuPane.Commands() {
              @Override
              public void migrateFrom(QmpAddress qemu) {
                ask(QemuMigrationForm.from(qemu, connections.list()));
              }

              @Override
              public void receiveIn(QmpAddress qemu) {
                ask(QemuMigrationForm.into(qemu, connections.list()));
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

  private void ask(QemuMigrationForm form) {
    Stage over = pane.node().getScene().getWindow() instanceof Stage shown ? shown : owner;
    starting.askQemu(
        over,
        form,
        plan -> {
          uncover.run();
          starting.startQemu(plan, connections);
        });
  }

  /** Ends all connections. */
  void close() {
    connections.close();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import javafx.application.Platform;
import javafx.stage.Stage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.fleet.Fleet;
import org.wridscope.control.fleet.FleetChecks;
import org.wridscope.control.fleet.FleetHost;
import org.wridscope.control.fleet.FleetMigrations;
import org.wridscope.control.fleet.FleetPlan;
import org.wridscope.control.fleet.Readiness;
import org.wridscope.libvirt.VirtConnector;
import org.wridscope.libvirt.VirtDomain;
import org.wridscope.libvirt.VirtException;
import org.wridscope.libvirt.VirtUri;
import org.wridscope.ui.fleet.FleetPane;
import org.wridscope.ui.remembered.RecentUris;
import org.wridscope.ui.settings.Field;
import org.wridscope.ui.settings.FleetMigrationDialog;
import org.wridscope.ui.settings.FleetMigrationForm;
import org.wridscope.ui.settings.LastInputs;
import org.wridscope.ui.settings.Profiles;
import org.wridscope.watch.DomainWatch;

/** The connected hosts, and what the user starts with their domains. For the JavaFX thread only. */
final class FleetActions {
  private static final Logger LOG = LoggerFactory.getLogger(FleetActions.class);

  private final Stage owner;
  private final SessionManager manager;
  private final Executor background;
  private final LastInputs lastInputs;
  private final Profiles profiles;
  private final Watching watching;
  private final Fleet fleet;
  private final FleetMigrations migrations;
  private final FleetChecks checks;
  private final FleetPane pane;

  /** Watches the next migration of a domain of this machine. */
  @FunctionalInterface
  interface Watching {
    void watch(VirtUri host, VirtDomain domain, Path log);
  }

  /**
   * @param owner the main window
   * @param libvirt opens the connections
   * @param watching starts watches of domains
   * @param open shows a session in the views of the main window
   */
  FleetActions(
      Stage owner,
      SessionManager manager,
      Executor background,
      LastInputs lastInputs,
      Profiles profiles,
      VirtConnector libvirt,
      Watching watching,
      Consumer<Session> open) {
    this.owner = owner;
    this.manager = manager;
    this.background = background;
    this.lastInputs = lastInputs;
    this.profiles = profiles;
    this.watching = watching;
    fleet = new Fleet(libvirt);
    migrations = new FleetMigrations(libvirt);
    checks = new FleetChecks(libvirt);
    pane =
        new FleetPane(
            fleet,
            migrations,
            lastInputs.recentUris(RecentUris.Kind.LIBVIRT),
            new FleetPane.Commands() {
              @Override
              public void migrate(FleetHost source, List<VirtDomain> domains) {
                ask(source, domains);
              }

              @Override
              public void watch(FleetHost host, VirtDomain domain) {
                watchDomain(host, domain);
              }

              @Override
              public void show(Session session) {
                open.accept(session);
              }
            });
  }

  /** Shows the connected hosts. */
  FleetPane pane() {
    return pane;
  }

  private void ask(FleetHost source, List<VirtDomain> domains) {
    var form = new FleetMigrationForm(source, domains, fleet.list());
    lastInputs.enterInto(form);
    Stage over = pane.node().getScene().getWindow() instanceof Stage shown ? shown : owner;
    new FleetMigrationDialog(
            over,
            form,
            profiles,
            lastInputs.recentUris(RecentUris.Kind.FLEET).list(),
            (destination, found, failed) ->
                background.execute(() -> examine(form, destination, found, failed)),
            () -> start(form))
        .show();
  }

  private void examine(
      FleetMigrationForm form,
      FleetHost destination,
      Consumer<Readiness> found,
      Consumer<String> failed) {
    try {
      Readiness readiness = checks.examine(form.source().uri(), destination.uri(), form.domains());
      Platform.runLater(() -> found.accept(readiness));
    } catch (VirtException e) {
      Platform.runLater(() -> failed.accept(e.sentence()));
    } catch (RuntimeException e) {
      LOG.error("looking at hosts", e);
      Platform.runLater(() -> failed.accept("This program made an error; see its log."));
    }
  }

  private void watchDomain(FleetHost host, VirtDomain domain) {
    background.execute(() -> {
      try {
        Path log = DomainWatch.log(host.uri(), domain);
        Platform.runLater(() -> {
          pane.tell("");
          watching.watch(host.uri(), domain, log);
        });
      } catch (IOException e) {
        Platform.runLater(() -> pane.tell(String.valueOf(e.getMessage())));
      }
    });
  }

  private void start(FleetMigrationForm form) {
    lastInputs.keep(form);
    lastInputs.recentUris(RecentUris.Kind.FLEET).add(form.get(Field.URI));
    for (FleetPlan plan : form.plans()) {
      manager.add(migrations.start(plan, form.limit()).session());
    }
  }

  /** Ends all connections; the sessions are those of the manager. */
  void close() {
    fleet.close();
    migrations.close();
  }
}

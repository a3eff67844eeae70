// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.fleet;

import java.util.List;
import javafx.geometry.Orientation;
import javafx.geometry.Pos;
import javafx.scene.Parent;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.control.SplitPane;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import javafx.util.Duration;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.control.Session;
import org.wridscope.control.fleet.Fleet;
import org.wridscope.control.fleet.FleetHost;
import org.wridscope.control.fleet.FleetMigrations;
import org.wridscope.libvirt.VirtDomain;
import org.wridscope.libvirt.VirtUri;
import org.wridscope.ui.Hints;
import org.wridscope.ui.Menus;
import org.wridscope.ui.Presence;
import org.wridscope.ui.SuggestionBox;
import org.wridscope.ui.WhileShown;
import org.wridscope.ui.remembered.RecentUris;

/** Connects hosts through libvirt, and shows those that are connected. For the JavaFX thread. */
public final class FleetPane {
  private static final Duration REFRESH = Duration.millis(250);
  private static final List<String> USUAL =
      List.of("qemu:///system", "qemu:///session", "qemu+ssh://HOST/system", "test:///default");

  private final Fleet fleet;
  private final RecentUris recent;
  private final Commands commands;
  private final MigrationTable migrations;
  private final SplitPane halves = new SplitPane();
  private final SuggestionBox address = new SuggestionBox();
  private final Label problem = new Label();
  private final Label about = new Label();
  private final Button migrate = new Button("Migrate…", new FontIcon(Feather.ARROW_RIGHT_CIRCLE));
  private final Button watch = new Button("Watch", new FontIcon(Feather.EYE));
  private final Button evacuate = new Button("Evacuate…", new FontIcon(Feather.LOG_OUT));
  private final Button disconnect = new Button("Disconnect", new FontIcon(Feather.X));
  private final FleetTree tree = new FleetTree(this::selected);
  private final VBox root;

  /** What the user can do with domains. */
  public interface Commands {
    /** Asks how domains of a host are to be migrated, and starts that. */
    void migrate(FleetHost source, List<VirtDomain> domains);

    /** Watches the next migration of a domain, which somebody else starts. */
    void watch(FleetHost host, VirtDomain domain);

    /** Shows a migration in the views. */
    void show(Session session);
  }

  /**
   * @param fleet the hosts
   * @param started their migrations
   * @param recent receives the addresses of hosts, and offers them again
   */
  public FleetPane(Fleet fleet, FleetMigrations started, RecentUris recent, Commands commands) {
    this.fleet = fleet;
    this.recent = recent;
    this.commands = commands;
    migrations = new MigrationTable(started, commands::show);
    address.setId("fleet-address");
    address.prompt("qemu+ssh://HOST/system");
    Hints.explain(
        address, "The address of a libvirt, of another host through ssh or of this machine.");
    address.setOnShowing(_ -> offer());
    offer();
    address.onEnter(this::connect);
    HBox.setHgrow(address, Priority.ALWAYS);
    var connect = new Button("Connect", new FontIcon(Feather.LINK));
    connect.setId("fleet-connect");
    connect.setMinWidth(Region.USE_PREF_SIZE);
    connect.getStyleClass().add("accent");
    connect.setOnAction(_ -> connect());
    var label = new Label("Connection");
    label.setLabelFor(address);
    label.setMinWidth(Region.USE_PREF_SIZE);
    var bar = new HBox(8, label, address, connect);
    bar.setAlignment(Pos.CENTER_LEFT);
    problem.setId("fleet-problem");
    problem.getStyleClass().add("field-error");
    problem.setWrapText(true);
    problem.setMinHeight(Region.USE_PREF_SIZE);
    tell("");
    var head = new VBox(4, bar, problem);
    head.getStyleClass().add("view-bar");
    disconnect.setId("fleet-disconnect");
    disconnect.setTooltip(new Tooltip("Disconnect the selected hosts; their domains keep running"));
    disconnect.setOnAction(_ -> disconnect());
    about.setId("fleet-about");
    about.getStyleClass().addAll("muted", "small-text");
    about.setWrapText(true);
    about.setMaxWidth(Double.MAX_VALUE);
    HBox.setHgrow(about, Priority.ALWAYS);
    disconnect.setMinWidth(Region.USE_PREF_SIZE);
    migrate.setId("fleet-migrate");
    migrate.setMinWidth(Region.USE_PREF_SIZE);
    migrate.setTooltip(new Tooltip("Migrate the selected domains to another connected host"));
    migrate.setOnAction(_ -> migrateSelected());
    evacuate.setId("fleet-evacuate");
    evacuate.setMinWidth(Region.USE_PREF_SIZE);
    evacuate.setTooltip(new Tooltip("Migrate all active domains away from the selected host"));
    evacuate.setOnAction(_ -> evacuateSelected());
    watch.setId("fleet-watch");
    watch.setMinWidth(Region.USE_PREF_SIZE);
    watch.setTooltip(
        new Tooltip(
            "Show the next migration of the selected domain, even if another program"
                + " starts it, through the trace log of its QEMU on this machine"));
    watch.setOnAction(_ -> watchSelected());
    Menus.install(
        tree.node(),
        () ->
            List.of(
                Menus.of(watch),
                Menus.of(migrate),
                Menus.of(evacuate),
                Menus.of(disconnect),
                Menus.copy("the selected rows", tree::text)));
    var actions = new HBox(8, about, watch, migrate, evacuate, disconnect);
    actions.setAlignment(Pos.CENTER_LEFT);
    actions.getStyleClass().add("view-bar");
    VBox.setVgrow(tree.node(), Priority.ALWAYS);
    halves.setOrientation(Orientation.VERTICAL);
    halves.getItems().setAll(new VBox(tree.node(), actions));
    VBox.setVgrow(halves, Priority.ALWAYS);
    root = new VBox(head, halves);
    root.getStyleClass().add("window-root");
    selected();
    WhileShown.repeat(root, REFRESH, this::refresh);
  }

  /** The content of a window. */
  public Parent node() {
    return root;
  }

  private void offer() {
    address.offer(recent.list(), USUAL);
  }

  private void connect() {
    String typed = address.typed();
    if (typed.isEmpty()) {
      tell("Choose or type the address of a libvirt, for example qemu+ssh://HOST/system.");
      return;
    }
    try {
      VirtUri uri = VirtUri.parse(typed);
      fleet.connect(uri);
      recent.add(typed);
      tell("");
      address.getEditor().clear();
      refresh();
      tree.select(uri);
    } catch (IllegalArgumentException e) {
      tell(String.valueOf(e.getMessage()));
    }
  }

  private void disconnect() {
    tree.selected().stream().map(row -> row.host().uri()).distinct().forEach(fleet::disconnect);
    refresh();
  }

  /** The selected domains, if all are active and of one host that can be asked; none otherwise. */
  private List<VirtDomain> chosenDomains() {
    List<FleetRow> rows = tree.selected();
    boolean good =
        rows.stream()
                .allMatch(row ->
                    row instanceof FleetRow.Domain(FleetHost host, VirtDomain domain)
                        && host.phase() == FleetHost.Phase.CONNECTED
                        && domain.active())
            && rows.stream().map(row -> row.host().uri()).distinct().count() == 1;
    return good ? rows.stream().map(row -> ((FleetRow.Domain) row).domain()).toList() : List.of();
  }

  /** The selected host, if it has domains that can be migrated; null otherwise. */
  private @Nullable FleetHost chosenHost() {
    List<FleetRow> rows = tree.selected();
    return rows.size() == 1
            && rows.getFirst() instanceof FleetRow.Host(FleetHost host)
            && host.phase() == FleetHost.Phase.CONNECTED
            && !host.active().isEmpty()
        ? host
        : null;
  }

  private void migrateSelected() {
    List<VirtDomain> domains = chosenDomains();
    if (!domains.isEmpty()) {
      commands.migrate(tree.selected().getFirst().host(), domains);
    }
  }

  private void watchSelected() {
    List<VirtDomain> domains = chosenDomains();
    if (domains.size() == 1) {
      commands.watch(tree.selected().getFirst().host(), domains.getFirst());
    }
  }

  /** Says why something is not possible; empty for nothing. */
  public void tell(String sentence) {
    problem.setText(sentence);
    Presence.set(problem, !sentence.isEmpty());
  }

  private void evacuateSelected() {
    FleetHost host = chosenHost();
    if (host != null) {
      commands.migrate(host, host.active());
    }
  }

  private void selected() {
    List<FleetRow> rows = tree.selected();
    about.setText(rows.size() == 1 ? FleetTexts.about(rows.getFirst()) : "");
    disconnect.setDisable(rows.isEmpty());
    migrate.setDisable(chosenDomains().isEmpty());
    evacuate.setDisable(chosenHost() == null);
    watch.setDisable(chosenDomains().size() != 1 || !rows.getFirst().host().uri().host().isEmpty());
  }

  private void refresh() {
    tree.show(fleet.list());
    selected();
    boolean shown = halves.getItems().size() > 1;
    if (migrations.refresh() != shown) {
      if (shown) {
        halves.getItems().remove(migrations.node());
      } else {
        halves.getItems().add(migrations.node());
        halves.setDividerPositions(0.55);
      }
    }
  }
}

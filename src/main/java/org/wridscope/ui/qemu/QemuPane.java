// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.qemu;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import javafx.application.Platform;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import javafx.util.Duration;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.qemu.QemuConnection;
import org.wridscope.control.qemu.QemuConnections;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.ui.Hints;
import org.wridscope.ui.Presence;
import org.wridscope.ui.SuggestionBox;
import org.wridscope.ui.VerticalScroll;
import org.wridscope.ui.WhileShown;
import org.wridscope.ui.remembered.RecentUris;

/** Connects QEMUs, and shows those that are connected. For the JavaFX thread only. */
public final class QemuPane {
  private static final Logger LOG = LoggerFactory.getLogger(QemuPane.class);
  private static final Duration REFRESH = Duration.millis(200);

  private final QemuConnections connections;
  private final Finder finder;
  private final RecentUris recent;
  private final Executor background;
  private final QemuCard.Actions actions;
  private final SuggestionBox address = new SuggestionBox();
  private final Button connect = new Button("Connect", new FontIcon(Feather.LINK));
  private final Button search = new Button("", new FontIcon(Feather.REFRESH_CW));
  private final Label problem = new Label();
  private final Label found = new Label();
  private final Label nothing =
      new Label(
          "Connected QEMUs appear here, with their state, their RAM, and what can be done with"
              + " them.\n\n"
              + "A QEMU can be connected if it was started with\n"
              + "-qmp unix:PATH,server=on,wait=off");
  private final VBox cards = new VBox();
  private final VBox root;
  private final Map<QmpAddress, QemuCard> shown = new LinkedHashMap<>();

  /** The addresses that were found last. */
  private List<String> running = List.of();

  private boolean searching;

  /** Looks for the QMP sockets of running QEMUs, which may take a moment. */
  @FunctionalInterface
  public interface Finder {
    /** Sockets with a phrase about the QEMU behind each, the likely ones first. */
    List<Offer> find() throws IOException;
  }

  /**
   * A QMP socket that was found.
   *
   * @param about the QEMU, a phrase
   */
  public record Offer(QmpAddress address, String about) {}

  /** What the user can do with a connected QEMU. */
  public interface Commands {
    /** Asks how its guest is to be migrated, and starts that. */
    void migrateFrom(QmpAddress qemu);

    /** Asks how it is to receive a guest, and starts that. */
    void receiveIn(QmpAddress qemu);

    /** Asks with which other QEMU it is to be watched, and starts that. */
    void watch(QmpAddress qemu);
  }

  /**
   * @param recent receives the addresses of connected QEMUs, and offers them again
   * @param background runs the finder
   */
  public QemuPane(
      QemuConnections connections,
      Finder finder,
      RecentUris recent,
      Executor background,
      Commands commands) {
    this.connections = connections;
    this.finder = finder;
    this.recent = recent;
    this.background = background;
    actions =
        new QemuCard.Actions() {
          @Override
          public void migrateFrom(QmpAddress qemu) {
            commands.migrateFrom(qemu);
          }

          @Override
          public void receiveIn(QmpAddress qemu) {
            commands.receiveIn(qemu);
          }

          @Override
          public void watch(QmpAddress qemu) {
            commands.watch(qemu);
          }

          @Override
          public void disconnect(QmpAddress qemu) {
            connections.disconnect(qemu);
            refresh();
          }
        };
    address.setId("qemu-address");
    address.prompt("unix:PATH, tcp:HOST:PORT or ssh:[USER@]HOST:PATH");
    Hints.explain(
        address,
        "The QMP socket of a QEMU; those of running QEMUs on this machine are in the list, and"
            + " those that were connected last.");
    address.setOnShowing(_ -> offer());
    offer();
    address.onEnter(this::connect);
    HBox.setHgrow(address, Priority.ALWAYS);
    connect.setId("qemu-connect");
    connect.setMinWidth(Region.USE_PREF_SIZE);
    connect.getStyleClass().add("accent");
    connect.setOnAction(_ -> connect());
    search.setId("qemu-search");
    search.getStyleClass().add("button-icon");
    search.setTooltip(new Tooltip("Look for running QEMUs again"));
    search.setAccessibleText("Look for running QEMUs again");
    search.setOnAction(_ -> search());
    var label = new Label("QMP socket");
    label.setLabelFor(address);
    label.setMinWidth(Region.USE_PREF_SIZE);
    var bar = new HBox(8, label, address, search, connect);
    bar.setAlignment(Pos.CENTER_LEFT);
    found.getStyleClass().addAll("muted", "small-text");
    found.setId("qemu-found");
    problem.getStyleClass().add("field-error");
    problem.setWrapText(true);
    problem.setMinHeight(Region.USE_PREF_SIZE);
    problem.setId("qemu-problem");
    tell("");
    var head = new VBox(4, bar, problem, found);
    head.getStyleClass().add("view-bar");
    cards.getStyleClass().add("qemu-cards");
    cards.setId("qemus");
    nothing.getStyleClass().add("empty-text");
    nothing.setWrapText(true);
    nothing.setMaxWidth(Double.MAX_VALUE);
    nothing.setAlignment(Pos.CENTER);
    cards.getChildren().setAll(nothing);
    var scroll = new VerticalScroll(cards);
    VBox.setVgrow(scroll, Priority.ALWAYS);
    root = new VBox(head, scroll);
    root.getStyleClass().add("window-root");
    WhileShown.repeat(root, REFRESH, this::refresh);
  }

  public Parent node() {
    return root;
  }

  /** Looks for running QEMUs, and offers their QMP sockets. */
  public void search() {
    if (searching) {
      return;
    }
    searching = true;
    search.setDisable(true);
    found.setText("Looking for running QEMUs…");
    background.execute(() -> {
      try {
        List<Offer> offers = finder.find();
        Platform.runLater(() -> offer(offers));
      } catch (IOException | RuntimeException e) {
        LOG.warn("looking for QEMUs", e);
        Platform.runLater(
            () -> searched("Running QEMUs could not be listed: %s".formatted(e.getMessage())));
      }
    });
  }

  private void offer() {
    address.offer(running, recent.list());
  }

  private void offer(List<Offer> offers) {
    running = offers.stream().map(one -> one.address().toString()).toList();
    offer();
    if (address.typed().isEmpty()) {
      offers.stream()
          .filter(one -> !shown.containsKey(one.address()))
          .findFirst()
          .ifPresent(one -> address.getEditor().setText(one.address().toString()));
    }
    searched(
        offers.isEmpty()
            ? "No QMP socket of a running QEMU was found on this machine."
            : "Found: %s"
                .formatted(String.join(",  ", offers.stream().map(Offer::about).toList())));
  }

  private void searched(String text) {
    searching = false;
    search.setDisable(false);
    found.setText(text);
  }

  private void connect() {
    String typed = address.typed();
    if (typed.isEmpty()) {
      tell("Choose or type the address of a QMP socket.");
      return;
    }
    try {
      QmpAddress parsed = QmpAddress.parse(typed);
      connections.connect(parsed);
      recent.add(parsed.toString());
      tell("");
      address.getEditor().clear();
      refresh();
    } catch (IllegalArgumentException e) {
      tell(String.valueOf(e.getMessage()));
    }
  }

  private void tell(String sentence) {
    problem.setText(sentence);
    Presence.set(problem, !sentence.isEmpty());
  }

  private void refresh() {
    List<QemuConnection> now = connections.list();
    List<QmpAddress> addresses = now.stream().map(QemuConnection::address).toList();
    if (!addresses.equals(List.copyOf(shown.keySet()))) {
      shown.keySet().retainAll(addresses);
      addresses.forEach(one -> shown.computeIfAbsent(one, of -> new QemuCard(of, actions)));
      List<Node> nodes = shown.values().stream().map(QemuCard::node).toList();
      cards.getChildren().setAll(nodes.isEmpty() ? List.of(nothing) : nodes);
    }
    for (QemuConnection qemu : now) {
      QemuCard card = shown.get(qemu.address());
      if (card != null) {
        card.show(qemu);
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.waiting;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import javafx.application.Platform;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.StackPane;
import javafx.scene.layout.VBox;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.MigrationUri;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.CopyLine;
import org.wridscope.ui.Hints;
import org.wridscope.ui.Presence;

/**
 * The commands that start a source, over the views of a destination that waits for one. For the
 * JavaFX thread only.
 */
public final class WaitingPane {
  private static final Logger LOG = LoggerFactory.getLogger(WaitingPane.class);
  private static final double WIDTH = 640;

  private final Function<Session, @Nullable DestinationSettings> settings;
  private final Addresses addresses;
  private final Executor background;
  private final ComboBox<String> host = new ComboBox<>();
  private final HBox hosts;
  private final VBox commands = new VBox(6);
  private final StackPane root;

  /** The destination whose commands are shown, or are being found out. */
  private @Nullable Session destination;

  private @Nullable Session closed;

  /** Finds the addresses of a session's device; may wait for the kernel. */
  @FunctionalInterface
  public interface Addresses {
    /** Empty for the software device. */
    List<InetAddress> of(Session session) throws IOException;
  }

  /**
   * @param settings what a destination was started with; null if it was not started here
   * @param startSource asks for the settings of a source in this process for a destination
   * @param background runs what may wait
   */
  public WaitingPane(
      Function<Session, @Nullable DestinationSettings> settings,
      Addresses addresses,
      Consumer<Session> startSource,
      Executor background) {
    this.settings = settings;
    this.addresses = addresses;
    this.background = background;
    var title = new Label("Start a source now");
    title.getStyleClass().add("dialog-title");
    title.setMaxWidth(Double.MAX_VALUE);
    HBox.setHgrow(title, Priority.ALWAYS);
    var hide = new Button("Hide");
    hide.setId("waiting-hide");
    hide.getStyleClass().add("small");
    hide.setMinWidth(Region.USE_PREF_SIZE);
    hide.setOnAction(_ -> {
      closed = destination;
      show(null);
    });
    var here = new Button("Start a source here…");
    here.setId("waiting-source");
    here.getStyleClass().addAll("small", "accent");
    here.setMinWidth(Region.USE_PREF_SIZE);
    here.setTooltip(new Tooltip("A source in this window, for this destination"));
    here.setOnAction(_ -> {
      if (destination != null) {
        startSource.accept(destination);
      }
    });
    var head = new HBox(8, title, here, hide);
    head.setAlignment(Pos.CENTER_LEFT);
    host.setId("waiting-host");
    host.setAccessibleText("Address of this machine");
    Hints.explain(host, "The address under which the source reaches this machine");
    host.valueProperty().subscribe(_ -> showCommands());
    var reached = new Label("which reaches this machine as");
    reached.getStyleClass().add("muted");
    hosts = new HBox(8, reached, host);
    hosts.setAlignment(Pos.CENTER_LEFT);
    var card = new VBox(10, head, hosts, commands);
    card.getStyleClass().add("ready-card");
    card.setMaxSize(WIDTH, Region.USE_PREF_SIZE);
    root = new StackPane(card);
    root.setId("waiting");
    root.getStyleClass().add("waiting");
    root.setPickOnBounds(false);
    show(null);
  }

  public Node node() {
    return root;
  }

  /** Shows the commands if the shown session is a destination of this process that waits. */
  public void refresh(@Nullable SessionPair pair) {
    Session leading = pair == null ? null : pair.leading();
    boolean waits =
        leading != null
            && leading.role() == Role.DESTINATION
            && leading.migrates()
            && leading.status() == MigrationStatus.NONE
            && !leading.isWatched()
            && leading.recorded().isEmpty()
            && settings.apply(leading) != null;
    Session wanted = waits && !Objects.equals(leading, closed) ? leading : null;
    if (!Objects.equals(wanted, destination)) {
      show(wanted);
    }
  }

  private void show(@Nullable Session waiting) {
    destination = waiting;
    root.setVisible(false);
    if (waiting != null) {
      background.execute(() -> {
        List<String> found = hosts(waiting);
        Platform.runLater(() -> {
          if (waiting.equals(destination)) {
            host.getItems().setAll(found);
            host.setValue(found.getFirst());
            boolean choice = found.size() > 1;
            Presence.set(hosts, choice);
            showCommands();
            root.setVisible(true);
          }
        });
      });
    }
  }

  private List<String> hosts(Session waiting) {
    MigrationUri listening = MigrationUri.parse(waiting.uri());
    try {
      return ReachableHosts.of(listening, addresses.of(waiting));
    } catch (IOException e) {
      LOG.warn("the addresses of this machine cannot be listed: {}", e.getMessage());
      return List.of(listening.host());
    }
  }

  private void showCommands() {
    Session waiting = destination;
    DestinationSettings with = waiting == null ? null : settings.apply(waiting);
    String chosen = host.getValue();
    commands.getChildren().clear();
    if (waiting == null || with == null || chosen == null) {
      return;
    }
    PeerCommands peer =
        PeerCommands.of(with, MigrationUri.parse(waiting.uri()), chosen, waiting.device());
    String before = "";
    for (PeerCommands.Command command : peer.commands()) {
      if (!command.where().equals(before)) {
        commands.getChildren().add(note(command.where()));
        before = command.where();
      }
      commands.getChildren().add(new CopyLine(command.text(), command.where()).node());
    }
    if (ReachableHosts.isOnlyLocal(chosen)) {
      commands
          .getChildren()
          .add(note("Only programs on this machine can connect to a loopback address."));
    }
    peer.notes().forEach(sentence -> commands.getChildren().add(note(sentence)));
  }

  private static Label note(String text) {
    var note = new Label(text);
    note.getStyleClass().add("muted");
    note.setWrapText(true);
    note.setMinHeight(Region.USE_PREF_SIZE);
    return note;
  }
}

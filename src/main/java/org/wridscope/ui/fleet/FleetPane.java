// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.fleet;

import java.util.List;
import javafx.animation.Animation;
import javafx.animation.KeyFrame;
import javafx.animation.Timeline;
import javafx.geometry.Pos;
import javafx.scene.Parent;
import javafx.scene.control.Button;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import javafx.util.Duration;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.control.fleet.Fleet;
import org.wridscope.libvirt.VirtUri;

/** Connects hosts through libvirt, and shows those that are connected. For the JavaFX thread. */
public final class FleetPane {
  private static final Duration REFRESH = Duration.millis(250);

  private final Fleet fleet;
  private final ComboBox<String> address = new ComboBox<>();
  private final Label problem = new Label();
  private final Label about = new Label();
  private final Button disconnect = new Button("Disconnect", new FontIcon(Feather.X));
  private final FleetTree tree = new FleetTree(this::selected);
  private final VBox root;
  private final Timeline refresh = new Timeline(new KeyFrame(REFRESH, _ -> refresh()));

  /**
   * @param fleet the hosts
   */
  public FleetPane(Fleet fleet) {
    this.fleet = fleet;
    address.setId("fleet-address");
    address.setEditable(true);
    address.setPromptText("qemu+ssh://HOST/system");
    address
        .getItems()
        .setAll("qemu:///system", "qemu:///session", "qemu+ssh://HOST/system", "test:///default");
    address.setMaxWidth(Double.MAX_VALUE);
    address.getEditor().setOnAction(_ -> connect());
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
    disconnect.setTooltip(new Tooltip("Disconnect the selected hosts; their domains go on"));
    disconnect.setOnAction(_ -> disconnect());
    about.setId("fleet-about");
    about.getStyleClass().addAll("muted", "small-text");
    about.setWrapText(true);
    about.setMaxWidth(Double.MAX_VALUE);
    HBox.setHgrow(about, Priority.ALWAYS);
    disconnect.setMinWidth(Region.USE_PREF_SIZE);
    var actions = new HBox(8, about, disconnect);
    actions.setAlignment(Pos.CENTER_LEFT);
    actions.getStyleClass().add("view-bar");
    VBox.setVgrow(tree.node(), Priority.ALWAYS);
    root = new VBox(head, tree.node(), actions);
    root.getStyleClass().add("window-root");
    selected();
    refresh.setCycleCount(Animation.INDEFINITE);
    root.sceneProperty()
        .flatMap(scene -> scene.windowProperty())
        .flatMap(window -> window.showingProperty())
        .orElse(false)
        .subscribe(visible -> {
          if (visible) {
            refresh.play();
          } else {
            refresh.stop();
          }
        });
  }

  /** The content of a window. */
  public Parent node() {
    return root;
  }

  private void connect() {
    String typed = address.getEditor().getText().strip();
    if (typed.isEmpty()) {
      tell("Choose or type the address of a libvirt, for example qemu+ssh://HOST/system.");
      return;
    }
    try {
      VirtUri uri = VirtUri.parse(typed);
      fleet.connect(uri);
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

  private void tell(String sentence) {
    problem.setText(sentence);
    problem.setVisible(!sentence.isEmpty());
    problem.setManaged(!sentence.isEmpty());
  }

  private void selected() {
    List<FleetRow> rows = tree.selected();
    about.setText(rows.size() == 1 ? FleetTexts.about(rows.getFirst()) : "");
    disconnect.setDisable(rows.isEmpty());
  }

  private void refresh() {
    tree.show(fleet.list());
    selected();
  }
}

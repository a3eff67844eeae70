// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.qemu;

import java.util.List;
import java.util.Objects;
import javafx.geometry.Pos;
import javafx.geometry.VPos;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.ColumnConstraints;
import javafx.scene.layout.GridPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.control.qemu.Fitness;
import org.wridscope.control.qemu.QemuConnection;
import org.wridscope.control.qemu.QemuState;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.ui.Menus;
import org.wridscope.ui.Presence;

/** One connected QEMU: what it is, and what can be done with it. */
final class QemuCard {
  private static final List<String> STATUS_CLASSES =
      List.of("status-idle", "status-active", "status-warning", "status-done", "status-failed");

  private final FontIcon icon = new FontIcon(Feather.CIRCLE);
  private final Label name = new Label();
  private final Label condition = new Label("", icon);
  private final Label place = new Label();
  private final Label message = new Label();
  private final Label ram = value();
  private final Label backends = value();
  private final Label capabilities = value();
  private final Tooltip allCapabilities = new Tooltip();
  private final Label take = value();
  private final Label fill = value();
  private final GridPane facts = new GridPane();
  private final Button migrate = new Button("Migrate from here…");
  private final Button receive = new Button("Receive a guest here…");
  private final Button watch = new Button("Watch…");
  private final VBox root;
  private @Nullable QemuConnection shown;

  /** What a card's buttons do with its QEMU. */
  interface Actions {
    void migrateFrom(QmpAddress qemu);

    void receiveIn(QmpAddress qemu);

    void watch(QmpAddress qemu);

    void disconnect(QmpAddress qemu);
  }

  QemuCard(QmpAddress address, Actions actions) {
    name.getStyleClass().add("session-name");
    name.setMinWidth(0);
    condition.getStyleClass().add("status-chip");
    condition.setMinWidth(Region.USE_PREF_SIZE);
    var gap = new Region();
    HBox.setHgrow(gap, Priority.ALWAYS);
    var disconnect = new Button("", new FontIcon(Feather.X));
    disconnect.getStyleClass().addAll("button-icon", "flat");
    disconnect.setTooltip(new Tooltip("Disconnect; the QEMU and its guest keep running"));
    disconnect.setAccessibleText("Disconnect");
    disconnect.setOnAction(_ -> actions.disconnect(address));
    var head = new HBox(8, name, condition, gap, disconnect);
    head.setAlignment(Pos.CENTER_LEFT);
    place.getStyleClass().addAll("muted", "small-text");
    place.setWrapText(true);
    message.setWrapText(true);
    message.setMinHeight(Region.USE_PREF_SIZE);
    message.getStyleClass().add("field-error");
    capabilities.setTooltip(allCapabilities);
    facts.getStyleClass().add("qemu-facts");
    var captions = new ColumnConstraints();
    captions.setMinWidth(Region.USE_PREF_SIZE);
    var values = new ColumnConstraints();
    values.setHgrow(Priority.ALWAYS);
    facts.getColumnConstraints().addAll(captions, values);
    row("RAM", ram);
    row("Memory", backends);
    row("Capabilities", capabilities);
    row("Wridscope can take its guest", take);
    row("Wridscope can fill it", fill);
    migrate.setOnAction(_ -> actions.migrateFrom(address));
    receive.setOnAction(_ -> actions.receiveIn(address));
    migrate.getStyleClass().add("migrate-from");
    receive.getStyleClass().add("receive-in");
    watch.setOnAction(_ -> actions.watch(address));
    watch.getStyleClass().add("watch-qemu");
    watch.setTooltip(
        new Tooltip("Show a migration that is started elsewhere, through this QEMU's trace log"));
    var buttons = new HBox(8, migrate, receive, watch);
    root = new VBox(6, head, place, message, facts, buttons);
    root.getStyleClass().addAll("tile", "qemu-card");
    Menus.install(
        root,
        () ->
            List.of(
                Menus.of(migrate),
                Menus.of(receive),
                Menus.of(watch),
                Menus.of(disconnect),
                Menus.copy("the address", address::toString)));
  }

  private void row(String caption, Label value) {
    var name = new Label(caption);
    name.getStyleClass().add("muted");
    GridPane.setValignment(name, VPos.TOP);
    facts.addRow(facts.getRowCount(), name, value);
  }

  private static Label value() {
    var label = new Label();
    label.setWrapText(true);
    label.setMinHeight(Region.USE_PREF_SIZE);
    label.setMaxWidth(Double.MAX_VALUE);
    return label;
  }

  Node node() {
    return root;
  }

  /** Shows what is known now. */
  void show(QemuConnection qemu) {
    if (Objects.equals(qemu, shown)) {
      return;
    }
    shown = qemu;
    name.setText(qemu.title());
    condition.setText(qemu.condition());
    mark(qemu);
    place.setText(QemuTexts.place(qemu));
    message.setText(qemu.message());
    Presence.set(message, !qemu.message().isEmpty());
    QemuState state = qemu.state();
    Presence.set(facts, state != null);
    if (state != null) {
      ram.setText(QemuTexts.ram(state));
      backends.setText(QemuTexts.backends(state));
      capabilities.setText(QemuTexts.capabilities(state));
      allCapabilities.setText(QemuTexts.allCapabilities(state));
      answer(take, state.take());
      answer(fill, state.fill());
    }
    Presence.set(migrate, qemu.canMigrate());
    Presence.set(receive, qemu.canReceive());
    Presence.set(watch, qemu.phase() == QemuConnection.Phase.CONNECTED);
  }

  private void mark(QemuConnection qemu) {
    Feather shape;
    String styleClass;
    switch (qemu.phase()) {
      case CONNECTING -> {
        shape = Feather.LOADER;
        styleClass = "status-idle";
      }
      case LENT -> {
        shape = Feather.ARROW_RIGHT_CIRCLE;
        styleClass = "status-active";
      }
      case LOST -> {
        shape = Feather.X_CIRCLE;
        styleClass = "status-failed";
      }
      case CONNECTED -> {
        boolean runs = qemu.state() != null && qemu.state().run().running();
        shape = runs ? Feather.PLAY_CIRCLE : Feather.PAUSE_CIRCLE;
        styleClass = runs ? "status-done" : "status-idle";
      }
      default -> throw new IllegalStateException("no such phase: " + qemu.phase());
    }
    icon.setIconCode(shape);
    condition.getStyleClass().removeAll(STATUS_CLASSES);
    condition.getStyleClass().add(styleClass);
  }

  private static void answer(Label label, Fitness fitness) {
    label.setText(QemuTexts.answer(fitness));
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javafx.css.PseudoClass;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.Tooltip;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.scene.layout.FlowPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.control.Session;
import org.wridscope.control.SourceSettings;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.ui.SessionPair;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.sessions.StatusText;
import org.wridscope.units.Parse;

/** Which migration is shown, how it stands, and what can be done to it while it runs. */
final class SteeringBar {
  private static final double BETWEEN = 4;
  private static final PseudoClass ERROR = PseudoClass.getPseudoClass("error");
  private static final PseudoClass WARNING = PseudoClass.getPseudoClass("warning");
  private static final List<String> STATUS_CLASSES =
      List.of("status-idle", "status-active", "status-warning", "status-done", "status-failed");
  private static final String NO_LIMIT = "none";
  private static final long PATIENCE_NANOS = 1_000_000_000;

  private static final double TIP_WIDTH = 420;

  /** As high as the style sheet's font needs. */
  private static final double MESSAGE_LINE = 17;

  /** From this width on, one line has room for most messages. */
  private static final double ROOMY = 1300;

  private final Label name = new Label();
  private final FontIcon icon = new FontIcon(Feather.CIRCLE);
  private final Label status = new Label("", icon);
  private final Label address = new Label();
  private final Label message = new Label();
  private final Tooltip wholeMessage = new Tooltip();
  private final Limit bandwidth;
  private final Limit downtime;
  private final Button cancel = new Button("Cancel", new FontIcon(Feather.X));
  private final Button repeat = new Button("Repeat", new FontIcon(Feather.REPEAT));
  private final HBox limits = new HBox(10);
  private final FlowPane limitsBelow = new FlowPane(10, 4);
  private final HBox line;
  private final VBox root;
  private final Predicate<Migration> canRepeat;
  private final Runnable passKeyboardOn;
  private @Nullable Migration migration;
  private boolean steered;
  private @Nullable String waitingFor;
  private long waitingSince;
  private long transferred;

  /**
   * Makes the bar.
   *
   * @param onCancel is called for the migration to cancel
   * @param onRepeat is called for the migration to start anew
   * @param canRepeat whether a migration can be started anew from here
   * @param passKeyboardOn gives the keyboard to something harmless, when the control that had it is
   *     gone
   */
  SteeringBar(
      Consumer<Migration> onCancel,
      Consumer<Migration> onRepeat,
      Predicate<Migration> canRepeat,
      Runnable passKeyboardOn) {
    this.canRepeat = canRepeat;
    this.passKeyboardOn = passKeyboardOn;
    bandwidth =
        new Limit(
            "Bandwidth",
            "bandwidth-limit",
            "Limit of the throughput of RAM, in force at once: such as 200MiB/s, 10Gbit/s or none",
            List.of(
                NO_LIMIT,
                "64MiB/s",
                "128MiB/s",
                "256MiB/s",
                "512MiB/s",
                "1GiB/s",
                "2GiB/s",
                "4GiB/s"),
            text -> {
              long limit = rate(text);
              onSource(session -> session.setBandwidthLimit(limit));
            });
    downtime =
        new Limit(
            "Downtime",
            "downtime-limit",
            "How long the guest may stand still at the switch-over, in force at once: such as"
                + " 300ms",
            List.of("30ms", "100ms", "300ms", "1s", "3s", "10s"),
            text -> {
              var limit = SourceSettings.parseDowntimeLimit("Downtime limit", text);
              onSource(session -> session.setDowntimeLimit(limit));
            });
    name.getStyleClass().add("steering-name");
    name.setMinWidth(60);
    status.getStyleClass().add("status-chip");
    status.setMinWidth(Region.USE_PREF_SIZE);
    status.setId("status");
    address.getStyleClass().add("muted");
    address.setMinWidth(0);
    cancel.setId("cancel");
    cancel.getStyleClass().addAll("danger", "button-outlined");
    cancel.setTooltip(new Tooltip("Give up this migration; the guest goes on at the source"));
    cancel.setMinWidth(Region.USE_PREF_SIZE);
    cancel.setOnAction(_ -> {
      if (migration != null) {
        onCancel.accept(migration);
      }
    });
    repeat.setId("repeat");
    repeat.setTooltip(new Tooltip("Start the same again, with the same settings"));
    repeat.setMinWidth(Region.USE_PREF_SIZE);
    repeat.setOnAction(_ -> {
      if (migration != null) {
        onRepeat.accept(migration);
      }
    });
    message.getStyleClass().add("steering-message");
    message.setId("message");
    message.setWrapText(true);
    message.setAlignment(Pos.TOP_LEFT);
    wholeMessage.setWrapText(true);
    wholeMessage.setPrefWidth(TIP_WIDTH);
    message.setTooltip(wholeMessage);

    limits.setAlignment(Pos.CENTER_LEFT);
    var gap = new Region();
    HBox.setHgrow(gap, Priority.ALWAYS);
    line = new HBox(10, name, status, address, gap, limits, repeat, cancel);
    line.setAlignment(Pos.CENTER_LEFT);
    limits.getChildren().setAll(bandwidth.node, downtime.node);
    root = new VBox(BETWEEN, line, limitsBelow, message);
    root.setId("steering");
    root.setMinWidth(0);
    root.getStyleClass().add("steering");
    line.getStyleClass().add("steering-line");
    root.widthProperty()
        .subscribe(_ -> {
          limitsBelow.setManaged(false);
          wrap();
          reserve();
        });
  }

  /**
   * Has room for a message whether there is one or not, so that nothing moves from under the
   * pointer when a migration ends or a recording is moved.
   */
  private void reserve() {
    double height = MESSAGE_LINE * (root.getWidth() < ROOMY ? 2 : 1);
    message.setMinHeight(height);
    message.setPrefHeight(height);
    message.setMaxHeight(height);
  }

  /** Lets the message stand where the limits were, in the room that is kept for both. */
  private void placeMessage() {
    boolean free = limitsBelow.isManaged() && !limitsBelow.isVisible();
    message.setTranslateY(free ? -limitsBelow.getHeight() - BETWEEN : 0);
  }

  /** Puts the limits below where one line is too short for everything. */
  private void wrap() {
    if (!steered && limitsBelow.isManaged()) {
      // They are gone, and what is below would jump into their place.
      limitsBelow.setVisible(false);
      return;
    }
    boolean below = limits.getChildren().isEmpty();
    double apart = below ? bandwidth.node.prefWidth(-1) + downtime.node.prefWidth(-1) + 10 : 0;
    double room = root.getWidth() - root.getInsets().getLeft() - root.getInsets().getRight();
    boolean tight = steered && line.prefWidth(-1) + apart > room;
    if (tight != below) {
      (below ? limitsBelow : limits).getChildren().clear();
      (tight ? limitsBelow : limits).getChildren().setAll(bandwidth.node, downtime.node);
    }
    show(limitsBelow, tight);
  }

  private static long rate(String text) {
    String typed = text.strip();
    return typed.isEmpty() || typed.toLowerCase(Locale.ROOT).equals(NO_LIMIT)
        ? 0
        : Parse.rate("Bandwidth limit", typed);
  }

  private void onSource(Consumer<Session> action) {
    Session source = source();
    if (source != null) {
      action.accept(source);
    }
  }

  private @Nullable Session source() {
    SessionPair pair = migration == null ? null : migration.pair();
    return pair == null ? null : pair.source();
  }

  Node node() {
    return root;
  }

  /** Which migration is shown from now on. */
  void show(@Nullable Migration newMigration) {
    migration = newMigration;
    limitsBelow.setManaged(false);
    bandwidth.reset();
    downtime.reset();
    refresh();
  }

  /** Brings all texts up to date. */
  void refresh() {
    if (migration == null || migration.pair() == null) {
      return;
    }
    Session leading = migration.pair().leading();
    StatusText text = StatusText.of(migration);
    name.setText(migration.name());
    address.setText(leading.uri() + "  ·  " + leading.device());
    status.setText(text.text());
    if (icon.getIconCode() != text.icon()) {
      icon.setIconCode(text.icon());
    }
    if (!status.getStyleClass().contains(text.styleClass())) {
      status.getStyleClass().removeAll(STATUS_CLASSES);
      status.getStyleClass().add(text.styleClass());
    }
    boolean running = migration.running();
    Session source = source();
    steered = source != null && !source.status().isEnd() && !migration.recorded();
    Node focused = focused();
    show(address, !steered);
    show(limits, steered);
    show(cancel, running);
    cancel.setDisable(leading.status() == MigrationStatus.CANCELLING);
    show(repeat, !running && canRepeat.test(migration));
    wrap();
    placeMessage();
    if (focused != null && !isInSight(focused)) {
      // JavaFX would choose the next control, which is Repeat: Enter would start a migration.
      passKeyboardOn.run();
    }
    if (source != null) {
      var metrics = source.telemetry().metrics();
      long rate = metrics.get(Metric.BANDWIDTH_LIMIT);
      bandwidth.inForce(rate == 0 ? NO_LIMIT : Format.exactBytes(rate) + "/s");
      downtime.inForce(Format.exactDuration(metrics.get(Metric.DOWNTIME_LIMIT)));
    }
    notePatience();
    say();
  }

  /** Waiting is normal; only what lasts, with nothing moving, is worth a line of its own. */
  private void notePatience() {
    SessionPair pair = migration == null ? null : migration.pair();
    String now = pair == null ? null : pair.leading().telemetry().waitingFor();
    long moved =
        pair == null ? 0 : pair.leading().telemetry().metrics().get(Metric.RAM_TRANSFERRED);
    if (!Objects.equals(now, waitingFor) || moved != transferred) {
      waitingFor = now;
      transferred = moved;
      waitingSince = System.nanoTime();
    }
  }

  private void say() {
    if (migration == null || migration.pair() == null) {
      return;
    }
    String error = bandwidth.error != null ? bandwidth.error : downtime.error;
    String outcome = migration.outcome();
    boolean stuck = waitingFor != null && System.nanoTime() - waitingSince > PATIENCE_NANOS;
    boolean bad =
        error != null
            || (outcome != null && migration.status() == MigrationStatus.FAILED)
            || migration.status() == MigrationStatus.UNDECIDED;
    String sentence =
        error != null
            ? error
            : outcome != null
                ? outcome
                : stuck && migration.running() ? "Waits for " + waitingFor + "." : "";
    message.setText(sentence);
    message.pseudoClassStateChanged(ERROR, bad);
    message.pseudoClassStateChanged(WARNING, !bad && migration.unsound());
    message.setVisible(!sentence.isEmpty());
    wholeMessage.setText(sentence);
  }

  /** The control of this bar that has the keyboard; null when it is elsewhere. */
  private @Nullable Node focused() {
    Node owner = root.getScene() == null ? null : root.getScene().getFocusOwner();
    for (Node at = owner; at != null; at = at.getParent()) {
      if (at.equals(root)) {
        return owner;
      }
    }
    return null;
  }

  private static boolean isInSight(Node node) {
    for (Node at = node; at != null; at = at.getParent()) {
      if (!at.isVisible()) {
        return false;
      }
    }
    return true;
  }

  private static void show(Node node, boolean visible) {
    node.setVisible(visible);
    node.setManaged(visible);
  }

  /** A limit that shows what is in force, until somebody types. */
  private final class Limit {
    private final HBox node;
    private final ComboBox<String> box = new ComboBox<>();
    private final Consumer<String> apply;
    private @Nullable String error;
    private String shown = "";
    private String inForce = "";

    Limit(String caption, String id, String hint, List<String> choices, Consumer<String> apply) {
      this.apply = apply;
      box.setId(id);
      box.setEditable(true);
      box.getItems().setAll(choices);
      box.getStyleClass().add("limit-box");
      box.setTooltip(new Tooltip(hint));
      box.setAccessibleText(caption + " limit");
      box.setVisibleRowCount(8);
      box.setMinWidth(Region.USE_PREF_SIZE);
      var label = new Label(caption + " ≤");
      label.getStyleClass().add("muted");
      label.setLabelFor(box);
      label.setMinWidth(Region.USE_PREF_SIZE);
      node = new HBox(5, label, box);
      node.setAlignment(Pos.CENTER_LEFT);
      box.setOnAction(_ -> commit());
      box.addEventFilter(
          KeyEvent.KEY_PRESSED,
          event -> {
            if (event.getCode() == KeyCode.ESCAPE && !box.isShowing() && isChanged()) {
              revert();
              event.consume();
            }
          });
      box.getEditor()
          .focusedProperty()
          .subscribe((before, now) -> {
            if (before && !now) {
              commit();
            }
          });
    }

    void reset() {
      error = null;
      shown = "";
      box.pseudoClassStateChanged(ERROR, false);
    }

    /** Shows what the engine reports, unless somebody is typing or has typed nonsense. */
    void inForce(String value) {
      inForce = value;
      if (!value.equals(shown) && error == null && !box.getEditor().isFocused()) {
        revert();
      }
    }

    private boolean isChanged() {
      return error != null || !box.getEditor().getText().equals(shown);
    }

    /** Shows what is in force instead of what was typed. */
    private void revert() {
      error = null;
      shown = inForce;
      // The editor first: a new value is an action, which applies what the editor says.
      box.getEditor().setText(inForce);
      box.setValue(inForce);
      box.pseudoClassStateChanged(ERROR, false);
      say();
    }

    private void commit() {
      String typed = box.getEditor().getText();
      if (typed.equals(shown)) {
        error = null;
      } else {
        try {
          apply.accept(typed);
          error = null;
          shown = typed;
        } catch (IllegalArgumentException e) {
          error = e.getMessage();
        }
      }
      box.pseudoClassStateChanged(ERROR, error != null);
      say();
    }
  }
}

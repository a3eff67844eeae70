// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.List;
import java.util.function.Consumer;
import javafx.css.PseudoClass;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.FlowPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import javafx.scene.text.Text;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.text.Format;
import org.wridscope.ui.Limits;
import org.wridscope.ui.Presence;
import org.wridscope.ui.sessions.GuestFirst;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.sessions.StatusText;

/** The header of the shown migration: its status, how far it is, and controls to steer it. */
final class SteeringBar {
  private static final double BETWEEN = 4;

  /** Narrower headers have the limits below the first line, which has no room for all controls. */
  private static final double ROOMY = 1000;

  /** Still narrower headers have the two limits one below the other. */
  private static final double LEAST = 430;

  private static final double LIMITS = 32;
  private static final PseudoClass ERROR = PseudoClass.getPseudoClass("error");
  private static final PseudoClass WARNING = PseudoClass.getPseudoClass("warning");
  private static final List<String> STATUS_CLASSES =
      List.of("status-idle", "status-active", "status-warning", "status-done", "status-failed");
  private static final double TIP_WIDTH = 420;

  /** Height of a line in the style sheet's font. */
  private static final double MESSAGE_LINE = 17;

  private static final int MESSAGE_LINES = 2;

  private final Label name = new Label();
  private final FontIcon icon = new FontIcon(Feather.CIRCLE);
  private final Label status = new Label("", icon);
  private final Label address = new Label();
  private final Label message = new Label();
  private final Text measure = new Text();
  private final Tooltip wholeMessage = new Tooltip();
  private final Tooltip wholeName = new Tooltip();
  private final SteeringMessage messages = new SteeringMessage();
  private final LimitBox bandwidth;
  private final LimitBox downtime;
  private final Button cancel = new Button("Cancel", new FontIcon(Feather.X));
  private final Tooltip cancelTip = new Tooltip();
  private final Button detach = new Button("Detach", new FontIcon(Feather.LOG_OUT));
  private final Button permit = new Button("Switch over", new FontIcon(Feather.FAST_FORWARD));
  private final Button repeat = new Button("Repeat", new FontIcon(Feather.REPEAT));
  private final Button edit = new Button("Edit…", new FontIcon(Feather.EDIT_2));
  private final Button resolve = new Button("Resolve…", new FontIcon(Feather.HELP_CIRCLE));
  private final HBox limits = new HBox(10);
  private final FlowPane limitsBelow = new FlowPane(10, BETWEEN);
  private final HBox line;
  private final VBox root;
  private final Origins origins;
  private @Nullable Migration migration;
  private boolean steered;

  /**
   * @param onCancel cancels a migration
   * @param onResolve leads out of an undecided migration
   * @param origins start a migration again
   */
  SteeringBar(Consumer<Migration> onCancel, Consumer<Session> onResolve, Origins origins) {
    this.origins = origins;
    bandwidth =
        new LimitBox(
            "Bandwidth",
            "bandwidth-limit",
            "The most RAM sent per second, such as 200MiB/s, 10Gbit/s or none; takes effect at"
                + " once",
            List.of(
                Limits.NONE,
                "64MiB/s",
                "128MiB/s",
                "256MiB/s",
                "512MiB/s",
                "1GiB/s",
                "2GiB/s",
                "4GiB/s"),
            text -> {
              long limit = Limits.bandwidth(text);
              onSource(session -> session.setBandwidthLimit(limit));
            },
            this::showMessage);
    downtime =
        new LimitBox(
            "Downtime",
            "downtime-limit",
            "How long the guest may be paused at the switch-over, such as 300ms; takes effect"
                + " at once",
            List.of("30ms", "100ms", "300ms", "1s", "3s", "10s"),
            text -> {
              var limit = MigrationSetting.DOWNTIME_LIMIT.parse("Downtime limit", text);
              onSource(session -> session.setDowntimeLimit(limit));
            },
            this::showMessage);
    name.getStyleClass().add("steering-name");
    name.setMinWidth(60);
    name.setTooltip(wholeName);
    status.getStyleClass().add("status-chip");
    status.setMinWidth(Region.USE_PREF_SIZE);
    status.setId("status");
    address.getStyleClass().add("muted");
    address.setMinWidth(0);
    // A part of it says nothing; the inspector has the whole.
    address
        .widthProperty()
        .subscribe(
            width -> address.setOpacity(width.doubleValue() + 1 < address.prefWidth(-1) ? 0 : 1));
    detach.setId("detach");
    detach.setTooltip(new Tooltip("Stop showing this Wridscope; its migrations continue there"));
    detach.setMinWidth(Region.USE_PREF_SIZE);
    detach.setOnAction(_ -> {
      if (migration != null && migration.pair() != null) {
        migration.pair().leading().leave();
      }
    });
    cancel.setId("cancel");
    cancel.getStyleClass().addAll("danger", "button-outlined");
    cancel.setTooltip(cancelTip);
    cancel.setMinWidth(Region.USE_PREF_SIZE);
    cancel.setOnAction(_ -> {
      if (migration != null) {
        onCancel.accept(migration);
      }
    });
    permit.setId("permit-switchover");
    permit.getStyleClass().add("accent");
    permit.setTooltip(new Tooltip("Hand the guest over to the destination now"));
    permit.setMinWidth(Region.USE_PREF_SIZE);
    permit.setOnAction(_ -> onSource(Session::permitSwitchover));
    resolve.setId("resolve");
    resolve.getStyleClass().add("accent");
    resolve.setTooltip(new Tooltip("Find out which end has the guest, and put it right"));
    resolve.setMinWidth(Region.USE_PREF_SIZE);
    resolve.setOnAction(_ -> onSource(onResolve));
    repeat.setId("repeat");
    repeat.setTooltip(new Tooltip("Start this migration again, with the same settings"));
    repeat.setMinWidth(Region.USE_PREF_SIZE);
    repeat.setOnAction(_ -> {
      if (migration != null) {
        origins.repeat(migration);
      }
    });
    edit.setId("edit");
    edit.setTooltip(new Tooltip("Change the inputs of this migration, and start it again"));
    edit.setMinWidth(Region.USE_PREF_SIZE);
    edit.setOnAction(_ -> {
      if (migration != null) {
        origins.edit(migration);
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
    limitsBelow.setAlignment(Pos.CENTER_LEFT);
    var gap = new Region();
    HBox.setHgrow(gap, Priority.ALWAYS);
    line =
        new HBox(
            10, name, status, address, gap, limits, permit, resolve, repeat, edit, detach, cancel);
    line.setAlignment(Pos.CENTER_LEFT);
    limits.getChildren().setAll(bandwidth.node(), downtime.node());
    root = new VBox(BETWEEN, line, limitsBelow, message);
    root.setId("steering");
    root.setMinWidth(0);
    root.getStyleClass().add("steering");
    line.getStyleClass().add("steering-line");
    root.widthProperty()
        .subscribe(_ -> {
          wrap();
          showMessage();
        });
  }

  /**
   * Moves the limits below the first line if that is too short for everything. The message takes
   * their place where there are none, so that the height depends on the width alone.
   */
  private void wrap() {
    boolean tight = root.getWidth() < ROOMY;
    boolean below = tight && steered;
    if (below == limitsBelow.getChildren().isEmpty()) {
      (below ? limits : limitsBelow).getChildren().clear();
      (below ? limitsBelow : limits).getChildren().setAll(bandwidth.node(), downtime.node());
    }
    Presence.set(limitsBelow, below);
    double forLimits = root.getWidth() < LEAST ? LIMITS + BETWEEN + LIMITS : LIMITS;
    limitsBelow.setMinHeight(forLimits);
    limitsBelow.setMaxHeight(forLimits);
    double room = MESSAGE_LINES * MESSAGE_LINE + (tight && !below ? forLimits + BETWEEN : 0);
    message.setMinHeight(room);
    message.setPrefHeight(room);
    message.setMaxHeight(room);
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

  /** Shows another migration. */
  void show(@Nullable Migration newMigration) {
    migration = newMigration;
    bandwidth.reset();
    downtime.reset();
    refresh();
  }

  /** Updates all texts and controls. */
  void refresh() {
    if (migration == null || migration.pair() == null) {
      return;
    }
    Session leading = migration.pair().leading();
    StatusText text = StatusText.of(migration);
    name.setText(migration.name());
    wholeName.setText(migration.name());
    address.setText(SteeringMessage.place(leading));
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
    boolean watched = leading.isWatched();
    steered = source != null && !source.status().isEnd() && !migration.recorded() && !watched;
    Presence.set(address, !steered);
    Presence.set(limits, steered);
    Presence.set(cancel, running);
    Presence.set(detach, running && leading.isRemote() && !watched);
    cancel.setText(watched ? "Stop watching" : "Cancel");
    cancelTip.setText(
        watched
            ? "The %s continues, but is no longer shown live"
                .formatted(leading.migrates() ? "migration" : "program")
            : "Cancel this migration; the guest keeps running at the source");
    cancel.setDisable(leading.status() == MigrationStatus.CANCELLING);
    Presence.set(permit, steered && source != null && source.heldBeforeSwitchover());
    Presence.set(resolve, source != null && source.doubt().isPresent());
    Presence.set(repeat, origins.canRepeat(migration));
    Presence.set(edit, origins.canEdit(migration));
    wrap();
    if (source != null) {
      var metrics = source.telemetry().metrics();
      long rate = metrics.get(Metric.BANDWIDTH_LIMIT);
      bandwidth.inForce(rate == 0 ? Limits.NONE : Format.exactRate(rate));
      downtime.inForce(Format.exactDuration(metrics.get(Metric.DOWNTIME_LIMIT)));
    }
    messages.observe(migration.pair(), System.nanoTime());
    showMessage();
  }

  private void showMessage() {
    if (migration == null || migration.pair() == null) {
      return;
    }
    String error = bandwidth.error() != null ? bandwidth.error() : downtime.error();
    String between = root.getWidth() < ROOMY ? "\n" : "  ·  ";
    String text =
        error != null
            ? error
            : String.join(between, messages.of(migration, migration.pair(), System.nanoTime()));
    boolean bad = error != null || SteeringMessage.isError(migration);
    message.setText(isCut(text) ? GuestFirst.of(text) : text);
    message.pseudoClassStateChanged(ERROR, bad);
    message.pseudoClassStateChanged(WARNING, !bad && migration.unsound());
    wholeMessage.setText(text);
  }

  /** Whether the message has not enough room for a text. */
  private boolean isCut(String text) {
    measure.setFont(message.getFont());
    measure.setWrappingWidth(message.getWidth());
    measure.setText(text);
    return measure.getLayoutBounds().getHeight() > message.getMaxHeight() + 1;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javafx.beans.binding.BooleanExpression;
import javafx.css.PseudoClass;
import javafx.geometry.Pos;
import javafx.scene.canvas.Canvas;
import javafx.scene.canvas.GraphicsContext;
import javafx.scene.control.ContentDisplay;
import javafx.scene.control.Label;
import javafx.scene.control.ListCell;
import javafx.scene.control.ProgressBar;
import javafx.scene.control.Tooltip;
import javafx.scene.input.MouseButton;
import javafx.scene.input.MouseEvent;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;
import org.wridscope.ui.Palette;
import org.wridscope.ui.Presence;

/**
 * A row of the list. A migration: status, progress, throughput over time, both ends, outcome. In a
 * compact list it is one line, and its tool tip tells the rest. A heading folds its group when it
 * is clicked.
 */
final class RowCell extends ListCell<Row> {
  private static final PseudoClass HEADING = PseudoClass.getPseudoClass("heading");
  private static final double SPARK_WIDTH = 64;
  private static final double SPARK_HEIGHT = 20;
  private static final double TIP_WIDTH = 420;
  private static final List<String> STATUS_CLASSES =
      List.of("status-idle", "status-active", "status-warning", "status-done", "status-failed");

  private final FontIcon icon = new FontIcon();
  private final Label name = new Label();
  private final Label status = new Label();
  private final FontIcon recording = new FontIcon(Feather.DISC);
  private final Label percent = new Label();
  private final Canvas spark = new Canvas(SPARK_WIDTH, SPARK_HEIGHT);
  private final ProgressBar bar = new ProgressBar(0);
  private final Label limits = new Label();
  private final Label source = new Label();
  private final Label destination = new Label();
  private final Label outcome = new Label();
  private final Tooltip outcomeTip = tip();
  private final Tooltip rest = tip();
  private final HBox state;
  private final VBox box;
  private final HeadingLine heading = new HeadingLine();
  private final BooleanExpression compact;
  private final Predicate<Migration> isRecording;
  private boolean dark;

  /**
   * @param compact whether the list is
   * @param isRecording whether a migration is being recorded
   * @param clicked is told the heading that was clicked
   */
  RowCell(BooleanExpression compact, Predicate<Migration> isRecording, Consumer<Heading> clicked) {
    this.compact = compact;
    this.isRecording = isRecording;
    name.getStyleClass().add("session-name");
    name.setMinWidth(0);
    HBox.setHgrow(name, Priority.ALWAYS);
    name.setMaxWidth(Double.MAX_VALUE);
    percent.getStyleClass().add("number");
    percent.setMinWidth(Region.USE_PREF_SIZE);
    status.getStyleClass().add("session-status");
    status.setMaxWidth(Double.MAX_VALUE);
    // In a narrow list, "failed, as expected" must not lose its end.
    status.setWrapText(true);
    status.setMinHeight(Region.USE_PREF_SIZE);
    HBox.setHgrow(status, Priority.ALWAYS);
    bar.setMaxWidth(Double.MAX_VALUE);
    bar.getStyleClass().add("session-bar");
    for (Label end : List.of(limits, source, destination)) {
      end.getStyleClass().add("session-end");
      end.setWrapText(true);
      end.setMinHeight(Region.USE_PREF_SIZE);
    }
    outcome.setWrapText(true);
    outcome.setTooltip(outcomeTip);
    outcome.getStyleClass().add("session-outcome");
    recording.getStyleClass().addAll("session-recording", "status-failed");
    var head = new HBox(6, icon, name, recording, percent);
    head.setAlignment(Pos.CENTER_LEFT);
    state = new HBox(6, status, spark);
    state.setAlignment(Pos.CENTER_LEFT);
    box = new VBox(3, head, state, bar, limits, source, destination, outcome);
    box.setFillWidth(true);
    // Long texts must wrap instead of widening the list.
    box.setPrefWidth(0);
    setPrefWidth(0);
    setContentDisplay(ContentDisplay.GRAPHIC_ONLY);
    // The list would select the heading, and no longer show which migration is selected.
    addEventFilter(
        MouseEvent.MOUSE_PRESSED,
        event -> {
          if (getItem() instanceof Heading at && event.getButton() == MouseButton.PRIMARY) {
            event.consume();
            clicked.accept(at);
          }
        });
  }

  private static Tooltip tip() {
    var tip = new Tooltip();
    tip.setWrapText(true);
    tip.setPrefWidth(TIP_WIDTH);
    return tip;
  }

  void setDark(boolean darkTheme) {
    dark = darkTheme;
    refresh();
  }

  @Override
  protected void updateItem(Row item, boolean empty) {
    super.updateItem(item, empty);
    pseudoClassStateChanged(HEADING, item instanceof Heading);
    refresh();
  }

  void refresh() {
    switch (isEmpty() ? null : getItem()) {
      case null -> {
        setGraphic(null);
        setTooltip(null);
      }
      case Heading at -> {
        setGraphic(heading);
        rest.setText(at.title());
        setTooltip(rest);
        heading.show(at);
        setAccessibleText(at.sentence());
      }
      case Migration migration -> {
        setGraphic(box);
        show(migration);
      }
    }
  }

  private void show(Migration item) {
    StatusText text = StatusText.of(item);
    if (icon.getIconCode() != text.icon()) {
      icon.setIconCode(text.icon());
    }
    if (!icon.getStyleClass().contains(text.styleClass())) {
      icon.getStyleClass().removeAll(STATUS_CLASSES);
      icon.getStyleClass().add(text.styleClass());
      outcome.getStyleClass().removeAll(STATUS_CLASSES);
      outcome.getStyleClass().add(text.styleClass());
    }
    name.setText(item.name());
    status.setText(text.text());
    SessionPair pair = item.pair();
    boolean line = compact.get();
    boolean started = pair != null;
    boolean migrates = pair == null || pair.leading().migrates();
    String share = item.knowsProgress() ? Format.percent(item.progress()) : "";
    boolean saysStatus = line && (item.ended() || share.isEmpty());
    percent.setText(saysStatus ? text.text() : share);
    Presence.set(percent, !percent.getText().isEmpty());
    boolean recorded = isRecording.test(item);
    Presence.set(recording, recorded);
    Presence.set(state, !line);
    Presence.set(bar, !line && started && migrates && !item.ended());
    Presence.set(spark, started && migrates);
    bar.setProgress(item.progress());
    // A number is not parted from its unit.
    limits.setText(item.limits().replace(' ', '\u00a0').replace("\u00a0·\u00a0", " · "));
    Presence.set(limits, started && migrates && !line);
    end(source, pair == null ? null : pair.source(), line);
    end(destination, pair == null ? null : pair.destination(), line);
    String sentence = item.outcome();
    boolean bad =
        sentence != null && (item.status() != MigrationStatus.COMPLETED || item.unsound());
    String told = sentence == null || !bad ? "" : sentence;
    // Two lines of it are shown; the tool tip has all.
    outcome.setText(GuestFirst.of(told));
    outcomeTip.setText(told);
    Presence.set(outcome, bad && !line);
    String said =
        Stream.of(item.name(), text.text(), share, recorded ? "being recorded" : "")
            .filter(Predicate.not(String::isEmpty))
            .collect(Collectors.joining(", "));
    setAccessibleText(said);
    rest.setText(
        Stream.of(
                said, item.limits(), source.getText(), destination.getText(), outcomeTip.getText())
            .filter(Predicate.not(String::isEmpty))
            .collect(Collectors.joining("\n")));
    setTooltip(line ? rest : null);
    if (!line) {
      drawSpark(item.sparkline());
    }
  }

  private static void end(Label label, @Nullable Session session, boolean hidden) {
    Presence.set(label, session != null && !hidden);
    if (session == null) {
      label.setText("");
      return;
    }
    if (!session.migrates()) {
      label.setText("program · %s".formatted(StatusText.of(session).text()));
      return;
    }
    String role = session.role().text();
    String what;
    if (session.role() == Role.SOURCE) {
      long round = session.telemetry().metrics().get(Metric.DIRTY_SYNC_COUNT);
      what =
          session.status() == MigrationStatus.ACTIVE && round > 0 && !session.isCutOff()
              ? "round %s".formatted(round)
              : StatusText.of(session).text();
    } else {
      what = StatusText.of(session).text();
    }
    label.setText(
        role
            + " · "
            + what
            + (session.guestRunning() ? " · guest %s".formatted(place(session)) : ""));
  }

  private static String place(Session session) {
    return session
        .machine()
        .map(machine -> "in %s".formatted(machine.name()))
        .orElse(session.isRemote() ? "there" : "here");
  }

  private void drawSpark(Sparkline line) {
    GraphicsContext g = spark.getGraphicsContext2D();
    g.clearRect(0, 0, SPARK_WIDTH, SPARK_HEIGHT);
    double peak = line.peak();
    if (peak == 0) {
      return;
    }
    g.setFill(Palette.SEND.color(dark));
    for (int x = 0; x < (int) SPARK_WIDTH; x++) {
      int sample = (int) (x / SPARK_WIDTH * line.size());
      double height = Math.max(1, Math.rint(line.rate(sample) / peak * SPARK_HEIGHT));
      g.fillRect(x, SPARK_HEIGHT - height, 1, height);
    }
  }
}

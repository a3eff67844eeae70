// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.overview;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongUnaryOperator;
import java.util.function.Predicate;
import javafx.css.PseudoClass;
import javafx.geometry.Pos;
import javafx.scene.AccessibleRole;
import javafx.scene.Node;
import javafx.scene.control.Label;
import javafx.scene.control.ProgressBar;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.ColumnConstraints;
import javafx.scene.layout.GridPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.StackPane;
import javafx.scene.layout.VBox;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionPair;
import org.wridscope.ui.Presence;
import org.wridscope.ui.Readings;
import org.wridscope.ui.TitledView;
import org.wridscope.ui.VerticalScroll;
import org.wridscope.ui.View;

/** The selected migration at a glance: stages, figures, and other views in small. */
public final class OverviewView extends TitledView<VerticalScroll> {
  private static final int COLUMNS = 4;

  /** The width of the first column in per cent; its texts are the longest. */
  private static final double FIRST_COLUMN = 29;

  /** The least height of a row; if there is less room, the overview scrolls. */
  private static final double LOWEST_ROW = 92;

  private final Readings readings;
  private final OverviewModel model;
  private final LongUnaryOperator clock;
  private final Predicate<SessionPair> failedAsExpected;
  private final List<View> views;
  private final StageLine stages = new StageLine();
  private final TileNode progress =
      new TileNode(
          "Arrived",
          "RAM that was written to the destination or announced as zero, of the RAM of this"
              + " round.");
  private final TileNode throughput =
      new TileNode(
          "Throughput",
          "RAM that arrived in the last second, zero pages included; after the end, the average"
              + " of the whole migration. On the wire: bytes of RDMA WRITEs and SENDs.");
  private final TileNode dirty =
      new TileNode(
          "Dirty rate",
          "RAM that was found written at the end of the newest rounds, divided by their time; each page"
              + " counts once in a round. A QEMU's own is that of its last round.");
  private final TileNode downtime =
      new TileNode(
          "Downtime",
          "From the pause of the guest at the source to its start at the destination. Before"
              + " that, what is left divided by the throughput of the newest rounds.");
  private final TileNode remaining =
      new TileNode("Remaining", "RAM that is dirty or was not sent yet, and has not arrived.");
  private final TileNode inUse =
      new TileNode(
          "RAM in use",
          "RAM that has memory of this end's host, as of the end of the migration, and before it"
              + " of its beginning; all other was never touched, or given back.");
  private final TileNode convergence =
      new TileNode(
          "Will it converge?",
          "Compares what the guest writes in a round with what is sent in that time, and the"
              + " rest with the downtime limit.");
  private final TileNode bottleneck =
      new TileNode(
          "Bottleneck now",
          "Shares of the time of the source's engine in the last second, by what it was doing"
              + " or waiting for.");
  private final ProgressBar progressBar = new ProgressBar(0);
  private final ShareBar shareBar = new ShareBar();
  private final List<Node> ofRequests = new ArrayList<>();
  private final Label noRequests =
      new Label(
          "QEMU's own engine makes this migration. All figures are what the source QEMU tells"
              + " by QMP; its work requests, registrations and chunks cannot be seen.");
  private @Nullable SessionPair shown;
  private long moment;

  /**
   * Small views side by side.
   *
   * @param weight of its height against that of other rows
   * @param requests whether the row is left out of a migration whose requests cannot be seen
   */
  public record Row(double weight, List<View> views, boolean requests) {
    public Row(double weight, List<View> views) {
      this(weight, views, false);
    }

    /** Views of what cannot be seen in a migration by QEMU's own engine. */
    public static Row ofRequests(double weight, List<View> views) {
      return new Row(weight, views, true);
    }
  }

  /**
   * Makes an overview as wide as a window.
   *
   * @param readings what the window reads of sessions
   * @param clock the time of the shown migration: now, or when it ended
   * @param failedAsExpected whether a migration failed as its scenario expects
   * @param rows small views, from top to bottom
   */
  public OverviewView(
      Readings readings,
      LongUnaryOperator clock,
      Predicate<SessionPair> failedAsExpected,
      List<Row> rows) {
    this(readings, clock, failedAsExpected, COLUMNS, rows);
  }

  /**
   * Makes an overview.
   *
   * @param readings what the window reads of sessions
   * @param clock the time of the shown migration: now, or when it ended
   * @param failedAsExpected whether a migration failed as its scenario expects
   * @param columns of figures, at least 2
   * @param rows small views, from top to bottom
   */
  public OverviewView(
      Readings readings,
      LongUnaryOperator clock,
      Predicate<SessionPair> failedAsExpected,
      int columns,
      List<Row> rows) {
    super("Overview", new VerticalScroll());
    this.readings = readings;
    model = new OverviewModel(readings);
    this.clock = clock;
    this.failedAsExpected = failedAsExpected;
    views = rows.stream().flatMap(row -> row.views().stream()).toList();
    progress.add(progressBar);
    progressBar.setMaxWidth(Double.MAX_VALUE);
    // Low windows have no room to spare.
    progressBar.setMinHeight(Region.USE_PREF_SIZE);
    progressBar.getStyleClass().add("progress-tile-bar");
    progressBar.setAccessibleText("RAM that has arrived");
    bottleneck.add(shareBar.node());

    var tiles = new GridPane();
    tiles.getStyleClass().add("tiles");
    double first = Math.max(FIRST_COLUMN, 100.0 / columns);
    for (int i = 0; i < columns; i++) {
      var column = new ColumnConstraints();
      column.setPercentWidth(i == 0 ? first : (100 - first) / (columns - 1));
      tiles.getColumnConstraints().add(column);
    }
    List<TileNode> figures =
        List.of(progress, throughput, dirty, downtime, remaining, inUse, convergence, bottleneck);
    for (int i = 0; i < figures.size(); i++) {
      boolean last = i == figures.size() - 1;
      tiles.add(figures.get(i), i % columns, i / columns, last ? columns - i % columns : 1, 1);
    }

    var box = new VBox(stages, tiles);
    box.getStyleClass().add("overview");
    for (Row row : rows) {
      var line = new HBox();
      line.getStyleClass().add("overview-row");
      for (View view : row.views()) {
        var panel = new StackPane(view.node());
        panel.getStyleClass().add("panel");
        // All panels of a row get the same width, whatever their contents prefer.
        panel.setPrefWidth(0);
        panel.setMinWidth(0);
        HBox.setHgrow(panel, Priority.ALWAYS);
        line.getChildren().add(panel);
      }
      line.setMinHeight(LOWEST_ROW * row.weight());
      line.setPrefHeight(LOWEST_ROW * row.weight());
      VBox.setVgrow(line, Priority.ALWAYS);
      box.getChildren().add(line);
      if (row.requests()) {
        ofRequests.add(line);
      }
    }
    noRequests.getStyleClass().addAll("muted", "small-text");
    noRequests.setWrapText(true);
    noRequests.setMinHeight(Region.USE_PREF_SIZE);
    noRequests.setId("no-requests");
    box.getChildren().add(noRequests);
    showRequests(true);
    root.setContent(box);
    root.setFitToHeight(true);
    root.getStyleClass().add("overview-scroll");
    text();
  }

  @Override
  public void show(@Nullable SessionPair pair) {
    shown = pair;
    model.show(pair);
    stages.begin();
    showRequests(pair == null || pair.leading().showsRequests());
    views.forEach(view -> view.show(pair));
    text();
  }

  private void showRequests(boolean shown) {
    ofRequests.forEach(row -> {
      Presence.set(row, shown);
    });
    Presence.set(noRequests, !shown);
  }

  @Override
  public void theme(boolean dark) {
    views.forEach(view -> view.theme(dark));
  }

  @Override
  public void pulse(long nowNanos) {
    long current = readings.moment(nowNanos);
    if (current != moment) {
      moment = current;
      model.sample(clock.applyAsLong(nowNanos));
      text();
    }
    views.forEach(view -> view.pulse(nowNanos));
  }

  private void text() {
    stages.set(model.stages(), shown != null && failedAsExpected.test(shown));
    progress.set(model.progressTile());
    progressBar.setProgress(model.progress());
    throughput.set(model.throughputTile());
    dirty.set(model.dirtyTile());
    downtime.set(model.downtimeTile());
    remaining.set(model.remainingTile());
    inUse.caption(model.inUseTitle());
    inUse.set(model.inUseTile());
    inUse.explain(model.inUseOfEnds());
    convergence.caption(model.convergenceTitle());
    convergence.set(model.convergenceTile());
    convergence.explain(model.estimate().basis());
    bottleneck.set(model.bottleneckTile());
    shareBar.set(model.shares());
  }

  /** A figure with its caption above and its detail below. */
  private static final class TileNode extends VBox {
    private static final PseudoClass NARROW = PseudoClass.getPseudoClass("narrow");

    private static final double TIP_WIDTH = 380;

    /** Narrower tiles have a smaller figure, so that its unit is not cut off. */
    private static final double ROOMY = 132;

    /** Narrower tiles have a second line for the detail, whether it is needed now or not. */
    private static final double ONE_LINE = 235;

    /** Height of a line of the detail in the style sheet's font. */
    private static final double LINE = 14;

    /** Width of a letter of the figure in the style sheet's large font. */
    private static final double LETTER = 10.5;

    private static final double PADDING = 22;

    /** Height of a figure, whatever its font. */
    private static final double VALUE = 23;

    private final Label caption;
    private final Label value = new Label();
    private final Label detail = new Label();
    private final Tooltip tooltip = new Tooltip();
    private Tile shown = Tile.quiet("");
    private String explained = "";
    private final String measured;

    /**
     * @param measured says how the figure is measured
     */
    TileNode(String caption, String measured) {
      this.measured = measured;
      this.caption = new Label(caption);
      this.caption.getStyleClass().add("tile-caption");
      value.getStyleClass().addAll("tile-value", "number");
      value.setMinWidth(0);
      detail.getStyleClass().addAll("tile-detail", "number");
      detail.setMinWidth(0);
      detail.setWrapText(true);
      detail.setAlignment(Pos.TOP_LEFT);
      getStyleClass().add("tile");
      setAccessibleRole(AccessibleRole.TEXT);
      getChildren().addAll(this.caption, value, detail);
      setMaxWidth(Double.MAX_VALUE);
      setMinWidth(0);
      tooltip.setWrapText(true);
      tooltip.setMaxWidth(TIP_WIDTH);
      Tooltip.install(this, tooltip);
      setAccessibleHelp(measured);
      widthProperty().subscribe(_ -> fit());
    }

    private void fit() {
      double room = getWidth() - PADDING;
      boolean narrow = getWidth() < ROOMY || value.getText().length() * LETTER > room;
      pseudoClassStateChanged(NARROW, narrow);
      double lines = getWidth() < ONE_LINE ? 2 : 1;
      detail.setMinHeight(lines * LINE);
      detail.setPrefHeight(lines * LINE);
      detail.setMaxHeight(lines * LINE);
      value.setMinHeight(VALUE);
      value.setPrefHeight(VALUE);
    }

    void caption(String text) {
      if (!text.equals(caption.getText())) {
        caption.setText(text);
        tip();
      }
    }

    void add(Node node) {
      getChildren().add(node);
    }

    /** Sets more text for the tool tip. */
    void explain(String more) {
      if (!more.equals(explained)) {
        explained = more;
        tip();
      }
    }

    void set(Tile tile) {
      if (tile.equals(shown)) {
        return;
      }
      getStyleClass().remove(mood(shown));
      getStyleClass().add(mood(tile));
      shown = tile;
      value.setText(tile.value());
      detail.setText(tile.detail());
      fit();
      setAccessibleText(caption.getText() + ": " + tile.value() + ", " + tile.detail());
      tip();
    }

    private void tip() {
      tooltip.setText(
          caption.getText()
              + ": "
              + shown.value()
              + "\n"
              + shown.detail()
              + (explained.isEmpty() || explained.equals(shown.detail()) ? "" : "\n" + explained)
              + "\n\n"
              + measured);
    }

    private static String mood(Tile tile) {
      return "tile-" + tile.mood().name().toLowerCase(Locale.ROOT);
    }
  }
}

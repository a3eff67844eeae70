// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javafx.scene.AccessibleRole;
import javafx.scene.Node;
import javafx.scene.input.MouseButton;
import javafx.scene.input.MouseEvent;
import javafx.scene.input.ScrollEvent;
import javafx.scene.layout.Region;
import javafx.scene.paint.Color;
import javafx.scene.shape.Circle;
import javafx.scene.text.Text;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.History;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.ui.Palette;
import org.wridscope.ui.SessionPair;
import org.wridscope.ui.TimeGestures;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.View;
import org.wridscope.ui.raster.PixelSurface;

/**
 * A chart of a session's metrics over the shared stretch of time.
 *
 * <p>The wheel zooms, dragging pans and holds, a double click follows again and, when it follows
 * already, shows the whole session. The legend has the newest values, or those under the cursor.
 */
public final class TimeSeriesView implements View {
  private static final long TEXT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Samples come fifty times a second; between two of them only a moved picture is drawn. */
  private static final long SAMPLE_DRAW_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

  /** Rates look back at least that far, which is five samples. */
  private static final long SHORTEST_WINDOW = TimeUnit.MILLISECONDS.toNanos(100);

  /** So many windows fit in the shown stretch at most; more of them would only be noise. */
  private static final int WINDOWS_SHOWN = 300;

  private static final double HEADER = 20;
  private static final double GUTTER = 58;
  private static final double RIGHT_MARGIN = 6;
  private static final double TICK_DISTANCE = 34;
  private static final double NARROW = 190;
  private static final double MARKS_HEIGHT = 60;
  private static final double MARK_DISTANCE = 8;
  private static final int CROSS_DISTANCE = 7;
  private static final double CROSS_Y = 8;

  /** The height of a line of small text in the picture. */
  private static final double LINE = 14;

  private final ChartSpec spec;
  private final TimeRange range;
  private final TimeGestures gestures;
  private final TimeAxis timeAxis;
  private final PixelSurface surface = new PixelSurface();
  private final ChartPainter painter = new ChartPainter(surface.pixels());
  private final Samples samples;
  private final List<Columns> columns = new ArrayList<>();
  private final double[][] evaluated;
  private final @Nullable FailedCompletions failures;
  private final Plot node = new Plot();
  private final Legend legend;
  private final List<Text> valueTicks = new ArrayList<>();
  private final List<Text> marks = new ArrayList<>();
  private final List<Circle> dots = new ArrayList<>();
  private final Text ceilingLabel = ChartText.small();
  private final Text empty = ChartText.normal();

  private float[] waiting = new float[0];
  private ValueAxis axis;
  private ValueScale scale;
  private @Nullable SessionTelemetry telemetry;
  private @Nullable History history;
  private String reasonEmpty = "Select a session to see this chart.";
  private List<Phase> phases = List.of();
  private boolean dark = true;
  private boolean timeLabels = true;
  private boolean markLabels = true;
  private boolean stale = true;
  private int drawnSize = -1;
  private long drawnAt;
  private long textAt;
  private double hoverX = Double.NaN;

  /** Makes an empty chart. */
  public TimeSeriesView(ChartSpec spec, TimeRange range) {
    this.spec = spec;
    this.range = range;
    gestures = new TimeGestures(range);
    timeAxis = new TimeAxis(range);
    samples = Samples.of(spec);
    evaluated = new double[spec.series().size()][0];
    failures = spec.failures() == null ? null : new FailedCompletions(spec.failures());
    scale = new ValueScale(spec.unit());
    axis = scale.axis();
    legend = new Legend(spec);
    node.add(surface.node());
    for (int i = 0; i < spec.series().size(); i++) {
      columns.add(new Columns());
      dots.add(new Circle(3));
    }
    node.add(ceilingLabel);
    node.add(timeAxis.node());
    dots.forEach(node::add);
    node.add(legend.node());
    node.add(empty);
    node.setAccessibleRole(AccessibleRole.IMAGE_VIEW);
    node.setAccessibleText(spec.title());
    node.addEventHandler(MouseEvent.ANY, this::mouse);
    node.addEventHandler(ScrollEvent.SCROLL, this::wheel);
    theme(true);
  }

  @Override
  public String title() {
    return spec.title();
  }

  @Override
  public Region node() {
    return node;
  }

  /** Whether times are written below the chart; where charts stand in a column, one does. */
  public void setTimeLabels(boolean shown) {
    if (timeLabels != shown) {
      timeLabels = shown;
      stale = true;
      node.requestLayout();
    }
  }

  /** Whether phases and rounds are named; they are always marked. */
  public void setMarkLabels(boolean shown) {
    stale |= markLabels != shown;
    markLabels = shown;
  }

  @Override
  public void show(@Nullable SessionPair pair) {
    show(pair == null ? null : pair.leading().telemetry(), "Select a session to see this chart.");
  }

  /**
   * Which session to show from now on.
   *
   * @param source null for none
   * @param whyNone what is said instead when there is none
   */
  public void show(@Nullable SessionTelemetry source, String whyNone) {
    reasonEmpty = whyNone;
    show(source, source == null ? null : source.history());
  }

  /** Shows samples that need not be the session's own. */
  void show(@Nullable SessionTelemetry source, @Nullable History samplesOfIt) {
    history = samplesOfIt;
    if (telemetry != source) {
      axis = scale.begin(this);
      samples.clear();
      phases = List.of();
      drawnSize = -1;
      if (failures != null) {
        failures.clear();
      }
    }
    telemetry = source;
    textAt = 0;
    stale = true;
  }

  @Override
  public void theme(boolean darkTheme) {
    dark = darkTheme;
    Color text = Palette.TEXT.color(dark);
    node.setStyle("-fx-background-color: " + Palette.GROUND.web(dark) + ";");
    legend.theme(dark);
    timeAxis.theme(dark);
    List.of(valueTicks, marks).forEach(list -> list.forEach(t -> t.setFill(text)));
    ceilingLabel.setFill(Palette.LIMIT.color(dark));
    empty.setFill(text);
    for (int i = 0; i < dots.size(); i++) {
      dots.get(i).setFill(spec.series().get(i).colour().color(dark));
      dots.get(i).setStroke(Palette.GROUND.color(dark));
    }
    stale = true;
  }

  @Override
  public void pulse(long nowNanos) {
    SessionTelemetry shown = telemetry;
    boolean textDue = nowNanos - textAt >= TEXT_NANOS || textAt == 0;
    if (shown != null && textDue) {
      List<Phase> now = shown.phases();
      if (!now.equals(phases)) {
        phases = now;
        stale = true;
      }
      if (failures != null && failures.update(shown, nowNanos)) {
        stale = true;
      }
    }
    boolean drawn = drawIfNeeded(shown, nowNanos);
    if (!Double.isNaN(hoverX)) {
      range.cursorNanosProperty().set(timeAxis.timeAt(hoverX));
    }
    boolean cursorMoved = layCursor();
    if (textDue || cursorMoved || (drawn && stale)) {
      textAt = nowNanos;
      writeLegend(shown);
    }
    if (drawn) {
      stale = false;
    }
  }

  /** Has the same scale of values from now on as another chart of the same kind. */
  public void shareScale(TimeSeriesView other) {
    scale = other.scale;
    stale = true;
  }

  private boolean drawIfNeeded(@Nullable SessionTelemetry shown, long nowNanos) {
    Columns first = columns.getFirst();
    int size = history == null ? 0 : history.size();
    boolean moved =
        first.placedElsewhere(
            range.originNanos(), range.leftNanos(), range.rightNanos(), surface.pixels().width());
    boolean fresh = size != drawnSize && nowNanos - drawnAt >= SAMPLE_DRAW_NANOS;
    boolean rescaled = !axis.equals(scale.axis());
    if (!stale && !moved && !fresh && !rescaled) {
      return false;
    }
    drawnSize = size;
    drawnAt = nowNanos;
    draw(shown);
    return true;
  }

  private void draw(@Nullable SessionTelemetry shown) {
    int width = surface.pixels().width();
    for (Columns each : columns) {
      each.place(range.originNanos(), range.leftNanos(), range.rightNanos(), width);
    }
    Columns first = columns.getFirst();
    long window = window();
    if (history == null) {
      samples.clear();
    } else {
      samples.read(history, first.timeOf(0) - window, first.timeOf(width));
    }
    double largest = 0;
    for (int i = 0; i < columns.size(); i++) {
      if (evaluated[i].length < samples.count()) {
        evaluated[i] = new double[samples.times().length];
      }
      Reading reading = spec.series().get(i).reading();
      samples.evaluate(reading, window, evaluated[i]);
      columns.get(i).fill(samples.times(), evaluated[i], samples.count(), reading.holds());
      largest = Math.max(largest, columns.get(i).largest());
    }
    double limit = limit(shown);
    boolean near = isNear(limit, largest);
    int ticks = (int) Math.clamp(plotHeight() / TICK_DISTANCE, 1.0, 8.0);
    axis = scale.adapt(this, near ? Math.max(limit, largest) : largest, ticks);
    paint(near ? limit : Double.NaN);
    layCeiling(limit, near, isInForce(limit, largest));
    layAxes();
    empty.setText(reason(shown));
    empty.setVisible(!empty.getText().isEmpty());
    if (empty.isVisible()) {
      node.centre(empty);
    }
    surface.changed();
  }

  private void paint(double ceiling) {
    Columns first = columns.getFirst();
    painter.begin(surface.scale(), dark);
    if (!spec.waits().isEmpty()) {
      if (waiting.length < first.width()) {
        waiting = new float[first.width()];
      }
      samples.waiting(spec.waits(), first, waiting);
      painter.waits(first, waiting);
    }
    painter.valueGrid(axis);
    TimeTicks ticks = timeAxis.ticks();
    for (int i = 0; i < ticks.count(); i++) {
      painter.timeGrid(first.xOf(range.originNanos() + ticks.at(i)));
    }
    double marked = Double.NEGATIVE_INFINITY;
    for (Phase phase : phases) {
      double x = first.xOf(phase.nanos());
      // Many short rounds would only make the picture grey.
      if (x - marked >= MARK_DISTANCE * surface.scale()) {
        marked = x;
        painter.mark(x);
      }
    }
    for (int i = columns.size() - 1; i >= 0; i--) {
      Series series = spec.series().get(i);
      if (series.style() == Series.Style.AREA) {
        painter.area(columns.get(i), axis, series.colour());
      }
    }
    if (!Double.isNaN(ceiling)) {
      painter.ceiling(axis, ceiling);
    }
    for (int i = columns.size() - 1; i >= 0; i--) {
      Series series = spec.series().get(i);
      painter.line(columns.get(i), axis, series.colour(), series.style() == Series.Style.DASHED);
    }
    if (failures != null) {
      double last = Double.NEGATIVE_INFINITY;
      // Below the names of phases.
      double y = (CROSS_Y + (namesPhases() ? LINE : 0)) * surface.scale();
      for (int i = 0; i < failures.size(); i++) {
        double x = first.xOf(failures.at(i));
        if (x - last >= CROSS_DISTANCE * surface.scale()) {
          painter.cross(x, y);
          last = x;
        }
      }
    }
  }

  /** How far rates look back: of 1, 2 or 5 times a power of ten, so that it can be said. */
  private long window() {
    long wanted = Math.max(SHORTEST_WINDOW, range.shownNanos() / WINDOWS_SHOWN);
    return Math.round(AxisUnit.NANOSECONDS.step((double) wanted));
  }

  private double limit(@Nullable SessionTelemetry shown) {
    ChartSpec.Ceiling ceiling = spec.ceiling();
    if (ceiling == null || shown == null) {
      return 0;
    }
    Metric metric = ceiling.metric();
    return (double) (metric != null ? shown.metrics().get(metric) : ceiling.fixed().orElse(0));
  }

  private boolean isNear(double limit, double largest) {
    ChartSpec.Ceiling ceiling = spec.ceiling();
    return ceiling != null && largest > limit * ceiling.near() && isInForce(limit, largest);
  }

  /** A limit that was exceeded is none, such as that on locked memory for a privileged process. */
  private static boolean isInForce(double limit, double largest) {
    return limit > 0 && largest <= limit;
  }

  private String reason(@Nullable SessionTelemetry shown) {
    if (shown == null) {
      return reasonEmpty;
    }
    if (!shown.monitored()) {
      return "No history: this session was started without monitoring.";
    }
    if (history == null || history.size() == 0) {
      return "The first samples arrive in a moment.";
    }
    return samples.count() == 0 ? "Nothing was sampled in this stretch of time." : "";
  }

  private double plotHeight() {
    return surface.pixels().height() / surface.scale();
  }

  private void layAxes() {
    boolean labelled = node.plotLeft() > 0;
    int values = labelled && surface.pixels().height() > 0 ? axis.ticks() + 1 : 0;
    for (int i = 0; i < values; i++) {
      Text text = pooled(valueTicks, i);
      double value = i * axis.step();
      ChartText.write(text, spec.unit().tick(value));
      double y = node.plotTop() + painter.yOf(axis, value) / surface.scale();
      // The topmost one below the edge, above which the legend is.
      text.relocate(
          Math.rint(node.plotLeft() - 6 - text.getLayoutBounds().getWidth()),
          Math.rint(Math.max(node.plotTop(), y - text.getLayoutBounds().getHeight() / 2)));
    }
    hideFrom(valueTicks, values);
    timeAxis.layLabels();
    layMarks();
  }

  private boolean namesPhases() {
    return markLabels && plotHeight() >= MARKS_HEIGHT;
  }

  private void layMarks() {
    int shown = 0;
    if (namesPhases()) {
      double[] begins = phases.stream().mapToDouble(phase -> timeAxis.xOf(phase.nanos())).toArray();
      for (Stretch stretch : Stretch.of(begins, node.plotLeft(), marksRight())) {
        Text text = pooled(marks, shown);
        ChartText.write(text, phases.get(stretch.phase()).name());
        if (stretch.hasRoomFor(text.getLayoutBounds().getWidth())) {
          text.relocate(Math.rint(stretch.nameX()), node.plotTop() + 1);
          shown++;
        }
      }
    }
    hideFrom(marks, shown);
  }

  /** Where there is room for names of phases until: the limit may be written beside them. */
  private double marksRight() {
    boolean beside =
        ceilingLabel.isVisible() && ceilingLabel.getLayoutY() < node.plotTop() + 1 + LINE;
    return beside ? ceilingLabel.getBoundsInParent().getMinX() : node.plotRight();
  }

  private void layCeiling(double limit, boolean near, boolean inForce) {
    ChartSpec.Ceiling ceiling = spec.ceiling();
    ceilingLabel.setVisible(ceiling != null && inForce && plotHeight() > 0);
    if (ceiling == null || !ceilingLabel.isVisible()) {
      return;
    }
    String text = ceiling.label() + " " + spec.unit().text(limit);
    ChartText.write(ceilingLabel, near ? text : "↑ " + text);
    double height = ceilingLabel.getLayoutBounds().getHeight();
    double line = node.plotTop() + painter.yOf(axis, limit) / surface.scale();
    double below = line + 2 + height <= node.plotBottom() ? line + 2 : line - height - 2;
    double y = near ? below : node.plotTop() + 2;
    ceilingLabel.relocate(
        Math.rint(node.plotRight() - ceilingLabel.getLayoutBounds().getWidth() - 4), Math.rint(y));
  }

  /** Returns whether the cursor, and with it the read-out, has moved. */
  private boolean layCursor() {
    boolean moved = timeAxis.layCursor();
    for (int i = 0; i < dots.size(); i++) {
      double value = timeAxis.hasCursor() ? valueAt(i, at()) : Double.NaN;
      dots.get(i).setVisible(!Double.isNaN(value));
      if (!Double.isNaN(value)) {
        dots.get(i).setCenterX(timeAxis.xOf(at()));
        dots.get(i).setCenterY(node.plotTop() + painter.yOf(axis, value) / surface.scale());
      }
    }
    return moved;
  }

  private double valueAt(int series, long nanos) {
    return samples.valueAt(spec.series().get(series).reading(), evaluated[series], nanos);
  }

  private long at() {
    return range.cursorNanosProperty().get();
  }

  private void writeLegend(@Nullable SessionTelemetry shown) {
    boolean pointed = timeAxis.hasCursor();
    for (int i = 0; i < evaluated.length; i++) {
      double value =
          shown == null || samples.count() == 0
              ? Double.NaN
              : pointed ? valueAt(i, at()) : evaluated[i][samples.count() - 1];
      legend.write(i, Double.isNaN(value) ? "–" : spec.unit().text(value));
    }
    if (!spec.waits().isEmpty() && shown != null && waiting.length > 0) {
      Columns first = columns.getFirst();
      double x = pointed ? first.xOf(at()) : lastColumn();
      int column = (int) Math.clamp(x, 0.0, Math.max(0, first.width() - 1.0));
      legend.writeWaiting(AxisUnit.SHARE.text(waiting[column]));
    }
    legend.writeFailures(failures == null ? 0 : failures.size());
    legend.writeNote(
        spec.series().stream().anyMatch(TimeSeriesView::isAveraged)
            ? "average of " + AxisUnit.NANOSECONDS.text((double) window())
            : "");
    legend.layOut(node.getWidth());
  }

  /** The last column that a sample reaches to. */
  private double lastColumn() {
    return samples.count() == 0
        ? 0
        : columns.getFirst().xOf(samples.times()[samples.count() - 1]) - 1;
  }

  private static boolean isAveraged(Series series) {
    return series.reading() instanceof Reading.Rate || series.reading() instanceof Reading.Quotient;
  }

  private Text pooled(List<Text> pool, int index) {
    if (index == pool.size()) {
      Text text = ChartText.small();
      text.setFill(Palette.TEXT.color(dark));
      pool.add(text);
      node.addBelow(text, timeAxis.node());
      text.applyCss();
    }
    Text text = pool.get(index);
    text.setVisible(true);
    return text;
  }

  private static void hideFrom(List<Text> pool, int index) {
    for (int i = index; i < pool.size(); i++) {
      pool.get(i).setVisible(false);
    }
  }

  private void mouse(MouseEvent event) {
    boolean inside =
        event.getX() >= node.plotLeft()
            && event.getX() <= node.plotRight()
            && event.getY() >= node.plotTop();
    if (event.getEventType() == MouseEvent.MOUSE_MOVED) {
      point(inside ? event.getX() : Double.NaN);
    } else if (event.getEventType() == MouseEvent.MOUSE_EXITED) {
      point(Double.NaN);
    } else if (event.getEventType() == MouseEvent.MOUSE_PRESSED) {
      gestures.press(event.getX());
    } else if (event.getEventType() == MouseEvent.MOUSE_DRAGGED && telemetry != null) {
      gestures.drag(event.getX(), node.plotWidth());
      point(inside ? event.getX() : Double.NaN);
    } else if (event.getEventType() == MouseEvent.MOUSE_CLICKED
        && event.getButton() == MouseButton.PRIMARY
        && !gestures.isDragging()
        && event.getClickCount() > 0
        && event.getClickCount() % 2 == 0) {
      gestures.followAgain();
    }
  }

  private void point(double x) {
    if (Double.isNaN(x) && !Double.isNaN(hoverX)) {
      range.cursorNanosProperty().set(TimeRange.NO_CURSOR);
    }
    hoverX = x;
  }

  private void wheel(ScrollEvent event) {
    if (telemetry != null && node.plotWidth() > 0) {
      gestures.wheel(event, timeAxis.timeAt(event.getX()), node.plotWidth());
    }
  }

  /** Lays out the picture, and around it what is made of nodes. */
  private final class Plot extends Region {
    Plot() {
      setMinSize(0, 0);
      setPrefSize(320, 150);
      getStyleClass().add("chart-view");
    }

    void add(Node child) {
      child.setManaged(false);
      getChildren().add(child);
    }

    void addBelow(Node child, Node upper) {
      child.setManaged(false);
      getChildren().add(getChildren().indexOf(upper), child);
    }

    void centre(Text text) {
      text.setWrappingWidth(Math.max(0, Math.min(360, plotWidth() - 16)));
      text.relocate(
          Math.rint(plotLeft() + (plotWidth() - text.getLayoutBounds().getWidth()) / 2),
          Math.rint((plotTop() + plotBottom() - text.getLayoutBounds().getHeight()) / 2));
    }

    double plotLeft() {
      return getWidth() < NARROW ? 0 : GUTTER;
    }

    double plotRight() {
      return Math.max(plotLeft(), getWidth() - RIGHT_MARGIN);
    }

    double plotWidth() {
      return plotRight() - plotLeft();
    }

    double plotTop() {
      return HEADER;
    }

    boolean showsTimes() {
      return timeLabels && getHeight() > HEADER + 2 * TimeAxis.HEIGHT;
    }

    double plotBottom() {
      return Math.max(plotTop(), getHeight() - (showsTimes() ? TimeAxis.HEIGHT : 4));
    }

    @Override
    protected void layoutChildren() {
      legend.layOut(getWidth());
      timeAxis.place(plotLeft(), plotRight(), plotTop(), plotBottom());
      timeAxis.setLabelled(showsTimes());
      if (surface.place(plotLeft(), plotTop(), plotWidth(), plotBottom() - plotTop())) {
        stale = true;
        draw(telemetry);
        layCursor();
      }
    }
  }
}

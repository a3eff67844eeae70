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
import javafx.scene.shape.Line;
import javafx.scene.shape.Rectangle;
import javafx.scene.text.Text;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.History;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.ui.Palette;
import org.wridscope.ui.SessionPair;
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
  private static final double TIME_AXIS = 16;
  private static final double RIGHT_MARGIN = 6;
  private static final double TICK_DISTANCE = 34;
  private static final double LABEL_DISTANCE = 84;
  private static final double NARROW = 190;
  private static final double MARKS_HEIGHT = 60;
  private static final double MARK_DISTANCE = 8;
  private static final double ZOOM_STEP = 1.25;
  private static final int CROSS_DISTANCE = 7;

  private final ChartSpec spec;
  private final TimeRange range;
  private final PixelSurface surface = new PixelSurface();
  private final ChartPainter painter = new ChartPainter(surface.pixels());
  private final Samples samples;
  private final List<Columns> columns = new ArrayList<>();
  private final double[][] evaluated;
  private final @Nullable FailedCompletions failures;
  private final Plot node = new Plot();
  private final Legend legend;
  private final List<Text> valueTicks = new ArrayList<>();
  private final List<Text> timeTicks = new ArrayList<>();
  private final List<Text> marks = new ArrayList<>();
  private final List<Circle> dots = new ArrayList<>();
  private final Line cursor = new Line();
  private final Rectangle flagGround = new Rectangle();
  private final Text flag = ChartText.small();
  private final Text ceilingLabel = ChartText.small();
  private final Text empty = ChartText.normal();

  private float[] waiting = new float[0];
  private ValueAxis axis;
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
  private double dragX;

  /** Makes an empty chart. */
  public TimeSeriesView(ChartSpec spec, TimeRange range) {
    this.spec = spec;
    this.range = range;
    samples = Samples.of(spec);
    evaluated = new double[spec.series().size()][0];
    failures = spec.failures() == null ? null : new FailedCompletions(spec.failures());
    axis = ValueAxis.of(spec.unit(), 0, 1);
    legend = new Legend(spec);
    flagGround.setArcWidth(4);
    flagGround.setArcHeight(4);
    node.add(surface.node());
    for (int i = 0; i < spec.series().size(); i++) {
      columns.add(new Columns());
      dots.add(new Circle(3));
    }
    node.add(ceilingLabel);
    node.add(cursor);
    dots.forEach(node::add);
    node.add(flagGround);
    node.add(flag);
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

  /** Whether phases and rounds are named where they begin; they are always marked. */
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
      axis = ValueAxis.of(spec.unit(), 0, 1);
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
    Color strong = Palette.CURSOR.color(dark);
    node.setStyle("-fx-background-color: " + Palette.GROUND.web(dark) + ";");
    legend.theme(dark);
    List.of(valueTicks, timeTicks, marks).forEach(list -> list.forEach(t -> t.setFill(text)));
    cursor.setStroke(strong);
    flagGround.setFill(strong);
    flag.setFill(Palette.GROUND.color(dark));
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
      range.cursorNanosProperty().set(timeAt(hoverX));
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

  private boolean drawIfNeeded(@Nullable SessionTelemetry shown, long nowNanos) {
    Columns first = columns.getFirst();
    int size = history == null ? 0 : history.size();
    boolean moved =
        first.placedElsewhere(
            range.originNanos(), range.leftNanos(), range.rightNanos(), surface.pixels().width());
    boolean fresh = size != drawnSize && nowNanos - drawnAt >= SAMPLE_DRAW_NANOS;
    if (!stale && !moved && !fresh) {
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
      samples.evaluate(spec.series().get(i).reading(), window, evaluated[i]);
      columns.get(i).fill(samples.times(), evaluated[i], samples.count());
      largest = Math.max(largest, columns.get(i).largest());
    }
    double limit = limit(shown);
    boolean near = isNear(limit, largest);
    int ticks = (int) Math.clamp(plotHeight() / TICK_DISTANCE, 1.0, 8.0);
    axis = axis.adapted(near ? Math.max(limit, largest) : largest, ticks);
    paint(near ? limit : Double.NaN);
    layAxes();
    layCeiling(limit, near, isInForce(limit, largest));
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
    TimeTicks ticks = ticks();
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
      for (int i = 0; i < failures.size(); i++) {
        double x = first.xOf(failures.at(i));
        if (x - last >= CROSS_DISTANCE * surface.scale()) {
          painter.cross(x, 8 * surface.scale());
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

  private TimeTicks ticks() {
    Columns first = columns.getFirst();
    long left = first.timeOf(0) - range.originNanos();
    long right = first.timeOf(first.width()) - range.originNanos();
    int most = (int) Math.max(1, node.plotWidth() / LABEL_DISTANCE);
    return TimeTicks.of(left, Math.max(right, left + 1), most);
  }

  private double plotHeight() {
    return surface.pixels().height() / surface.scale();
  }

  private double toNode(double pixelX) {
    return node.plotLeft() + pixelX / surface.scale();
  }

  private long timeAt(double x) {
    return columns.getFirst().timeOf((int) Math.floor((x - node.plotLeft()) * surface.scale()));
  }

  private void layAxes() {
    boolean labelled = node.plotLeft() > 0;
    int values = labelled && surface.pixels().height() > 0 ? axis.ticks() + 1 : 0;
    for (int i = 0; i < values; i++) {
      Text text = pooled(valueTicks, i);
      double value = i * axis.step();
      ChartText.write(text, spec.unit().tick(value));
      double y = node.plotTop() + painter.yOf(axis, value) / surface.scale();
      text.relocate(
          Math.rint(node.plotLeft() - 6 - text.getLayoutBounds().getWidth()),
          Math.rint(y - text.getLayoutBounds().getHeight() / 2));
    }
    hideFrom(valueTicks, values);

    Columns first = columns.getFirst();
    TimeTicks ticks = ticks();
    int shown = 0;
    for (int i = 0; node.showsTimes() && i < ticks.count(); i++) {
      double x = toNode(first.xOf(range.originNanos() + ticks.at(i)));
      Text text = pooled(timeTicks, shown);
      ChartText.write(text, ticks.label(i));
      double half = text.getLayoutBounds().getWidth() / 2;
      if (x + half <= node.getWidth() && x >= node.plotLeft() - 1) {
        text.relocate(Math.rint(x - half), node.plotBottom() + 2);
        shown++;
      }
    }
    hideFrom(timeTicks, shown);
    layMarks();
  }

  private void layMarks() {
    int shown = 0;
    double free = node.plotLeft();
    boolean shows = markLabels && plotHeight() >= MARKS_HEIGHT;
    for (int i = 0; shows && i < phases.size(); i++) {
      double x = toNode(columns.getFirst().xOf(phases.get(i).nanos())) + 3;
      if (x < free || x > node.plotRight()) {
        continue;
      }
      Text text = pooled(marks, shown);
      ChartText.write(text, phases.get(i).name());
      double width = text.getLayoutBounds().getWidth();
      if (x + width <= node.plotRight()) {
        text.relocate(Math.rint(x), node.plotTop() + 1);
        free = x + width + 6;
        shown++;
      }
    }
    hideFrom(marks, shown);
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
    double x = range.hasCursor() ? toNode(columns.getFirst().xOf(at())) : Double.NaN;
    boolean visible = x >= node.plotLeft() && x <= node.plotRight() && telemetry != null;
    boolean moved = visible ? cursor.getStartX() != x || !cursor.isVisible() : cursor.isVisible();
    cursor.setVisible(visible);
    flag.setVisible(visible && node.showsTimes());
    flagGround.setVisible(flag.isVisible());
    if (!visible) {
      dots.forEach(dot -> dot.setVisible(false));
      return moved;
    }
    cursor.setStartX(x);
    cursor.setEndX(x);
    cursor.setStartY(node.plotTop());
    cursor.setEndY(node.plotBottom());
    for (int i = 0; i < dots.size(); i++) {
      double value = samples.valueAt(evaluated[i], at());
      dots.get(i).setVisible(!Double.isNaN(value));
      if (!Double.isNaN(value)) {
        dots.get(i).setCenterX(x);
        dots.get(i).setCenterY(node.plotTop() + painter.yOf(axis, value) / surface.scale());
      }
    }
    if (flag.isVisible() && moved) {
      ChartText.write(
          flag, TimeTicks.label(at() - range.originNanos(), flagStep(range.shownNanos())));
      double width = flag.getLayoutBounds().getWidth();
      double left =
          Math.clamp(
              x - width / 2, node.plotLeft(), Math.max(node.plotLeft(), node.plotRight() - width));
      flag.relocate(Math.rint(left), node.plotBottom() + 2);
      flagGround.setX(Math.rint(left) - 4);
      flagGround.setY(node.plotBottom() + 1);
      flagGround.setWidth(width + 8);
      flagGround.setHeight(TIME_AXIS - 1);
    }
    return moved;
  }

  /** A moment is told ten times finer than a pixel, so that neighbours differ. */
  private static long flagStep(long shownNanos) {
    return Math.clamp(shownNanos / 2000, 1000, 100_000_000);
  }

  private long at() {
    return range.cursorNanosProperty().get();
  }

  private void writeLegend(@Nullable SessionTelemetry shown) {
    boolean pointed = cursor.isVisible();
    for (int i = 0; i < evaluated.length; i++) {
      double value =
          shown == null || samples.count() == 0
              ? Double.NaN
              : pointed ? samples.valueAt(evaluated[i], at()) : evaluated[i][samples.count() - 1];
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
      node.addBelow(text, cursor);
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
      dragX = event.getX();
    } else if (event.getEventType() == MouseEvent.MOUSE_DRAGGED) {
      drag(event.getX());
    } else if (event.getEventType() == MouseEvent.MOUSE_CLICKED
        && event.getButton() == MouseButton.PRIMARY
        && event.getClickCount() > 0
        && event.getClickCount() % 2 == 0) {
      followAgain();
    }
  }

  private void point(double x) {
    if (Double.isNaN(x) && !Double.isNaN(hoverX)) {
      range.cursorNanosProperty().set(TimeRange.NO_CURSOR);
    }
    hoverX = x;
  }

  private void drag(double x) {
    double width = node.plotWidth();
    if (telemetry != null && width > 0 && x != dragX) {
      range.pan(Math.round((dragX - x) / width * (double) range.shownNanos()));
      dragX = x;
      hoverX = Double.isNaN(hoverX) ? hoverX : x;
    }
  }

  private void followAgain() {
    if (range.isFollowing()) {
      range.spanNanosProperty().set(TimeRange.WHOLE);
    }
    range.followProperty().set(true);
  }

  private void wheel(ScrollEvent event) {
    if (telemetry == null || node.plotWidth() <= 0) {
      return;
    }
    if (event.getDeltaX() != 0) {
      range.pan(Math.round(-event.getDeltaX() / node.plotWidth() * (double) range.shownNanos()));
    } else if (event.getDeltaY() != 0) {
      range.zoom(event.getDeltaY() > 0 ? 1 / ZOOM_STEP : ZOOM_STEP, timeAt(event.getX()));
    }
    event.consume();
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
      return timeLabels && getHeight() > HEADER + 2 * TIME_AXIS;
    }

    double plotBottom() {
      return Math.max(plotTop(), getHeight() - (showsTimes() ? TIME_AXIS : 4));
    }

    @Override
    protected void layoutChildren() {
      legend.layOut(getWidth());
      if (surface.place(plotLeft(), plotTop(), plotWidth(), plotBottom() - plotTop())) {
        stale = true;
        draw(telemetry);
        layCursor();
      }
    }
  }
}

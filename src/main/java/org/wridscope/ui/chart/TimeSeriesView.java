// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javafx.scene.layout.Region;
import javafx.scene.shape.Circle;
import javafx.scene.text.Text;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionPair;
import org.wridscope.figures.Observation;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.History;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.text.AxisUnit;
import org.wridscope.text.ValueAxis;
import org.wridscope.ui.Palette;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.View;

/**
 * A chart of a session's metrics over the shared stretch of time. The legend has the newest values,
 * or those at the cursor.
 */
public final class TimeSeriesView implements View {
  private static final String NO_SESSION = "Select a migration to see this chart.";

  /** Samples come fifty times a second; new ones are drawn no more often than this. */
  private static final long SAMPLE_DRAW_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

  /** The shortest time over which rates are averaged, five samples. */
  private static final long SHORTEST_WINDOW = TimeUnit.MILLISECONDS.toNanos(100);

  /** The shown stretch has at most this many windows; with more, rates would be noisy. */
  private static final int WINDOWS_SHOWN = 300;

  private static final TimePlot.Frame FRAME = TimePlot.Frame.toTheRight(20, 58, 190);
  private static final double TICK_DISTANCE = 34;

  /** The least height of a picture in which phases are named. */
  private static final double NAMES_FROM_HEIGHT = 60;

  private static final int CROSS_DISTANCE = 7;
  private static final double CROSS_Y = 8;

  /** The height of a line of small text in the picture. */
  private static final double LINE = 14;

  /** What is marked in a stack. */
  private static final Set<EventKind> OF_STACK =
      Set.of(
          EventKind.COMPLETION_SEND_QUEUE,
          EventKind.COMPLETION_RECEIVE_QUEUE,
          EventKind.COMPLETION_DROPPED);

  private final ChartSpec spec;

  /** The series of both forms of the chart; see {@link ChartSpec#stack}. */
  private final List<Series> series;

  private final TimeRange range;
  private final TimePlot plot;
  private final ChartPainter painter;
  private final Samples samples;
  private final List<Columns> columns = new ArrayList<>();
  private final double[][] evaluated;

  /** The values as they are drawn: in a stack, on top of those below. */
  private final double[][] drawn;

  private final @Nullable FailedCompletions failures;
  private final @Nullable FailedCompletions failuresOfStack;
  private final Legend legend;
  private final TextPool valueTicks;
  private final TextPool phaseNames;
  private final List<Circle> dots = new ArrayList<>();
  private final Text ceilingLabel = ChartText.small();

  private float[] waiting = new float[0];
  private ValueAxis axis;
  private ValueScale scale;
  private boolean stacked;
  private @Nullable SessionTelemetry telemetry;
  private @Nullable History history;
  private String reasonEmpty = NO_SESSION;
  private List<Phase> phases = List.of();
  private boolean namesPhases = true;
  private int drawnSize = -1;
  private long drawnAt;

  /** Makes an empty chart. */
  public TimeSeriesView(ChartSpec spec, TimeRange range) {
    this.spec = spec;
    this.range = range;
    plot = new TimePlot(range, FRAME, spec.title(), new Content());
    painter = new ChartPainter(plot.surface().pixels(), plot.pen());
    series = spec.allSeries();
    samples = Samples.of(spec);
    evaluated = new double[series.size()][0];
    drawn = new double[series.size()][0];
    boolean marks = !spec.failures().isEmpty();
    failures = marks ? new FailedCompletions(spec.failures()) : null;
    failuresOfStack = marks && spec.stack() != null ? new FailedCompletions(OF_STACK) : null;
    scale = new ValueScale(spec.unit());
    axis = scale.axis();
    legend = new Legend(spec);
    valueTicks = plot.addTexts(Palette.TEXT);
    phaseNames = plot.addTexts(Palette.TEXT);
    plot.add(ceilingLabel);
    for (int i = 0; i < series.size(); i++) {
      columns.add(new Columns());
      dots.add(new Circle(3));
      plot.add(dots.getLast());
    }
    plot.add(legend.node());
    legend.use(spec.title(), firstSeries(), endOfSeries());
    node().widthProperty().subscribe(width -> legend.layOut(width.doubleValue()));
    theme(true);
  }

  @Override
  public String title() {
    return spec.title();
  }

  @Override
  public Region node() {
    return plot.node();
  }

  /** Whether the chart is left out while sends and receives complete in one queue. */
  boolean isSeparateOnly() {
    return spec.separateOnly();
  }

  TimePlot plot() {
    return plot;
  }

  /**
   * Sets whether times are written below the chart; in a column of charts, only the last needs it.
   */
  public void setTimeLabels(boolean shown) {
    plot.setTimeLabels(shown);
  }

  /** Sets whether phases and rounds are named; they are always marked. */
  void setPhaseNames(boolean shown) {
    if (namesPhases != shown) {
      namesPhases = shown;
      plot.renew();
    }
  }

  @Override
  public void show(@Nullable SessionPair pair) {
    samples.observedBy(pair == null ? Observation.ENGINE : pair.leading().observation());
    show(pair == null ? null : pair.leading().telemetry(), NO_SESSION);
  }

  /**
   * Sets the session to show from now on.
   *
   * @param source null for none
   * @param whyNone the sentence that is shown when there is none
   */
  void show(@Nullable SessionTelemetry source, String whyNone) {
    reasonEmpty = whyNone;
    show(source, source == null ? null : source.history());
  }

  /** Shows samples that may come from elsewhere, for benchmarks. */
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
      if (failuresOfStack != null) {
        failuresOfStack.clear();
      }
    }
    telemetry = source;
    plot.setActive(source != null);
    plot.renew();
  }

  @Override
  public void theme(boolean dark) {
    plot.theme(dark);
    legend.theme(dark);
    ceilingLabel.setFill(Palette.LIMIT.color(dark));
    for (int i = 0; i < dots.size(); i++) {
      dots.get(i).setFill(series.get(i).colour().color(dark));
      dots.get(i).setStroke(Palette.GROUND.color(dark));
    }
  }

  @Override
  public void pulse(long nowNanos) {
    chooseForm();
    if (telemetry != null && plot.isTextDue(nowNanos)) {
      readEvents(telemetry, nowNanos);
    }
    int size = history == null ? 0 : history.size();
    boolean moved =
        columns
            .getFirst()
            .placedElsewhere(
                range.originNanos(), range.leftNanos(), range.rightNanos(), pixelWidth());
    boolean fresh = size != drawnSize && nowNanos - drawnAt >= SAMPLE_DRAW_NANOS;
    boolean rescaled = !axis.equals(scale.axis());
    if (moved || fresh || rescaled) {
      drawnAt = nowNanos;
    }
    plot.pulse(nowNanos, moved || fresh || rescaled);
    layDots();
  }

  private void readEvents(SessionTelemetry shown, long nowNanos) {
    List<Phase> now = shown.phases();
    if (!now.equals(phases)) {
      phases = now;
      plot.renew();
    }
    FailedCompletions marked = marked();
    if (marked != null && marked.update(shown, nowNanos)) {
      plot.renew();
    }
  }

  /** Stacks the series of a completion queue that sends and receives share. */
  private void chooseForm() {
    ChartSpec.Stack stack = spec.stack();
    boolean now = stack != null && telemetry != null && telemetry.metrics().sharesCompletionQueue();
    if (now != stacked) {
      stacked = now;
      legend.use(now && stack != null ? stack.title() : spec.title(), firstSeries(), endOfSeries());
      plot.renew();
    }
  }

  private int firstSeries() {
    return stacked ? spec.series().size() : 0;
  }

  private int endOfSeries() {
    return stacked ? series.size() : spec.series().size();
  }

  private boolean isShown(int index) {
    return index >= firstSeries() && index < endOfSeries();
  }

  private ChartSpec.@Nullable Ceiling ceiling() {
    ChartSpec.Stack stack = spec.stack();
    return stacked && stack != null ? stack.ceiling() : spec.ceiling();
  }

  private List<Metric> waits() {
    ChartSpec.Stack stack = spec.stack();
    return stacked && stack != null ? stack.waits() : spec.waits();
  }

  private @Nullable FailedCompletions marked() {
    return stacked ? failuresOfStack : failures;
  }

  /** Uses the scale of values of another chart of the same kind from now on. */
  public void shareScale(TimeSeriesView other) {
    scale = other.scale;
    plot.renew();
  }

  private int pixelWidth() {
    return plot.surface().pixels().width();
  }

  private final class Content implements TimePlot.Content {
    @Override
    public void draw() {
      drawnSize = history == null ? 0 : history.size();
      double largest = evaluate();
      double limit = limit();
      boolean near = isNear(limit, largest);
      int ticks = (int) Math.clamp(plot.height() / TICK_DISTANCE, 1.0, 8.0);
      axis = scale.adapt(TimeSeriesView.this, near ? Math.max(limit, largest) : largest, ticks);
      paint(near ? limit : Double.NaN);
      layCeiling(limit, near, isInForce(limit, largest));
      layValueTicks();
      layPhaseNames();
      plot.say(reason());
    }

    @Override
    public void write() {
      writeLegend();
    }
  }

  // ------------------------------------------------------------------------------------- drawing

  /** Reads the samples of the shown stretch. Returns the largest value. */
  private double evaluate() {
    for (Columns each : columns) {
      each.place(range.originNanos(), range.leftNanos(), range.rightNanos(), pixelWidth());
    }
    Columns first = columns.getFirst();
    if (history == null) {
      samples.clear();
    } else {
      samples.read(history, first.timeOf(0) - window(), first.timeOf(pixelWidth()));
    }
    double largest = 0;
    for (int i = firstSeries(); i < endOfSeries(); i++) {
      if (evaluated[i].length < samples.count()) {
        evaluated[i] = new double[samples.times().length];
      }
      Reading reading = series.get(i).reading();
      samples.evaluate(reading, window(), evaluated[i]);
      drawn[i] = stacked && i > firstSeries() ? onTopOf(drawn[i - 1], i) : evaluated[i];
      columns.get(i).fill(samples.times(), drawn[i], samples.count(), reading.holds(), window());
      largest = Math.max(largest, columns.get(i).largest());
    }
    return largest;
  }

  private double[] onTopOf(double[] below, int index) {
    double[] sum =
        drawn[index].length < samples.count() ? new double[samples.times().length] : drawn[index];
    for (int i = 0; i < samples.count(); i++) {
      sum[i] = below[i] + evaluated[index][i];
    }
    return sum;
  }

  private void paint(double ceiling) {
    Columns first = columns.getFirst();
    painter.begin(plot.isDark());
    if (!waits().isEmpty()) {
      if (waiting.length < first.width()) {
        waiting = new float[first.width()];
      }
      samples.waiting(waits(), first, waiting);
      painter.waits(first, waiting);
    }
    painter.valueGrid(axis);
    plot.drawTime(phases, first::xOf);
    for (int i = endOfSeries() - 1; i >= firstSeries(); i--) {
      Palette colour = series.get(i).colour();
      if (stacked) {
        painter.band(columns.get(i), i == firstSeries() ? null : columns.get(i - 1), axis, colour);
      } else if (series.get(i).style() == Series.Style.AREA) {
        painter.area(columns.get(i), axis, colour);
      }
    }
    if (!Double.isNaN(ceiling)) {
      painter.ceiling(axis, ceiling);
    }
    for (int i = endOfSeries() - 1; i >= firstSeries(); i--) {
      Series each = series.get(i);
      painter.line(columns.get(i), axis, each.colour(), each.style() == Series.Style.DASHED);
    }
    FailedCompletions marked = marked();
    if (marked != null) {
      paintFailures(marked);
    }
  }

  private void paintFailures(FailedCompletions failed) {
    double last = Double.NEGATIVE_INFINITY;
    // Below the names of phases.
    double y = (CROSS_Y + (hasRoomForNames() ? LINE : 0)) * plot.surface().scale();
    for (int i = 0; i < failed.size(); i++) {
      double x = columns.getFirst().xOf(failed.at(i));
      if (x - last >= CROSS_DISTANCE * plot.surface().scale()) {
        painter.cross(x, y);
        last = x;
      }
    }
  }

  /** The window over which rates are averaged: 1, 2 or 5 times a power of ten, easy to read. */
  private long window() {
    long wanted = Math.max(SHORTEST_WINDOW, range.shownNanos() / WINDOWS_SHOWN);
    return Math.round(AxisUnit.NANOSECONDS.step((double) wanted));
  }

  private double limit() {
    ChartSpec.Ceiling ceiling = ceiling();
    SessionTelemetry of = telemetry;
    if (ceiling == null || of == null) {
      return 0;
    }
    return ceiling.metrics().stream().mapToLong(of.metrics()::get).sum();
  }

  private boolean isNear(double limit, double largest) {
    ChartSpec.Ceiling ceiling = ceiling();
    return ceiling != null && largest > limit * ceiling.near() && isInForce(limit, largest);
  }

  /** An exceeded limit does not apply, such as that on locked memory for a privileged process. */
  private static boolean isInForce(double limit, double largest) {
    return limit > 0 && largest <= limit;
  }

  private String reason() {
    if (telemetry == null) {
      return reasonEmpty;
    }
    if (!telemetry.monitored()) {
      return "No history: this migration was started without monitoring.";
    }
    if (history == null || history.size() == 0) {
      return "The first samples arrive in a moment.";
    }
    boolean drawn =
        IntStream.range(firstSeries(), endOfSeries()).anyMatch(i -> !columns.get(i).isEmpty());
    return drawn || samples.anyIn(range.leftNanos(), range.rightNanos())
        ? ""
        : "No sample lies in this stretch of time. Zoom out to see those beside it.";
  }

  private double yOf(double value) {
    return plot.top() + painter.yOf(axis, value) / plot.surface().scale();
  }

  private void layValueTicks() {
    valueTicks.begin();
    boolean shown = plot.hasGutter() && plot.height() > 0;
    for (int i = 0; shown && i <= axis.ticks(); i++) {
      double value = i * axis.step();
      Text text = valueTicks.next(spec.unit().tick(value));
      double height = text.getLayoutBounds().getHeight();
      // The topmost one stays below the legend.
      text.relocate(
          Math.rint(plot.left() - 6 - text.getLayoutBounds().getWidth()),
          Math.rint(Math.max(plot.top(), yOf(value) - height / 2)));
    }
    valueTicks.end();
  }

  private boolean hasRoomForNames() {
    return namesPhases && plot.height() >= NAMES_FROM_HEIGHT;
  }

  private void layPhaseNames() {
    phaseNames.begin();
    if (hasRoomForNames()) {
      double[] begins =
          phases.stream().mapToDouble(phase -> plot.axis().placeOf(phase.nanos())).toArray();
      for (Stretch stretch : Stretch.of(begins, plot.left(), namesRight())) {
        Text text = phaseNames.next(phases.get(stretch.phase()).name());
        if (stretch.hasRoomFor(text.getLayoutBounds().getWidth())) {
          text.relocate(Math.rint(stretch.nameX()), plot.top() + 1);
        } else {
          phaseNames.takeBack();
        }
      }
    }
    phaseNames.end();
  }

  /** The right end of the space for names of phases, which the text of the limit may shorten. */
  private double namesRight() {
    boolean beside = ceilingLabel.isVisible() && ceilingLabel.getLayoutY() < plot.top() + 1 + LINE;
    return beside ? ceilingLabel.getBoundsInParent().getMinX() : plot.right();
  }

  private void layCeiling(double limit, boolean near, boolean inForce) {
    ChartSpec.Ceiling ceiling = ceiling();
    ceilingLabel.setVisible(ceiling != null && inForce && plot.height() > 0);
    if (ceiling == null || !ceilingLabel.isVisible()) {
      return;
    }
    String text = ceiling.label() + " " + spec.unit().text(limit);
    ChartText.write(ceilingLabel, near ? text : "↑ " + text);
    double height = ceilingLabel.getLayoutBounds().getHeight();
    double line = yOf(limit);
    double below = line + 2 + height <= plot.bottom() ? line + 2 : line - height - 2;
    ceilingLabel.relocate(
        Math.rint(plot.right() - ceilingLabel.getLayoutBounds().getWidth() - 4),
        Math.rint(near ? below : plot.top() + 2));
  }

  // -------------------------------------------------------------------------------------- values

  /** Places a dot on each line at the cursor. */
  private void layDots() {
    for (int i = 0; i < dots.size(); i++) {
      double value =
          plot.axis().hasCursor() && isShown(i) ? valueAt(i, drawn[i], cursor()) : Double.NaN;
      dots.get(i).setVisible(!Double.isNaN(value));
      if (!Double.isNaN(value)) {
        dots.get(i).setCenterX(plot.axis().placeOf(cursor()));
        dots.get(i).setCenterY(yOf(value));
      }
    }
  }

  private double valueAt(int index, double[] values, long nanos) {
    // Samples of a form that is not drawn yet have no values.
    return values.length < samples.count()
        ? Double.NaN
        : samples.valueAt(series.get(index).reading(), values, nanos, window());
  }

  private long cursor() {
    return range.cursorNanosProperty().get();
  }

  private void writeLegend() {
    boolean pointed = plot.axis().hasCursor();
    var spoken = new StringJoiner(", ", spec.title() + ": ", "");
    for (int i = firstSeries(); i < endOfSeries(); i++) {
      double value =
          telemetry == null || samples.count() == 0 || evaluated[i].length < samples.count()
              ? Double.NaN
              : pointed ? valueAt(i, evaluated[i], cursor()) : evaluated[i][samples.count() - 1];
      String text = Double.isNaN(value) ? "–" : spec.unit().text(value);
      legend.write(i, text);
      spoken.add(series.get(i).label() + " " + text);
    }
    node().setAccessibleText(spoken.toString());
    if (!waits().isEmpty() && telemetry != null && waiting.length > 0) {
      Columns first = columns.getFirst();
      double x = pointed ? first.xOf(cursor()) : lastColumn();
      int column = (int) Math.clamp(x, 0.0, Math.max(0, first.width() - 1.0));
      legend.writeWaiting(AxisUnit.SHARE.text(waiting[column]));
    }
    FailedCompletions marked = marked();
    int dropped = marked == null ? 0 : marked.dropped();
    legend.writeFailures(marked == null ? 0 : marked.size() - dropped, dropped);
    legend.writeNote(
        series.subList(firstSeries(), endOfSeries()).stream().anyMatch(TimeSeriesView::isAveraged)
            ? "average of %s".formatted(AxisUnit.NANOSECONDS.text((double) window()))
            : "");
    legend.layOut(node().getWidth());
  }

  /** The last column with a sample. */
  private double lastColumn() {
    return samples.count() == 0
        ? 0
        : columns.getFirst().xOf(samples.times()[samples.count() - 1]) - 1;
  }

  private static boolean isAveraged(Series series) {
    return series.reading() instanceof Reading.Rate || series.reading() instanceof Reading.Quotient;
  }
}

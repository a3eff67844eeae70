// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.control.Label;
import javafx.scene.layout.Region;
import javafx.scene.shape.Rectangle;
import javafx.scene.text.Text;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.ui.Palette;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.View;

/**
 * The same charts for both ends of a migration, the source above the destination, each end with a
 * line of facts. If there is not enough room, the destination is left out, then the last charts, so
 * that the others stay legible.
 */
public final class ChartGrid implements View {
  private static final long TEXT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final double HEADING = 20;

  /** Height of each further line of a heading. */
  private static final double LINE = 15;

  /** Width of the longest figures of an end in one line. */
  private static final double LONGEST_LINE = 1200;

  private static final int MOST_LINES = 3;
  private static final double HEADING_FROM_HEIGHT = 150;
  private static final double LEAST_HEIGHT = 78;
  private static final double LEAST_WIDTH = 220;
  private static final double GAP = 8;
  private static final int[] COLUMNS = {2, 4, 1};

  /** Two charts have room for their legends one below the other. */
  private static final int[] COLUMNS_OF_TWO = {1, 2};

  private final String title;
  private final String whyNone;
  private final Function<Session, String> facts;
  private final List<End> ends = new ArrayList<>();
  private final Text empty = ChartText.normal();
  private final Grid grid = new Grid();
  private List<Session> sessions = List.of();
  private List<Boolean> laidOutShared = List.of();
  private long textAt;

  /** The charts of one end. */
  private record End(Label heading, List<TimeSeriesView> charts) {
    /** Charts that make sense for a session, which shares its completion queue or not. */
    List<TimeSeriesView> of(@Nullable Session session) {
      boolean shares = session != null && session.telemetry().metrics().sharesCompletionQueue();
      return charts.stream().filter(chart -> !shares || !chart.isSeparateOnly()).toList();
    }
  }

  /**
   * Makes an empty grid.
   *
   * @param specs the charts of each end, the most important ones first
   * @param whyNone the sentence that is shown when no session is selected
   * @param facts a line of figures about an end, written ten times a second
   */
  public ChartGrid(
      String title,
      TimeRange range,
      List<ChartSpec> specs,
      String whyNone,
      Function<Session, String> facts) {
    this.title = title;
    this.whyNone = whyNone;
    this.facts = facts;
    for (int i = 0; i < 2; i++) {
      var charts = new ArrayList<TimeSeriesView>();
      for (ChartSpec spec : specs) {
        charts.add(new TimeSeriesView(spec, range));
      }
      var heading = new Label();
      heading.setStyle("-fx-font-size: 11.5px;");
      heading.setWrapText(true);
      heading.setAlignment(Pos.TOP_LEFT);
      ends.add(new End(heading, charts));
    }
    empty.setText(whyNone);
    for (End end : ends) {
      grid.add(end.heading());
      end.charts().forEach(chart -> grid.add(chart.node()));
    }
    grid.add(empty);
    theme(true);
  }

  @Override
  public String title() {
    return title;
  }

  @Override
  public Node node() {
    return grid;
  }

  @Override
  public void show(@Nullable SessionPair pair) {
    sessions = pair == null ? List.of() : pair.sessions();
    for (int i = 0; i < ends.size(); i++) {
      SessionTelemetry telemetry = i < sessions.size() ? sessions.get(i).telemetry() : null;
      ends.get(i).charts().forEach(chart -> chart.show(telemetry, whyNone));
    }
    textAt = 0;
    grid.requestLayout();
  }

  @Override
  public void theme(boolean dark) {
    grid.setStyle("-fx-background-color: " + Palette.GROUND.web(dark) + ";");
    empty.setFill(Palette.TEXT.color(dark));
    for (End end : ends) {
      end.heading().setTextFill(Palette.CURSOR.color(dark));
      end.charts().forEach(chart -> chart.theme(dark));
    }
  }

  @Override
  public void pulse(long nowNanos) {
    if (!shared().equals(laidOutShared)) {
      grid.requestLayout();
    }
    boolean textDue = textAt == 0 || nowNanos - textAt >= TEXT_NANOS;
    for (int i = 0; i < sessions.size(); i++) {
      End end = ends.get(i);
      for (TimeSeriesView chart : end.charts()) {
        if (chart.node().isVisible()) {
          chart.pulse(nowNanos);
        }
      }
      if (textDue && end.heading().isVisible()) {
        Session session = sessions.get(i);
        String line = "   " + facts.apply(session);
        end.heading().setText(SessionPair.heading(session) + line);
        if (end.heading().prefHeight(end.heading().getWidth()) > end.heading().getHeight()) {
          end.heading().setText(session.role().text() + line);
        }
      }
    }
    if (textDue) {
      textAt = nowNanos;
    }
  }

  /** Which sessions share their completion queue. */
  private List<Boolean> shared() {
    return sessions.stream()
        .map(session -> session.telemetry().metrics().sharesCompletionQueue())
        .toList();
  }

  /**
   * How charts are arranged.
   *
   * @param ends how many ends are shown
   * @param rows of each end
   */
  record Arrangement(int ends, int columns, int rows, double heading) {

    /** The arrangement that shows the most and leaves each chart large enough. */
    static Arrangement of(int ends, int charts, double width, double height) {
      double heading = height >= HEADING_FROM_HEIGHT ? HEADING : 0;
      double whole = heading == 0 ? 0 : headingHeight(width);
      for (int shown = ends; shown >= 1; shown--) {
        // A chart matters more than the end of a heading.
        for (double each : new double[] {whole, heading}) {
          for (int columns : charts <= 2 ? COLUMNS_OF_TWO : COLUMNS) {
            int rows = Math.ceilDiv(charts, columns);
            boolean wide = width / columns >= LEAST_WIDTH || columns == 1;
            if (wide && (height / shown - each) / rows >= LEAST_HEIGHT) {
              return new Arrangement(shown, columns, rows, each);
            }
          }
        }
      }
      int columns = (int) Math.clamp(width / LEAST_WIDTH, 1.0, charts);
      int rows = (int) Math.clamp((height - heading) / LEAST_HEIGHT, 1.0, charts);
      return new Arrangement(Math.min(1, ends), columns, rows, heading);
    }
  }

  /** Height of a heading, which is the same whatever it says now, so that no chart moves. */
  private static double headingHeight(double width) {
    double lines = Math.clamp(Math.ceil(LONGEST_LINE / Math.max(1, width)), 1, MOST_LINES);
    return HEADING + (lines - 1) * LINE;
  }

  private final class Grid extends Region {
    private final Rectangle clip = new Rectangle();

    Grid() {
      setClip(clip);
      setMinSize(0, 0);
      setPrefSize(640, 400);
      getStyleClass().add("chart-grid");
    }

    void add(Node child) {
      child.setManaged(false);
      getChildren().add(child);
    }

    @Override
    protected void layoutChildren() {
      clip.setWidth(getWidth());
      clip.setHeight(getHeight());
      laidOutShared = shared();
      int charts = 1;
      for (int i = 0; i < Math.max(1, sessions.size()); i++) {
        charts = Math.max(charts, charts(i).size());
      }
      var arrangement = Arrangement.of(sessions.size(), charts, getWidth(), getHeight());
      empty.setVisible(sessions.isEmpty());
      empty.relocate(
          Math.rint((getWidth() - empty.getLayoutBounds().getWidth()) / 2),
          Math.rint((getHeight() - empty.getLayoutBounds().getHeight()) / 2));
      for (int i = 0; i < ends.size(); i++) {
        lay(ends.get(i), i, arrangement);
      }
    }

    private List<TimeSeriesView> charts(int index) {
      return ends.get(index).of(index < sessions.size() ? sessions.get(index) : null);
    }

    private void lay(End end, int index, Arrangement arrangement) {
      boolean shown = index < arrangement.ends();
      double height = getHeight() / Math.max(1, arrangement.ends());
      double top = index * height;
      end.heading().setVisible(shown && arrangement.heading() > 0);
      end.heading()
          .resizeRelocate(
              5,
              Math.rint(top + 1),
              Math.max(0, getWidth() - 10),
              Math.max(0, arrangement.heading() - 2));
      double cellWidth = (getWidth() + GAP) / arrangement.columns();
      double cellHeight = (height - arrangement.heading()) / arrangement.rows();
      List<TimeSeriesView> charts = charts(index);
      end.charts().stream()
          .filter(chart -> !charts.contains(chart))
          .forEach(chart -> chart.node().setVisible(false));
      for (int i = 0; i < charts.size(); i++) {
        TimeSeriesView chart = charts.get(i);
        int row = i / arrangement.columns();
        int column = i % arrangement.columns();
        boolean visible = shown && row < arrangement.rows();
        chart.node().setVisible(visible);
        if (visible) {
          int lastRow = Math.ceilDiv(charts.size(), arrangement.columns()) - 1;
          chart.setTimeLabels(row == Math.min(lastRow, arrangement.rows() - 1));
          chart.setPhaseNames(row == 0);
          double x = Math.rint(column * cellWidth);
          double y = Math.rint(top + arrangement.heading() + row * cellHeight);
          double right = Math.rint((column + 1) * cellWidth) - GAP;
          double bottom = Math.rint(top + arrangement.heading() + (row + 1) * cellHeight);
          chart.node().resizeRelocate(x, y, Math.max(0, right - x), Math.max(0, bottom - y));
        }
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.messages;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javafx.scene.AccessibleRole;
import javafx.scene.Node;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.scene.input.MouseButton;
import javafx.scene.input.MouseEvent;
import javafx.scene.input.ScrollEvent;
import javafx.scene.layout.BorderPane;
import javafx.scene.layout.Region;
import javafx.scene.shape.Line;
import javafx.scene.text.Text;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Ladder;
import org.wridscope.analysis.Requests;
import org.wridscope.control.Session;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.Palette;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.SessionPair;
import org.wridscope.ui.TimeGestures;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.View;
import org.wridscope.ui.chart.ChartText;
import org.wridscope.ui.chart.TimeTicks;
import org.wridscope.ui.raster.Argb;
import org.wridscope.ui.raster.PixelSurface;

/**
 * The control messages between source and destination as a ladder: time runs downwards, each
 * message is an arrow from the end that sent it to the other one.
 *
 * <p>Dragging pans, the wheel zooms, a double click follows again; a click selects a message, and
 * the arrow keys go from message to message.
 */
public final class MessagesView implements View {
  private static final long TEXT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final double HEADER = 38;
  private static final double GUTTER = 98;
  private static final double MARGIN = 64;
  private static final double TICK_DISTANCE = 44;
  private static final double LABEL_HEIGHT = 14;
  private static final double REACH = 6;

  /** With less than so much height for each message, arrows have neither heads nor labels. */
  private static final double CROWDED = 4;

  /** How far an arrow reaches whose other end is not known, of the distance of the two. */
  private static final double STUMP = 0.3;

  private final TimeRange range;
  private final Selection selection;
  private final Analyses analyses;
  private final TimeGestures gestures;
  private final PixelSurface surface = new PixelSurface();
  private final Arrows arrows = new Arrows(surface.pixels());
  private final Plot plot = new Plot();
  private final BorderPane root = new BorderPane(plot);

  /** What is left below the newest message, so that its arrow is not cut. */
  private static final double FOOTER = 7;

  private final Text readOut = ChartText.normal();
  private final Text empty = ChartText.normal();
  private final Text sourceName = ChartText.normal();
  private final Text destinationName = ChartText.normal();
  private final Line cursor = new Line();
  private final List<Text> labels = new ArrayList<>();
  private final List<Text> ticks = new ArrayList<>();

  private @Nullable SessionPair pair;
  private @Nullable Ladder ladder;
  private List<Ladder.Rung> rungs = List.of();
  private boolean dark = true;
  private boolean crowded;
  private boolean stale = true;
  private boolean complete = true;
  private long drawnNext = -1;
  private long drawnLeft;
  private long drawnRight;
  private long textAt;
  private double hoverX = Double.NaN;
  private double hoverY;

  /** Makes an empty view that marks and makes the selection. */
  public MessagesView(TimeRange range, Selection selection, Analyses analyses) {
    this.range = range;
    this.selection = selection;
    this.analyses = analyses;
    gestures = new TimeGestures(range);
    root.setId("messages");
    plot.setId("message-ladder");
    plot.setAccessibleRole(AccessibleRole.IMAGE_VIEW);
    plot.setAccessibleText("Control messages between source and destination");
    plot.setFocusTraversable(true);
    plot.add(surface.node());
    List.of(cursor, readOut, sourceName, destinationName, empty).forEach(plot::add);
    plot.addEventHandler(MouseEvent.ANY, this::mouse);
    plot.addEventHandler(ScrollEvent.SCROLL, this::wheel);
    plot.addEventHandler(KeyEvent.KEY_PRESSED, this::key);
    selection.selectedProperty().subscribe(_ -> stale = true);
    theme(true);
  }

  @Override
  public String title() {
    return "Messages";
  }

  @Override
  public Node node() {
    return root;
  }

  @Override
  public void show(@Nullable SessionPair newPair) {
    pair = newPair;
    ladder =
        newPair == null
            ? null
            : new Ladder(requests(newPair.source()), requests(newPair.destination()));
    rungs = List.of();
    drawnNext = -1;
    stale = true;
    textAt = 0;
  }

  private @Nullable Requests requests(@Nullable Session session) {
    return session == null ? null : analyses.of(session);
  }

  @Override
  public void theme(boolean darkTheme) {
    dark = darkTheme;
    plot.setStyle("-fx-background-color: " + Palette.GROUND.web(dark) + ";");
    List.of(readOut, empty).forEach(text -> text.setFill(Palette.TEXT.color(dark)));
    List.of(sourceName, destinationName).forEach(text -> text.setFill(Palette.CURSOR.color(dark)));
    ticks.forEach(text -> text.setFill(Palette.TEXT.color(dark)));
    labels.forEach(text -> text.setFill(Palette.CURSOR.color(dark)));
    cursor.setStroke(Palette.CURSOR.color(dark));
    stale = true;
  }

  @Override
  public void pulse(long nowNanos) {
    long next = 0;
    SessionPair of = pair;
    if (of != null) {
      complete = analyses.advance(of);
      for (Session session : of.sessions()) {
        next += analyses.of(session).next();
      }
    }
    boolean moved = drawnLeft != range.leftNanos() || drawnRight != range.rightNanos();
    if (stale || moved || next != drawnNext) {
      stale = false;
      drawnNext = next;
      drawnLeft = range.leftNanos();
      drawnRight = range.rightNanos();
      draw();
    }
    if (!Double.isNaN(hoverX)) {
      range.cursorNanosProperty().set(timeAt(hoverY));
    }
    layCursor();
    if (nowNanos - textAt >= TEXT_NANOS || textAt == 0) {
      textAt = nowNanos;
      texts();
    }
  }

  // ----------------------------------------------------------------------------------- drawing

  private double yOf(long nanos) {
    return HEADER
        + (double) (nanos - range.leftNanos()) / range.shownNanos() * plot.pictureHeight();
  }

  private long timeAt(double y) {
    double share = (y - HEADER) / Math.max(1, plot.pictureHeight());
    return range.leftNanos() + Math.round(share * range.shownNanos());
  }

  private double sourceX() {
    return plot.left() + MARGIN;
  }

  private double destinationX() {
    return Math.max(sourceX() + 20, plot.getWidth() - MARGIN);
  }

  private void draw() {
    if (surface.pixels().width() == 0 || surface.pixels().height() == 0) {
      return;
    }
    arrows.begin(surface.scale(), Palette.GROUND.argb(dark));
    TimeTicks times = layTicks();
    for (int i = 0; i < times.count(); i++) {
      arrows.across(y(range.originNanos() + times.at(i)), Palette.GRID.argb(dark));
    }
    arrows.down(x(sourceX()), Palette.LIMIT.argb(dark));
    arrows.down(x(destinationX()), Palette.LIMIT.argb(dark));
    rungs =
        ladder == null
            ? List.of()
            : LadderModel.between(
                ladder, range.leftNanos(), range.rightNanos(), 2 * surface.pixels().height());
    Ladder.Rung chosen = chosen();
    crowded = rungs.size() > plot.pictureHeight() / CROWDED;
    for (Ladder.Rung rung : rungs) {
      int colour = colour(rung).argb(dark);
      int ground = Palette.GROUND.argb(dark);
      arrow(rung, crowded ? Argb.mix(ground, colour, 0.55) : colour, !crowded);
    }
    if (chosen != null) {
      arrow(chosen, Palette.CURSOR.argb(dark), true);
    }
    layLabels();
    layNames();
    surface.changed();
  }

  private double x(double nodeX) {
    return (nodeX - plot.left()) * surface.scale();
  }

  private double y(long nanos) {
    return (yOf(nanos) - HEADER) * surface.scale();
  }

  private Palette colour(Ladder.Rung rung) {
    if (LadderModel.isBad(rung)) {
      return Palette.FAILED;
    }
    return rung.from() == Role.SOURCE ? Palette.SEND : Palette.RECEIVE;
  }

  private void arrow(Ladder.Rung rung, int colour, boolean head) {
    boolean right = rung.from() == Role.SOURCE;
    double from = x(right ? sourceX() : destinationX());
    double to = x(right ? destinationX() : sourceX());
    boolean sent = rung.sentNanos() != Ladder.UNKNOWN;
    boolean received = rung.receivedNanos() != Ladder.UNKNOWN;
    double y0 = y(rung.firstNanos());
    double y1 = y(rung.lastNanos());
    if (!received) {
      to = from + (to - from) * STUMP;
    } else if (!sent) {
      from = to - (to - from) * STUMP;
    }
    arrows.line(from, y0, to, y1, colour);
    if (head) {
      arrows.head(to, y1, right, colour);
      if (rung.dropped()) {
        arrows.cross(to, y1, colour);
      }
    }
  }

  private Ladder.@Nullable Rung chosen() {
    Ladder of = ladder;
    SessionPair shown = pair;
    if (of == null || shown == null || selection.get() == null) {
      return null;
    }
    return switch (selection.get()) {
      case Selected.LoggedEvent logged when shown.sessions().contains(logged.session()) ->
          of.ofEvent(logged.session().role(), logged.event().number());
      case Selected.WorkRequest request when shown.sessions().contains(request.session()) -> {
        for (var station : request.facts().way()) {
          Ladder.Rung rung = of.ofEvent(request.session().role(), station.event());
          if (rung != null) {
            yield rung;
          }
        }
        yield null;
      }
      case null, default -> null;
    };
  }

  private TimeTicks layTicks() {
    long from = range.leftNanos() - range.originNanos();
    int most = (int) Math.max(1, plot.pictureHeight() / TICK_DISTANCE);
    TimeTicks times = TimeTicks.of(from, from + range.shownNanos(), most);
    for (int i = 0; i < times.count(); i++) {
      Text text = pooled(ticks, i, Palette.TEXT);
      ChartText.write(text, times.label(i));
      double y = yOf(range.originNanos() + times.at(i));
      text.setVisible(y <= plot.getHeight() - 8);
      text.relocate(
          Math.rint(plot.left() - 6 - text.getLayoutBounds().getWidth()), Math.rint(y - 7));
    }
    hideFrom(ticks, times.count());
    return times;
  }

  /** Each arrow is labelled where it begins, unless another label is there. */
  private void layLabels() {
    int shown = 0;
    double freeLeft = HEADER;
    double freeRight = HEADER;
    for (Ladder.Rung rung : crowded ? List.<Ladder.Rung>of() : rungs) {
      boolean left = rung.from() == Role.SOURCE;
      double y = yOf(rung.firstNanos());
      double free = left ? freeLeft : freeRight;
      if (y < free || y > plot.getHeight() - 2) {
        continue;
      }
      Text text = pooled(labels, shown++, Palette.CURSOR);
      text.setFill((LadderModel.isBad(rung) ? Palette.FAILED : Palette.CURSOR).color(dark));
      ChartText.write(text, LadderModel.label(rung));
      double width = text.getLayoutBounds().getWidth();
      double x = left ? sourceX() + 8 : destinationX() - 8 - width;
      // Above its arrow, or below it where that would be outside of the picture.
      double top = Math.rint(y - LABEL_HEIGHT < HEADER ? y + 2 : y - LABEL_HEIGHT);
      text.relocate(Math.rint(x), top);
      double pixel = surface.scale();
      arrows.erase(
          x(x - 2),
          (top - HEADER) * pixel,
          x(x + width + 2),
          (top + LABEL_HEIGHT - 2 - HEADER) * pixel);
      if (left) {
        freeLeft = y + LABEL_HEIGHT;
      } else {
        freeRight = y + LABEL_HEIGHT;
      }
    }
    hideFrom(labels, shown);
  }

  private void layNames() {
    SessionPair of = pair;
    sourceName.setVisible(of != null);
    destinationName.setVisible(of != null);
    if (of == null) {
      return;
    }
    ChartText.write(sourceName, of.source() == null ? "source (not here)" : "source");
    ChartText.write(
        destinationName, of.destination() == null ? "destination (not here)" : "destination");
    sourceName.relocate(
        Math.rint(sourceX() - sourceName.getLayoutBounds().getWidth() / 2), HEADER - 18);
    double right = destinationX() - destinationName.getLayoutBounds().getWidth() / 2;
    double most = plot.getWidth() - destinationName.getLayoutBounds().getWidth() - 4;
    destinationName.relocate(Math.rint(Math.min(right, most)), HEADER - 18);
  }

  private Text pooled(List<Text> pool, int index, Palette colour) {
    if (index == pool.size()) {
      Text text = ChartText.small();
      text.setFill(colour.color(dark));
      plot.addBelow(text, cursor);
      text.applyCss();
      pool.add(text);
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

  private void layCursor() {
    double y = range.hasCursor() ? yOf(range.cursorNanosProperty().get()) : Double.NaN;
    cursor.setVisible(y >= HEADER && y <= plot.getHeight());
    if (cursor.isVisible()) {
      cursor.setStartX(plot.left());
      cursor.setEndX(plot.getWidth());
      cursor.setStartY(y);
      cursor.setEndY(y);
    }
  }

  private void texts() {
    Ladder of = ladder;
    Ladder.Rung over = Double.isNaN(hoverX) ? null : at(hoverX, hoverY);
    String text = "";
    if (over != null) {
      text = LadderModel.line(over, range.originNanos());
    } else if (of != null) {
      text =
          Format.count(of.count(Role.SOURCE))
              + " from the source, "
              + Format.count(of.count(Role.DESTINATION))
              + " from the destination"
              + (crowded ? "; zoom in to tell them apart" : "")
              + (complete ? "" : ", reading…");
      boolean two = pair != null && pair.sessions().size() == 2;
      text += two && !of.isPaired() ? "; events are missing, so they cannot be paired" : "";
    }
    ChartText.write(readOut, text);
    readOut.relocate(8, 3);
    empty.setText(reason());
    empty.setVisible(!empty.getText().isEmpty());
    empty.setWrappingWidth(Math.max(0, Math.min(420, plot.getWidth() - 24)));
    empty.relocate(
        Math.rint((plot.getWidth() - empty.getLayoutBounds().getWidth()) / 2),
        Math.rint(plot.getHeight() / 2));
  }

  private String reason() {
    SessionPair of = pair;
    Ladder messages = ladder;
    if (of == null || messages == null) {
      return "Select a migration to see its control messages.";
    }
    if (!of.leading().telemetry().monitored()) {
      return "No messages: this session was started without monitoring.";
    }
    if (messages.count(Role.SOURCE) + messages.count(Role.DESTINATION) == 0) {
      return "Control messages appear here as soon as the two ends are connected.";
    }
    return rungs.isEmpty() ? "No control message in this stretch of time." : "";
  }

  // ---------------------------------------------------------------------------------- pointing

  /** The message whose arrow passes nearest to a place. */
  private Ladder.@Nullable Rung at(double x, double y) {
    Ladder.Rung best = null;
    double distance = REACH;
    double share = (x - sourceX()) / Math.max(1, destinationX() - sourceX());
    for (Ladder.Rung rung : rungs) {
      boolean right = rung.from() == Role.SOURCE;
      double along = Math.clamp(right ? share : 1 - share, 0.0, 1.0);
      double y0 = yOf(rung.firstNanos());
      double off = Math.abs(y0 + along * (yOf(rung.lastNanos()) - y0) - y);
      if (off < distance) {
        distance = off;
        best = rung;
      }
    }
    return best;
  }

  private void choose(Ladder.Rung rung) {
    SessionPair of = pair;
    if (of == null) {
      return;
    }
    boolean sent = rung.sentEvent() >= 0;
    boolean atSource = (rung.from() == Role.SOURCE) == sent;
    Session session = atSource ? of.source() : of.destination();
    long number = sent ? rung.sentEvent() : rung.receivedEvent();
    if (session == null) {
      return;
    }
    List<Event> event = session.telemetry().log().read(number, 1);
    if (!event.isEmpty() && event.getFirst().number() == number) {
      selection.select(new Selected.LoggedEvent(session, event.getFirst()));
    }
  }

  private void mouse(MouseEvent event) {
    boolean inside = event.getY() >= HEADER && event.getX() >= plot.left();
    if (event.getEventType() == MouseEvent.MOUSE_MOVED) {
      hover(inside ? event.getX() : Double.NaN, event.getY());
    } else if (event.getEventType() == MouseEvent.MOUSE_EXITED) {
      hover(Double.NaN, 0);
    } else if (event.getEventType() == MouseEvent.MOUSE_PRESSED) {
      plot.requestFocus();
      gestures.press(event.getY());
    } else if (event.getEventType() == MouseEvent.MOUSE_DRAGGED && pair != null) {
      gestures.drag(event.getY(), plot.pictureHeight());
      hover(inside ? event.getX() : Double.NaN, event.getY());
    } else if (event.getEventType() == MouseEvent.MOUSE_CLICKED
        && event.getButton() == MouseButton.PRIMARY
        && !gestures.isDragging()) {
      Ladder.Rung rung = at(event.getX(), event.getY());
      if (rung != null) {
        choose(rung);
      } else if (event.getClickCount() == 2) {
        gestures.followAgain();
      }
    }
  }

  private void hover(double x, double y) {
    if (Double.isNaN(x) && !Double.isNaN(hoverX)) {
      range.cursorNanosProperty().set(TimeRange.NO_CURSOR);
    }
    hoverX = x;
    hoverY = y;
    textAt = 0;
  }

  private void wheel(ScrollEvent event) {
    if (pair != null) {
      gestures.wheel(event, timeAt(event.getY()), plot.pictureHeight());
    }
  }

  private void key(KeyEvent event) {
    Ladder of = ladder;
    Ladder.Rung chosen = chosen();
    boolean later = event.getCode() == KeyCode.DOWN;
    if (of == null || chosen == null || !(later || event.getCode() == KeyCode.UP)) {
      return;
    }
    Ladder.Rung rung = LadderModel.neighbour(of, chosen, later);
    if (rung != null) {
      choose(rung);
      if (rung.firstNanos() < range.leftNanos() || rung.lastNanos() > range.rightNanos()) {
        long half = range.shownNanos() / 2;
        range.hold(rung.firstNanos() - half, rung.firstNanos() + half);
      }
    }
    event.consume();
  }

  /** Lays out the picture and what is around it. */
  private final class Plot extends Region {
    Plot() {
      setMinSize(0, 0);
      setPrefSize(400, 300);
      getStyleClass().add("chart-view");
    }

    void add(Node child) {
      child.setManaged(false);
      child.setMouseTransparent(true);
      getChildren().add(child);
    }

    void addBelow(Node child, Node upper) {
      child.setManaged(false);
      getChildren().add(getChildren().indexOf(upper), child);
    }

    double left() {
      return GUTTER;
    }

    double pictureHeight() {
      return Math.max(1, getHeight() - HEADER - FOOTER);
    }

    @Override
    protected void layoutChildren() {
      if (surface.place(
          GUTTER, HEADER, Math.max(0, getWidth() - GUTTER), Math.max(0, getHeight() - HEADER))) {
        draw();
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import javafx.css.PseudoClass;
import javafx.geometry.Pos;
import javafx.geometry.VPos;
import javafx.scene.AccessibleRole;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.TextField;
import javafx.scene.control.ToggleButton;
import javafx.scene.control.ToggleGroup;
import javafx.scene.control.Tooltip;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyEvent;
import javafx.scene.input.MouseButton;
import javafx.scene.input.MouseEvent;
import javafx.scene.input.ScrollEvent;
import javafx.scene.layout.BorderPane;
import javafx.scene.layout.FlowPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Region;
import javafx.scene.text.Text;
import org.controlsfx.control.SegmentedButton;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.analysis.FilteredRequests;
import org.wridscope.analysis.RequestFacts;
import org.wridscope.analysis.RequestFilter;
import org.wridscope.analysis.RequestKind;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.Timeline;
import org.wridscope.analysis.Waits;
import org.wridscope.analysis.WorkQueue;
import org.wridscope.analysis.WorkRequests;
import org.wridscope.analysis.WridQuery;
import org.wridscope.control.Session;
import org.wridscope.memory.ChunkTable;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.Phase;
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
import org.wridscope.ui.chart.TimeAxis;
import org.wridscope.ui.raster.PixelSurface;

/**
 * Every work request as a line from its post to its completion, the source above the destination.
 *
 * <p>Dragging pans, the wheel zooms, a double click follows again; a click selects what is under
 * the pointer, and the arrow keys go from request to request.
 */
public final class WridsView implements View {
  private static final PseudoClass ERROR = PseudoClass.getPseudoClass("error");
  private static final long TEXT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final double HEADER = 18;
  private static final double GUTTER = 122;
  private static final double NARROW = 420;
  private static final double RIGHT_MARGIN = 6;
  private static final int HEADING = 16;
  private static final double REACH = 6;
  private static final double LABEL_DISTANCE = 74;
  private static final double LETTER = 6.2;
  private static final int MOST_LABELS = 60;
  private static final String LEGEND =
      "× out of order or failed    ⊘ dropped    ┄ not completed    ▨ waits";

  /** A request that was found is shown so many times as long as it took. */
  private static final long SURROUNDINGS = 12;

  private final TimeRange range;
  private final Selection selection;
  private final Analyses analyses;
  private final TimeGestures gestures;
  private final TimeAxis axis;
  private final PixelSurface surface = new PixelSurface();
  private final WridPainter painter = new WridPainter(surface.pixels());
  private final WridPicker picker = new WridPicker(painter);
  private final Plot plot = new Plot();
  private final BorderPane root = new BorderPane(plot);
  private final ToggleButton both = new ToggleButton("Both");
  private final ToggleButton source = new ToggleButton("Source");
  private final ToggleButton destination = new ToggleButton("Destination");
  private final ComboBox<String> kind = new ComboBox<>();
  private final TextField only = new TextField();
  private final TextField find = new TextField();
  private final Button previous = new Button("", new FontIcon(Feather.CHEVRON_UP));
  private final Button next = new Button("", new FontIcon(Feather.CHEVRON_DOWN));
  private final Label count = new Label();
  private final Text readOut = ChartText.normal();
  private final Text empty = ChartText.normal();
  private final List<Text> gutterTexts = new ArrayList<>();
  private final List<Text> labels = new ArrayList<>();
  private int labelsShown;

  private @Nullable SessionPair pair;
  private List<Session> ends = List.of();
  private List<WridModel> models = List.of();
  private List<Lanes.End> lanes = List.of();
  private boolean dark = true;
  private boolean stale = true;
  private boolean complete = true;
  private long drawnNext = -1;
  private long drawnUntil;
  private long drawnLeft;
  private long drawnRight;
  private long textAt;
  private long now;
  private double hoverX = Double.NaN;
  private double hoverY;

  /** Makes an empty view that marks and makes the selection. */
  public WridsView(TimeRange range, Selection selection, Analyses analyses) {
    this.range = range;
    this.selection = selection;
    this.analyses = analyses;
    gestures = new TimeGestures(range);
    axis = new TimeAxis(range);
    root.setTop(bar());
    root.setId("wrids");
    plot.setId("wrid-plot");
    plot.setAccessibleRole(AccessibleRole.IMAGE_VIEW);
    plot.setAccessibleText("Work requests from post to completion");
    plot.setFocusTraversable(true);
    plot.add(surface.node());
    plot.add(axis.node());
    plot.add(readOut);
    plot.add(empty);
    plot.addEventHandler(MouseEvent.ANY, this::mouse);
    plot.addEventHandler(ScrollEvent.SCROLL, this::wheel);
    plot.addEventHandler(KeyEvent.KEY_PRESSED, this::key);
    selection.selectedProperty().subscribe(_ -> mark());
    theme(true);
    show(null);
  }

  private Node bar() {
    var sides = new ToggleGroup();
    sides.getToggles().addAll(both, source, destination);
    sides
        .selectedToggleProperty()
        .subscribe(toggle -> {
          if (toggle == null) {
            both.setSelected(true);
          } else {
            choose();
          }
        });
    var segments = new SegmentedButton(both, source, destination);
    segments.setToggleGroup(sides);
    segments.setMinWidth(Region.USE_PREF_SIZE);
    kind.getItems().add("all kinds");
    for (RequestKind each : RequestKind.values()) {
      kind.getItems().add(each.text());
    }
    kind.setId("wrid-kind");
    kind.setValue(kind.getItems().getFirst());
    kind.setAccessibleText("Kind of requests to show");
    kind.valueProperty().subscribe(this::filter);
    only.setId("wrid-only");
    only.setPromptText("Only: pc.ram chunk 17");
    only.setAccessibleText("Block, chunk or wrid to show only");
    only.setTooltip(
        new Tooltip("Shows only writes to a block or a chunk, such as pc.ram or chunk 17."));
    only.setPrefWidth(190);
    only.textProperty().subscribe(this::filter);
    find.setId("wrid-find");
    find.setPromptText("Find: 0x440000001");
    find.setAccessibleText("Wrid to find");
    find.setTooltip(
        new Tooltip("A wrid as 0x440000001 or 4000, or decoded: write block 0 chunk 17, recv 1."));
    find.setPrefWidth(170);
    find.textProperty().subscribe(this::mark);
    find.setOnAction(_ -> goOn(true));
    button(previous, "wrid-previous", "The marked request before", false);
    button(next, "wrid-next", "The next marked request (Enter)", true);
    count.setId("wrid-count");
    count.getStyleClass().addAll("number", "muted");
    var search = new HBox(2, find, previous, next);
    search.setAlignment(Pos.CENTER_LEFT);
    var bar = new FlowPane(8, 6, segments, kind, only, search, count);
    bar.setRowValignment(VPos.CENTER);
    bar.getStyleClass().add("view-bar");
    return bar;
  }

  private void button(Button button, String id, String says, boolean forwards) {
    button.getStyleClass().addAll("flat", "button-icon");
    button.setId(id);
    button.setTooltip(new Tooltip(says));
    button.setAccessibleText(says);
    button.setOnAction(_ -> goOn(forwards));
  }

  @Override
  public String title() {
    return "Wrids";
  }

  @Override
  public Node node() {
    return root;
  }

  @Override
  public void show(@Nullable SessionPair newPair) {
    pair = newPair;
    boolean two = newPair != null && newPair.sessions().size() == 2;
    both.setDisable(!two);
    source.setDisable(newPair == null || newPair.source() == null);
    destination.setDisable(newPair == null || newPair.destination() == null);
    (newPair == null || two ? both : newPair.source() != null ? source : destination)
        .setSelected(true);
    choose();
  }

  private void choose() {
    SessionPair of = pair;
    ends =
        of == null
            ? List.of()
            : of.sessions().stream()
                .filter(session ->
                    both.isSelected() || (session.role() == Role.SOURCE) == source.isSelected())
                .toList();
    models = ends.stream().map(session -> new WridModel(analyses.of(session))).toList();
    lanes = List.of();
    drawnNext = -1;
    filter();
    mark();
    plot.requestLayout();
  }

  // ------------------------------------------------------------------------- filter and marks

  private List<ChunkTable> blocks() {
    return pair == null ? List.of() : pair.leading().telemetry().blocks();
  }

  private void filter() {
    RequestFilter text = WridQuery.parse(only.getText(), blocks());
    boolean nonsense = text == null && !only.getText().isBlank();
    only.pseudoClassStateChanged(ERROR, nonsense);
    int index = kind.getItems().indexOf(kind.getValue());
    RequestKind chosen = index <= 0 ? null : RequestKind.values()[index - 1];
    RequestFilter filter = text == null ? RequestFilter.ALL : text;
    if (chosen != null && filter.kind() == null) {
      filter = new RequestFilter(chosen, filter.block(), filter.chunk(), filter.wrid());
    } else if (chosen != null && filter.kind() != chosen) {
      // Writes to a chunk that are receives: there are none.
      filter = new RequestFilter(chosen, filter.block(), filter.chunk(), Long.MIN_VALUE);
    }
    for (WridModel model : models) {
      model.setFilter(filter);
    }
    changed();
  }

  /** Marks what is searched for, otherwise the chunk that is selected. */
  private void mark() {
    RequestFilter mark = WridQuery.parse(find.getText(), blocks());
    find.pseudoClassStateChanged(ERROR, mark == null && !find.getText().isBlank());
    if (mark == null && selection.get() instanceof Selected.Chunk chunk) {
      mark = new RequestFilter(RequestKind.WRITE, chunk.block(), chunk.chunk(), null);
    }
    for (WridModel model : models) {
      model.setMark(mark);
    }
    previous.setDisable(mark == null);
    next.setDisable(mark == null);
    changed();
  }

  private void changed() {
    stale = true;
    textAt = 0;
  }

  /** Selects the marked request after the one that is selected, or the one before. */
  private void goOn(boolean forwards) {
    WridModel.Found best = null;
    int of = 0;
    long from = from(forwards);
    for (int i = 0; i < models.size(); i++) {
      WridModel.Found found = models.get(i).nextMarked(from, forwards);
      if (found != null
          && (best == null
              || (forwards ? found.nanos() < best.nanos() : found.nanos() > best.nanos()))) {
        best = found;
        of = i;
      }
    }
    if (best != null) {
      select(ends.get(of), best.queue(), best.id());
      reveal(models.get(of).requests().of(best.queue()), best.id());
    }
  }

  private long from(boolean forwards) {
    if (selection.get() instanceof Selected.WorkRequest(var session, var facts)
        && ends.contains(session)) {
      return facts.postedNanos();
    }
    return forwards ? range.leftNanos() : range.rightNanos();
  }

  /** Moves and zooms so that a request can be seen, unless it can. */
  private void reveal(WorkRequests requests, long id) {
    long from = requests.postedNanos(id);
    long to = requests.isOpen(id) ? from + TimeRange.SHORTEST : requests.endedNanos(id);
    long took = Math.max(to - from, TimeRange.SHORTEST);
    boolean legible =
        range.shownNanos() >= took && range.shownNanos() <= took * SURROUNDINGS * SURROUNDINGS;
    if (legible && from >= range.leftNanos() && to <= range.rightNanos()) {
      return;
    }
    long half = legible ? range.shownNanos() / 2 : took * SURROUNDINGS / 2;
    long middle = from + (to - from) / 2;
    range.hold(middle - half, middle + half);
  }

  private void select(Session session, WorkQueue queue, long id) {
    selection.select(
        new Selected.WorkRequest(session, RequestFacts.of(analyses.of(session), queue, id)));
  }

  // ----------------------------------------------------------------------------------- drawing

  @Override
  public void theme(boolean darkTheme) {
    dark = darkTheme;
    plot.setStyle("-fx-background-color: " + Palette.GROUND.web(dark) + ";");
    axis.theme(dark);
    readOut.setFill(Palette.TEXT.color(dark));
    empty.setFill(Palette.TEXT.color(dark));
    gutterTexts.forEach(text -> text.setFill(Palette.TEXT.color(dark)));
    labels.forEach(text -> text.setFill(Palette.CURSOR.color(dark)));
    stale = true;
  }

  @Override
  public void pulse(long nowNanos) {
    SessionPair of = pair;
    if (of == null) {
      drawIfNeeded();
      return;
    }
    complete = analyses.advance(of);
    for (WridModel model : models) {
      complete &= model.advance();
    }
    now = of.clock(nowNanos);
    if (of.ended()) {
      now = Long.MIN_VALUE;
      for (WridModel model : models) {
        now = Math.max(now, model.requests().lastNanos());
      }
    }
    drawIfNeeded();
    if (!Double.isNaN(hoverX)) {
      range.cursorNanosProperty().set(axis.timeAt(hoverX));
    }
    axis.layCursor();
    if (nowNanos - textAt >= TEXT_NANOS || textAt == 0) {
      textAt = nowNanos;
      texts();
    }
  }

  private void drawIfNeeded() {
    long next = 0;
    for (WridModel model : models) {
      next += model.requests().next();
    }
    boolean moved = drawnLeft != range.leftNanos() || drawnRight != range.rightNanos();
    // What goes on, such as a wait, is drawn up to now.
    long until = Math.min(now, range.rightNanos());
    if (stale || moved || next != drawnNext || until != drawnUntil || !complete) {
      stale = false;
      drawnNext = next;
      drawnUntil = until;
      drawnLeft = range.leftNanos();
      drawnRight = range.rightNanos();
      draw();
    }
  }

  private void draw() {
    if (surface.pixels().width() == 0 || surface.pixels().height() == 0) {
      return;
    }
    double scale = surface.scale();
    lanes = Lanes.of(surface.pixels().height(), models.size(), (int) Math.round(HEADING * scale));
    painter.begin(range.leftNanos(), range.rightNanos(), now, scale, dark);
    labelsShown = 0;
    if (!models.isEmpty()) {
      painter.grid(axis.ticks(), range.originNanos());
      for (Phase phase : models.getFirst().requests().telemetry().phases()) {
        painter.phase(phase.nanos());
      }
      List<WridPainter.Chosen> chosen = chosen();
      for (int i = 0; i < models.size(); i++) {
        painter.paint(models.get(i), lanes.get(i), chosen);
        label(models.get(i), lanes.get(i));
      }
    }
    for (int i = labelsShown; i < labels.size(); i++) {
      labels.get(i).setVisible(false);
    }
    axis.layLabels();
    layGutter();
    layEmpty();
    surface.changed();
  }

  private List<WridPainter.Chosen> chosen() {
    Selected selected = selection.get();
    int end = selected == null ? -1 : ends.indexOf(selected.session());
    if (end < 0) {
      return List.of();
    }
    WridModel model = models.get(end);
    if (selected instanceof Selected.WorkRequest request) {
      return model.requests().of(request.facts().queue()).has(request.facts().id())
          ? List.of(new WridPainter.Chosen(model, request.facts().queue(), request.facts().id()))
          : List.of();
    }
    if (selected instanceof Selected.LoggedEvent logged) {
      var found = new ArrayList<WridPainter.Chosen>();
      for (WorkQueue queue : WorkQueue.values()) {
        long id = model.requests().of(queue).ofEvent(logged.event().number());
        if (id != WorkRequests.NONE) {
          found.add(new WridPainter.Chosen(model, queue, id));
        }
      }
      return found;
    }
    return List.of();
  }

  /** Names waits and requests where there is room. */
  private void label(WridModel model, Lanes.End of) {
    double scale = surface.scale();
    double width = surface.pixels().width();
    Waits waits = model.requests().waits();
    long last = Math.min(waits.end(), waits.indexOf(range.leftNanos()) + MOST_LABELS * 4L);
    for (long wait = waits.indexOf(range.leftNanos());
        wait < last && waits.beganNanos(wait) < range.rightNanos();
        wait++) {
      double from = Math.max(0, painter.xOf(waits.beganNanos(wait)));
      double to = Math.min(width, painter.xOf(Math.min(now, waits.endedNanos(wait))));
      if (of.waits().height() >= 12 * scale) {
        String phrase = WridText.wait(model.requests(), wait);
        label(phrase, from / scale + 3, (to - from) / scale - 6, of.waits());
      }
    }
    for (WorkQueue queue : WorkQueue.values()) {
      Lanes.QueueLanes where = queue == WorkQueue.SEND ? of.send() : of.receive();
      if (where.posts().height() >= 12 * scale) {
        labelPosts(model.shown(queue), where.posts());
      }
    }
  }

  private void labelPosts(FilteredRequests shown, Lanes.Band band) {
    Timeline posted = shown.posted();
    double scale = surface.scale();
    long first = posted.indexOf(range.leftNanos());
    long end = posted.indexOf(range.rightNanos());
    if (end - first > MOST_LABELS * 4L) {
      return;
    }
    for (long i = first; i < end; i++) {
      double x = painter.xOf(posted.nanos(i));
      double until = i + 1 < end ? painter.xOf(posted.nanos(i + 1)) : surface.pixels().width();
      double room = (until - x) / scale - 8;
      if (room >= LABEL_DISTANCE - 40 && shown.requests().has(posted.id(i))) {
        label(WridText.label(shown.requests(), posted.id(i)), x / scale + 5, room, band);
      }
    }
  }

  private void label(String text, double x, double room, Lanes.Band band) {
    int letters = (int) (room / LETTER);
    if (letters < 4 || labelsShown >= MOST_LABELS) {
      return;
    }
    if (labelsShown == labels.size()) {
      Text fresh = ChartText.small();
      fresh.setFill(Palette.CURSOR.color(dark));
      plot.addBelow(fresh, readOut);
      fresh.applyCss();
      labels.add(fresh);
    }
    Text label = labels.get(labelsShown++);
    label.setVisible(true);
    ChartText.write(label, text.length() <= letters ? text : text.substring(0, letters - 1) + "…");
    double height = label.getLayoutBounds().getHeight();
    label.relocate(
        Math.rint(plot.left() + x),
        Math.rint(HEADER + band.middle() / surface.scale() - height / 2));
  }

  private void layGutter() {
    int shown = 0;
    for (int i = 0; i < models.size(); i++) {
      Lanes.End of = lanes.get(i);
      String role = ends.get(i).role().name().toLowerCase(Locale.ROOT);
      shown = gutter(shown, role, of.heading(), true);
      shown = gutter(shown, "send queue", of.send().posts(), false);
      shown = gutter(shown, "on its way", of.send().flight(), false);
      shown = gutter(shown, "send completions", of.send().completions(), false);
      shown = gutter(shown, "receive queue", of.receive().posts(), false);
      shown = gutter(shown, "receive completions", of.receive().completions(), false);
      shown = gutter(shown, "waits", of.waits(), false);
    }
    for (int i = shown; i < gutterTexts.size(); i++) {
      gutterTexts.get(i).setVisible(false);
    }
  }

  private int gutter(int index, String name, Lanes.Band band, boolean heading) {
    double scale = surface.scale();
    if (plot.left() == 0 || band.height() / scale < 10) {
      return index;
    }
    if (index == gutterTexts.size()) {
      Text fresh = ChartText.small();
      gutterTexts.add(fresh);
      plot.addBelow(fresh, readOut);
      fresh.applyCss();
    }
    Text text = gutterTexts.get(index);
    text.setVisible(true);
    text.setFill((heading ? Palette.CURSOR : Palette.TEXT).color(dark));
    ChartText.write(text, name);
    double height = text.getLayoutBounds().getHeight();
    double x = heading ? 6 : GUTTER - 6 - text.getLayoutBounds().getWidth();
    text.relocate(Math.rint(x), Math.rint(HEADER + band.middle() / scale - height / 2));
    return index + 1;
  }

  private void layEmpty() {
    empty.setText(reason());
    empty.setVisible(!empty.getText().isEmpty());
    if (empty.isVisible()) {
      empty.setWrappingWidth(Math.max(0, Math.min(420, plot.getWidth() - 24)));
      empty.relocate(
          Math.rint((plot.getWidth() - empty.getLayoutBounds().getWidth()) / 2),
          Math.rint((plot.getHeight() - empty.getLayoutBounds().getHeight()) / 2));
    }
  }

  private String reason() {
    if (pair == null) {
      return "Select a migration to see its work requests.";
    }
    boolean any = false;
    for (WridModel model : models) {
      if (!model.requests().telemetry().monitored()) {
        return "No requests: this session was started without monitoring.";
      }
      any |= model.requests().sends().end() + model.requests().receives().end() > 0;
    }
    return any ? "" : "Work requests appear here as soon as the first one is posted.";
  }

  private void texts() {
    renewSelected();
    var text = new StringBuilder();
    for (int i = 0; i < models.size(); i++) {
      Requests of = models.get(i).requests();
      text.append(i == 0 ? "" : "  |  ")
          .append(models.size() == 1 ? "" : of.role() == Role.SOURCE ? "source: " : "dest.: ")
          .append(WridText.count(of));
    }
    long marked = models.stream().mapToLong(WridModel::markedCount).sum();
    if (!next.isDisabled()) {
      text.append("  |  ").append(Format.count(marked)).append(" marked");
    }
    if (!complete) {
      text.append("  |  reading…");
    }
    if (!text.toString().equals(count.getText())) {
      count.setText(text.toString());
    }
    String over = Double.isNaN(hoverX) ? "" : describe(pick(hoverX, hoverY));
    ChartText.write(readOut, over.isEmpty() ? models.isEmpty() ? "" : LEGEND : over);
    readOut.relocate(Math.max(6, plot.left()), 2);
  }

  /** What is known of the selected request may have grown. */
  private void renewSelected() {
    if (selection.get() instanceof Selected.WorkRequest request
        && ends.contains(request.session())) {
      Requests of = analyses.of(request.session());
      if (of.of(request.facts().queue()).has(request.facts().id())) {
        var fresh = RequestFacts.of(of, request.facts().queue(), request.facts().id());
        if (!fresh.equals(request.facts())) {
          selection.select(new Selected.WorkRequest(request.session(), fresh));
        }
      }
    }
  }

  // ---------------------------------------------------------------------------------- pointing

  private WridPicker.@Nullable Pick pick(double x, double y) {
    double scale = surface.scale();
    double px = (x - plot.left()) * scale;
    double py = (y - HEADER) * scale;
    for (int i = 0; i < lanes.size(); i++) {
      WridPicker.Pick pick =
          picker.at(models.get(i), lanes.get(i), px, py, axis.timeAt(x), REACH * scale);
      if (pick != null) {
        return pick;
      }
    }
    return null;
  }

  private String describe(WridPicker.@Nullable Pick pick) {
    if (pick == null) {
      return "";
    }
    Requests requests = pick.model().requests();
    return pick.queue() == null
        ? WridText.wait(requests, pick.id())
        : WridText.line(requests, pick.queue(), pick.id(), range.originNanos());
  }

  private void choose(WridPicker.@Nullable Pick pick) {
    if (pick == null) {
      return;
    }
    Session session = ends.get(models.indexOf(pick.model()));
    if (pick.queue() != null) {
      select(session, pick.queue(), pick.id());
      return;
    }
    long number = pick.model().requests().waits().beginEvent(pick.id());
    List<Event> event = session.telemetry().log().read(number, 1);
    if (!event.isEmpty() && event.getFirst().number() == number) {
      selection.select(new Selected.LoggedEvent(session, event.getFirst()));
    }
  }

  private void mouse(MouseEvent event) {
    boolean inside = event.getX() >= plot.left() && event.getX() <= plot.right();
    if (event.getEventType() == MouseEvent.MOUSE_MOVED) {
      hover(inside ? event.getX() : Double.NaN, event.getY());
    } else if (event.getEventType() == MouseEvent.MOUSE_EXITED) {
      hover(Double.NaN, 0);
    } else if (event.getEventType() == MouseEvent.MOUSE_PRESSED) {
      plot.requestFocus();
      gestures.press(event.getX());
    } else if (event.getEventType() == MouseEvent.MOUSE_DRAGGED && pair != null) {
      gestures.drag(event.getX(), plot.right() - plot.left());
      hover(inside ? event.getX() : Double.NaN, event.getY());
    } else if (event.getEventType() == MouseEvent.MOUSE_CLICKED
        && event.getButton() == MouseButton.PRIMARY
        && !gestures.isDragging()) {
      WridPicker.Pick pick = pick(event.getX(), event.getY());
      if (pick != null) {
        choose(pick);
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
      gestures.wheel(event, axis.timeAt(event.getX()), plot.right() - plot.left());
    }
  }

  private void key(KeyEvent event) {
    switch (event.getCode()) {
      case LEFT, RIGHT -> step(event.getCode() == KeyCode.RIGHT);
      case PLUS, ADD -> range.zoom(0.5, range.leftNanos() + range.shownNanos() / 2);
      case MINUS, SUBTRACT -> range.zoom(2, range.leftNanos() + range.shownNanos() / 2);
      case N -> goOn(!event.isShiftDown());
      default -> {
        return;
      }
    }
    event.consume();
  }

  /** Selects the request of the same queue that was posted next, or before. */
  private void step(boolean forwards) {
    if (!(selection.get() instanceof Selected.WorkRequest(var session, var facts))
        || !ends.contains(session)) {
      return;
    }
    FilteredRequests shown = models.get(ends.indexOf(session)).shown(facts.queue());
    Timeline posted = shown.posted();
    long index = posted.indexOf(facts.postedNanos());
    while (index < posted.end() && posted.id(index) < facts.id()) {
      index++;
    }
    index += forwards ? 1 : -1;
    if (index >= posted.first() && index < posted.end() && shown.has(posted.id(index))) {
      select(session, facts.queue(), posted.id(index));
      reveal(shown.requests(), posted.id(index));
    }
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
      getChildren().add(child);
    }

    void addBelow(Node child, Node upper) {
      child.setManaged(false);
      getChildren().add(getChildren().indexOf(upper), child);
    }

    double left() {
      return getWidth() < NARROW ? 0 : GUTTER;
    }

    double right() {
      return Math.max(left(), getWidth() - RIGHT_MARGIN);
    }

    @Override
    protected void layoutChildren() {
      double bottom = Math.max(HEADER, getHeight() - TimeAxis.HEIGHT);
      axis.place(left(), right(), HEADER, bottom);
      if (surface.place(left(), HEADER, right() - left(), bottom - HEADER)) {
        draw();
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javafx.beans.property.BooleanProperty;
import javafx.beans.property.SimpleBooleanProperty;
import javafx.geometry.Pos;
import javafx.scene.AccessibleRole;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.Label;
import javafx.scene.control.MenuItem;
import javafx.scene.control.ToggleButton;
import javafx.scene.control.Tooltip;
import javafx.scene.input.ContextMenuEvent;
import javafx.scene.input.KeyEvent;
import javafx.scene.input.MouseButton;
import javafx.scene.input.MouseEvent;
import javafx.scene.input.ScrollEvent;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Region;
import javafx.scene.paint.Color;
import javafx.scene.shape.Rectangle;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.memory.ChunkTable;
import org.wridscope.text.Format;
import org.wridscope.ui.Palette;
import org.wridscope.ui.Search;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.SelectionMenu;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.View;
import org.wridscope.ui.chunks.ChunkMapLayout.Hit;
import org.wridscope.ui.chunks.ChunkMapLayout.Place;
import org.wridscope.ui.raster.PixelSurface;

/**
 * The map of all chunks of the selected migration, with the source above the destination. If a
 * range of time is chosen, or something is searched for, chunks that it does not concern are
 * dimmed.
 *
 * <p>The wheel zooms around the pointer, dragging pans, a click selects a chunk, a double click
 * zooms in on it; arrow keys move the selection, plus and minus zoom, F fits the map into the view,
 * Escape clears the selection. A context menu unregisters chunks of a source.
 */
public final class ChunksView implements View {
  private static final long TEXT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final double NARROW = 330;
  private static final double LEGEND_FROM_HEIGHT = 200;
  private static final double BOTH_FROM_HEIGHT = 240;
  private static final double ZOOM_STEP = 1.25;
  private static final double CLICK_SLOP = 4;
  private static final double READING_DISTANCE = 60;
  private static final long READING_NANOS = TimeUnit.SECONDS.toNanos(12);
  private static final double MARGIN = 6;

  private final TimeRange range;
  private final Search search;
  private final Selection selection;
  private final BooleanProperty bothEnds = new SimpleBooleanProperty(this, "bothEnds", true);
  private final PixelSurface surface = new PixelSurface();
  private final ChunkMapLayout layout = new ChunkMapLayout();
  private final ChunkMapPainter painter = new ChunkMapPainter(surface.pixels(), layout);
  private final ChunkLegend legend = new ChunkLegend();
  private final ToggleButton endsButton = new ToggleButton("Both ends");
  private final Button fitButton = new Button("Fit");
  private final Label concernedCount = new Label();
  private final HBox buttons = new HBox(6, concernedCount, endsButton, fitButton);
  private final Rectangle frame = new Rectangle();
  private final ReadOut readOut = new ReadOut();
  private final MapTexts texts = new MapTexts(layout);
  private final MapRegion map = new MapRegion();
  private final Supplier<List<MenuItem>> actions;
  private final ContextMenu menu = new ContextMenu();
  private final Unregistering unregistering = new Unregistering(this::tell);
  private final Root root = new Root();

  private @Nullable SessionPair pair;
  private List<Session> ends = List.of();
  private List<List<ChunkTable>> shownBlocks = List.of();
  private List<ChunkMapModel> models = List.of();
  private List<ConcernedChunks> concerned = List.of();
  private boolean dark = true;
  private boolean stale = true;
  private boolean roomForBoth = true;
  private long textAt;
  private double pointerX = Double.NaN;
  private double pointerY;
  private double pressX;
  private double pressY;
  private double dragX;
  private double dragY;
  private boolean dragged;

  /** Whether the read-out may say something else than what is under the pointer. */
  private boolean told;

  private long toldAt;

  private double toldX;
  private double toldY;

  /**
   * Makes an empty map that shows and changes the selection.
   *
   * @param actions what can be done with it
   */
  public ChunksView(
      TimeRange range, Selection selection, Search search, Supplier<List<MenuItem>> actions) {
    this.actions = actions;
    this.range = range;
    this.search = search;
    this.selection = selection;
    concernedCount.setId("chunks-concerned");
    concernedCount.getStyleClass().addAll("number", "muted", "small-text");
    concernedCount.setMinWidth(Region.USE_PREF_SIZE);
    buttons.setAlignment(Pos.CENTER_RIGHT);
    range.chosenProperty().subscribe(_ -> takeConcerned());
    search.queryProperty().subscribe(_ -> takeConcerned());
    fitButton.setTooltip(new Tooltip("Show all chunks (F)."));
    fitButton.setId("chunks-fit");
    fitButton.setOnAction(event -> fit());
    endsButton.setTooltip(new Tooltip("Show the destination below the source."));
    endsButton.setId("chunks-both-ends");
    endsButton.selectedProperty().bindBidirectional(bothEnds);
    bothEnds.addListener(property -> chooseEnds());
    legend.singleProperty().addListener(property -> recolour());
    selection.selectedProperty().addListener(property -> layFrame());
    frame.setFill(Color.TRANSPARENT);
    frame.setStrokeWidth(2);
    frame.setMouseTransparent(true);
    frame.setManaged(false);
    frame.setVisible(false);
    map.addEventHandler(MouseEvent.ANY, this::mouse);
    map.addEventHandler(ScrollEvent.SCROLL, this::wheel);
    map.addEventHandler(KeyEvent.KEY_PRESSED, this::key);
    map.setOnContextMenuRequested(this::requestMenu);
    theme(true);
    chooseEnds();
  }

  @Override
  public String title() {
    return "Chunks";
  }

  @Override
  public Node node() {
    return root;
  }

  /** Whether the destination is shown below the source, if both are in this process. */
  public BooleanProperty bothEndsProperty() {
    return bothEnds;
  }

  @Override
  public void show(@Nullable SessionPair shown) {
    pair = shown;
    chooseEnds();
  }

  private void chooseEnds() {
    SessionPair shown = pair;
    boolean two = shown != null && shown.sessions().size() == 2;
    endsButton.setVisible(two);
    if (shown == null) {
      ends = List.of();
    } else {
      ends = two && !(bothEnds.get() && roomForBoth) ? List.of(shown.leading()) : shown.sessions();
    }
    legend.setEnds(ends.stream().map(end -> end.role().text()).toList(), dark);
    takeBlocks();
    textAt = 0;
    root.requestLayout();
  }

  /** Takes the RAM blocks, which a session learns some time after it has started. */
  private void takeBlocks() {
    shownBlocks = ends.stream().map(end -> end.telemetry().blocks()).toList();
    models = shownBlocks.stream().map(ChunkMapModel::new).toList();
    int[][] shape =
        shownBlocks.stream()
            .map(blocks -> blocks.stream().mapToInt(ChunkTable::chunkCount).toArray())
            .toArray(int[][]::new);
    painter.setModels(models);
    takeConcerned();
    layout.setShape(shape);
    texts.show(ends, shownBlocks);
    map.placeTexts();
    map.requestLayout();
    stale = true;
  }

  /** Singles out the chunks to which something happened in the range, or what is searched for. */
  private void takeConcerned() {
    TimeRange.Span span = range.chosen();
    var all = new ArrayList<ConcernedChunks>();
    boolean some = span != null || search.query() != null;
    for (int i = 0; some && i < ends.size(); i++) {
      Session end = ends.get(i);
      all.add(
          new ConcernedChunks(span, search.hits(end), end.telemetry().log(), shownBlocks.get(i)));
    }
    concerned = List.copyOf(all);
    painter.setConcerned(concerned);
    textAt = 0;
    stale = true;
  }

  private void writeConcerned() {
    String counts =
        concerned.stream()
            .map(each -> Format.count(each.count()))
            .collect(Collectors.joining(" + "));
    String found = search.query() == null ? "" : "found";
    String inRange = range.chosen() == null ? "" : "in the range";
    String text = (found + " " + inRange).strip() + ": " + counts;
    String shown = concerned.isEmpty() ? "" : text;
    if (!shown.equals(concernedCount.getText())) {
      concernedCount.setText(shown);
      root.requestLayout();
    }
  }

  @Override
  public void theme(boolean darkTheme) {
    dark = darkTheme;
    root.setStyle("-fx-background-color: " + Palette.GROUND.web(dark) + ";");
    frame.setStroke(Palette.CURSOR.color(dark));
    readOut.theme(dark);
    legend.theme(dark);
    texts.theme(dark);
    recolour();
  }

  private void recolour() {
    painter.setColours(dark, null);
    legend.paintSamples(painter);
    painter.setColours(dark, legend.singleProperty().get());
    stale = true;
  }

  @Override
  public void pulse(long nowNanos) {
    boolean textDue = textAt == 0 || nowNanos - textAt >= TEXT_NANOS;
    for (int i = 0; i < ends.size(); i++) {
      if (!ends.get(i).telemetry().blocks().equals(shownBlocks.get(i))) {
        takeBlocks();
        break;
      }
    }
    boolean any = false;
    for (int i = 0; i < models.size(); i++) {
      painter.select(i);
      any |= models.get(i).update(painter::changed);
      painter.flush();
      any |= models.get(i).fade(nowNanos, painter::changed);
    }
    painter.flush();
    for (ConcernedChunks each : concerned) {
      stale |= each.advance();
    }
    if (stale) {
      paintAll();
    } else if (any) {
      surface.changed();
    }
    if (textDue) {
      textAt = nowNanos;
      for (int i = 0; i < shownBlocks.size(); i++) {
        legend.write(i, shownBlocks.get(i));
      }
      writeConcerned();
      explain();
    }
  }

  private void paintAll() {
    if (surface.pixels().width() == 0 || surface.pixels().height() == 0) {
      // Before the first layout nothing has a size; the layout paints.
      return;
    }
    stale = false;
    painter.paintAll();
    surface.changed();
    texts.layOut(surface.scale(), surface.pixels().height(), map.getHeight(), mapLeft() > 0);
    layFrame();
  }

  /** Redraws the map after it was moved or stretched. */
  private void moved() {
    stale = true;
    explain();
  }

  private void fit() {
    layout.fit();
    moved();
  }

  private void layFrame() {
    Place place = null;
    if (selection.get() instanceof Selected.Chunk(Session session, int block, int chunk)) {
      Strip strip = layout.stripOf(ends.indexOf(session), block);
      if (strip != null && chunk < strip.chunks()) {
        place = layout.placeOf(strip, chunk);
      }
    }
    boolean visible =
        place != null
            && place.x() + place.width() > 0
            && place.x() < surface.pixels().width()
            && place.y() + place.height() > 0
            && place.y() < surface.pixels().height();
    frame.setVisible(visible);
    if (place != null && visible) {
      double scale = surface.scale();
      frame.setX(mapLeft() + place.x() / scale - 2);
      frame.setY(place.y() / scale - 2);
      frame.setWidth(place.width() / scale + 3);
      frame.setHeight(place.height() / scale + 3);
    }
  }

  private @Nullable Hit hitAt(double x, double y) {
    return layout.hit(
        (int) Math.floor((x - mapLeft()) * surface.scale()), (int) Math.floor(y * surface.scale()));
  }

  private void explain() {
    if (isTold()) {
      return;
    }
    Hit hit = Double.isNaN(pointerX) || dragged ? null : hitAt(pointerX, pointerY);
    if (hit == null) {
      readOut.hide();
      return;
    }
    ChunkTable table = shownBlocks.get(hit.strip().end()).get(hit.strip().block());
    readOut.show(
        ReadOut.title(table, hit.chunk(), hit.count()),
        hit.count() == 1
            ? ReadOut.describe(ChunkDetails.of(table, hit.chunk()))
            : ReadOut.describe(table, hit.chunk(), hit.count()),
        pointerX,
        pointerY,
        map.getWidth(),
        map.getHeight());
  }

  private void mouse(MouseEvent event) {
    if (event.getEventType() == MouseEvent.MOUSE_MOVED) {
      pointerX = event.getX();
      pointerY = event.getY();
      explain();
    } else if (event.getEventType() == MouseEvent.MOUSE_EXITED) {
      pointerX = Double.NaN;
      if (!isTold()) {
        readOut.hide();
      }
    } else if (event.getEventType() == MouseEvent.MOUSE_PRESSED) {
      told = false;
      map.requestFocus();
      // What the picture stands in would take the keyboard.
      event.consume();
      pressX = event.getX();
      pressY = event.getY();
      dragX = pressX;
      dragY = pressY;
      dragged = false;
    } else if (event.getEventType() == MouseEvent.MOUSE_DRAGGED) {
      drag(event.getX(), event.getY());
    } else if (event.getEventType() == MouseEvent.MOUSE_RELEASED) {
      if (!dragged && event.getButton() == MouseButton.PRIMARY) {
        click(event);
      }
      dragged = false;
    }
  }

  private void drag(double x, double y) {
    dragged |= Math.hypot(x - pressX, y - pressY) >= CLICK_SLOP;
    if (dragged) {
      double scale = surface.scale();
      layout.pan((x - dragX) * scale, (y - dragY) * scale, pressY * scale);
      dragX = x;
      dragY = y;
      moved();
    }
  }

  private void click(MouseEvent event) {
    Hit hit = hitAt(event.getX(), event.getY());
    if (hit == null) {
      return;
    }
    if (event.getClickCount() == 2) {
      zoom(Double.MAX_VALUE, event.getX(), event.getY());
    } else {
      select(hit.strip(), hit.chunk());
    }
  }

  private void requestMenu(ContextMenuEvent event) {
    event.consume();
    Hit hit = event.isKeyboardTrigger() ? null : hitAt(event.getX(), event.getY());
    if (hit != null) {
      select(hit.strip(), hit.chunk());
    }
    menu.getItems().setAll(actions.get());
    if (hit != null) {
      int end = hit.strip().end();
      ChunkTable block = shownBlocks.get(end).get(hit.strip().block());
      menu.getItems()
          .addAll(
              unregistering.items(
                  ends.get(end), block, hit.chunk(), hit.count(), event.getX(), event.getY()));
    }
    menu.getItems().add(SelectionMenu.item("chunks-menu-fit", "Show all chunks", this::fit));
    menu.show(map, event.getScreenX(), event.getScreenY());
  }

  /** Says something at a place in the map, for some seconds or until the pointer moves away. */
  private void tell(String title, String text, double x, double y) {
    told = true;
    toldAt = System.nanoTime();
    toldX = x;
    toldY = y;
    readOut.show(title, text, x, y, map.getWidth(), map.getHeight());
  }

  private boolean isTold() {
    boolean away = Math.hypot(pointerX - toldX, pointerY - toldY) > READING_DISTANCE;
    told &= !away && System.nanoTime() - toldAt < READING_NANOS;
    return told;
  }

  private void select(Strip strip, int chunk) {
    selection.select(new Selected.Chunk(ends.get(strip.end()), strip.block(), chunk));
  }

  private void wheel(ScrollEvent event) {
    if (event.getDeltaY() != 0) {
      zoom(event.getDeltaY() > 0 ? ZOOM_STEP : 1 / ZOOM_STEP, event.getX(), event.getY());
      event.consume();
    }
  }

  private void zoom(double factor, double x, double y) {
    double scale = surface.scale();
    layout.zoom(factor, (x - mapLeft()) * scale, y * scale);
    moved();
  }

  private void key(KeyEvent event) {
    double x = Double.isNaN(pointerX) ? map.getWidth() / 2 : pointerX;
    double y = Double.isNaN(pointerX) ? map.getHeight() / 2 : pointerY;
    switch (event.getCode()) {
      case LEFT -> step(-1, 0);
      case RIGHT -> step(1, 0);
      case UP -> step(0, -1);
      case DOWN -> step(0, 1);
      case HOME -> step(Integer.MIN_VALUE, 0);
      case END -> step(Integer.MAX_VALUE, 0);
      case PLUS, ADD, EQUALS -> zoom(ZOOM_STEP, x, y);
      case MINUS, SUBTRACT -> zoom(1 / ZOOM_STEP, x, y);
      case F -> fit();
      case ESCAPE -> {
        if (legend.singleProperty().get() == null && selection.get() == null) {
          // Then it closes the window, if that is one beside the main one.
          return;
        }
        if (legend.singleProperty().get() == null) {
          selection.select(null);
        }
        legend.singleProperty().set(null);
      }
      default -> {
        return;
      }
    }
    event.consume();
  }

  /** Moves the selection by chunks and rows within its block; starts at the first chunk. */
  private void step(int byChunks, int byRows) {
    Strip strip = layout.strips().isEmpty() ? null : layout.strips().getFirst();
    int chunk = 0;
    if (selection.get() instanceof Selected.Chunk selected) {
      Strip own = layout.stripOf(ends.indexOf(selected.session()), selected.block());
      if (own != null) {
        strip = own;
        long wanted = (long) selected.chunk() + byChunks + (long) byRows * own.columns();
        // Beyond the first and the last row the selection stays.
        boolean outside = byRows != 0 && (wanted < 0 || wanted >= own.chunks());
        chunk = outside ? selected.chunk() : (int) Math.clamp(wanted, 0, own.chunks() - 1L);
      }
    }
    if (strip != null) {
      if (layout.reveal(strip, chunk)) {
        moved();
      }
      select(strip, chunk);
    }
  }

  /** The left edge of the map's pixels, right of the labels. */
  double mapLeft() {
    return map.getWidth() < NARROW ? 0 : texts.width();
  }

  /** The map, with names and sizes at its left. */
  private final class MapRegion extends Region {
    MapRegion() {
      placeTexts();
      setFocusTraversable(true);
      setAccessibleRole(AccessibleRole.IMAGE_VIEW);
      setAccessibleText("Map of the chunks");
      setId("chunk-map");
      setMinSize(0, 0);
    }

    /** Puts labels and headings above the pixels and below everything else. */
    void placeTexts() {
      getChildren().setAll(surface.node());
      getChildren().addAll(texts.nodes());
      getChildren().addAll(frame, texts.empty(), readOut.node());
    }

    @Override
    protected void layoutChildren() {
      double width = Math.max(0, getWidth() - mapLeft() - MARGIN);
      if (surface.place(mapLeft(), 0, width, Math.max(0, getHeight() - 2))) {
        painter.setScale(surface.scale());
        layout.resize(surface.pixels().width(), surface.pixels().height(), surface.scale());
        legend.paintSamples(painter);
        recolour();
        paintAll();
      }
      var clip = getClip() instanceof Rectangle known ? known : new Rectangle();
      clip.setWidth(getWidth());
      clip.setHeight(getHeight());
      setClip(clip);
      texts.centreEmpty(getWidth(), getHeight());
    }
  }

  /** The map below the legend and the buttons, if there is space for those. */
  private final class Root extends Region {
    Root() {
      getChildren().addAll(legend.node(), buttons, map);
      getStyleClass().add("chunks-view");
      setMinSize(0, 0);
      setPrefSize(640, 400);
    }

    @Override
    protected void layoutChildren() {
      boolean both = getHeight() >= BOTH_FROM_HEIGHT;
      if (both != roomForBoth) {
        roomForBoth = both;
        chooseEnds();
      }
      boolean legendShown = getHeight() >= LEGEND_FROM_HEIGHT && getWidth() >= NARROW;
      legend.node().setVisible(legendShown);
      buttons.setVisible(legendShown);
      double top = 0;
      if (legendShown) {
        double buttonsWidth = buttons.prefWidth(-1);
        double legendWidth = Math.max(0, getWidth() - buttonsWidth - 3 * MARGIN);
        double height = legend.node().prefHeight(legendWidth);
        legend.node().resizeRelocate(0, 2, legendWidth, height);
        buttons.resizeRelocate(
            getWidth() - buttonsWidth - MARGIN, 5, buttonsWidth, buttons.prefHeight(-1));
        top = Math.max(height, buttons.prefHeight(-1)) + 8;
      }
      map.resizeRelocate(0, top, getWidth(), Math.max(0, getHeight() - top));
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.recording;

import atlantafx.base.theme.Styles;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javafx.animation.AnimationTimer;
import javafx.application.Platform;
import javafx.beans.property.LongProperty;
import javafx.beans.property.SimpleLongProperty;
import javafx.collections.ObservableList;
import javafx.css.PseudoClass;
import javafx.geometry.Orientation;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.Parent;
import javafx.scene.control.Button;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.Slider;
import javafx.scene.control.SplitPane;
import javafx.scene.control.TextField;
import javafx.scene.control.ToggleButton;
import javafx.scene.control.ToggleGroup;
import javafx.scene.control.Tooltip;
import javafx.scene.image.Image;
import javafx.scene.layout.FlowPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.StackPane;
import javafx.scene.layout.VBox;
import javafx.stage.Window;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.control.SessionPair;
import org.wridscope.export.ComparedFigures;
import org.wridscope.export.ComparedTrace;
import org.wridscope.export.Export;
import org.wridscope.export.ExportFormat;
import org.wridscope.files.Output;
import org.wridscope.telemetry.Phase;
import org.wridscope.text.Format;
import org.wridscope.ui.Analyses;
import org.wridscope.ui.ChoiceText;
import org.wridscope.ui.Hints;
import org.wridscope.ui.Presence;
import org.wridscope.ui.Readings;
import org.wridscope.ui.Search;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.chart.TimeSeriesView;
import org.wridscope.ui.chunks.ChunksView;
import org.wridscope.ui.export.ExportBar;
import org.wridscope.ui.export.ExportFiles;
import org.wridscope.ui.export.Snapshot;
import org.wridscope.ui.messages.MessagesView;
import org.wridscope.ui.overview.Charts;
import org.wridscope.ui.overview.OverviewView;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.wrids.WridsView;

/**
 * Two migrations side by side. Times count from a phase that both have, or from their beginnings;
 * an {@link OffsetStrip} and a field show the second one earlier or later. One slider moves
 * recorded migrations to the same time.
 */
public final class Comparison {
  /** Columns of figures; more would be cut off. */
  private static final int COLUMNS = 2;

  private static final PseudoClass ERROR = PseudoClass.getPseudoClass("error");

  private final Half left;
  private final Half right;
  private final Slider slider = new Slider(0, 1, 1);
  private final MomentLabel moment = new MomentLabel("compare-moment");
  private final LongProperty offset =
      new SimpleLongProperty(this, "offset", 0) {
        @Override
        public void set(long nanos) {
          super.set(Math.clamp(nanos, -TimeRange.LONGEST, TimeRange.LONGEST));
        }
      };
  private final ComboBox<String> event = new ComboBox<>();
  private final OffsetStrip strip = new OffsetStrip(offset);
  private final TextField field = new TextField();
  private final Button reset = new Button("", new FontIcon(Feather.ROTATE_CCW));
  private final ToggleButton overview = new ToggleButton("Overview");
  private final ToggleButton order = new ToggleButton("Wrids, Messages");
  private final ToggleButton numbers = new ToggleButton("Figures");
  private final FigureTable figures = new FigureTable();
  private final Label sentence = new Label();
  private final Alignments alignments;
  private final ExportBar exports;
  private final Executor background;
  private final VBox root;
  private final AnimationTimer pulse;
  private List<String> events = List.of(Alignment.BEGINNING);
  private String told = "";
  private @Nullable String chosenEvent;
  private @Nullable Migration alignedLeft;
  private @Nullable Migration alignedRight;
  private boolean dark;
  private boolean placing;

  /**
   * @param migrations to choose from
   * @param first shown at the left; null for any
   * @param second shown at the right; null for any
   * @param seeking moves recordings; shared by all players
   * @param alignments how migrations were aligned before; shared by all comparisons
   * @param background writes pictures and traces
   */
  public Comparison(
      ObservableList<Migration> migrations,
      @Nullable Migration first,
      @Nullable Migration second,
      Seeking seeking,
      Alignments alignments,
      Executor background) {
    this.alignments = alignments;
    this.background = background;
    exports = new ExportBar(background, this::tell);
    List<Migration> started = migrations.stream().filter(m -> m.pair() != null).toList();
    left = new Half("compare-left", "The migration at the left", migrations, seeking);
    right = new Half("compare-right", "The migration at the right", migrations, seeking);
    left.choice.setValue(
        started.contains(first) ? first : started.isEmpty() ? null : started.getFirst());
    right.choice.setValue(
        started.contains(second)
            ? second
            : started.stream()
                .filter(m -> !Objects.equals(m, left.choice.getValue()))
                .reduce((_, last) -> last)
                .orElse(null));
    slider.setId("compare-position");
    slider.setAccessibleText("Shown moment of both");
    Hints.explain(slider, "Moves both recordings to the same time");
    HBox.setHgrow(slider, Priority.ALWAYS);
    slider
        .valueProperty()
        .subscribe((_, value) -> {
          if (!placing) {
            moveTo(value.doubleValue());
          }
        });
    var shown = new ToggleGroup();
    var shows = new HBox(overview, order, numbers);
    choice(shown, overview, "compare-overview", Styles.LEFT_PILL, "How far and how fast both are");
    choice(
        shown,
        order,
        "compare-order",
        Styles.CENTER_PILL,
        "The work requests and the messages of both, in their order");
    choice(
        shown,
        numbers,
        "compare-figures",
        Styles.RIGHT_PILL,
        "The figures of both as a table, with their differences");
    shown
        .selectedToggleProperty()
        .subscribe((before, now) -> {
          if (now == null && before != null) {
            before.setSelected(true);
          }
        });
    overview.setSelected(true);
    var bar = new HBox(8, slider, moment);
    bar.setAlignment(Pos.CENTER_LEFT);
    bar.getStyleClass().add("player");
    var split = new SplitPane(left.node, right.node);
    var content = new StackPane(split, figures.node());
    VBox.setVgrow(content, Priority.ALWAYS);
    numbers
        .selectedProperty()
        .subscribe(all -> {
          split.setVisible(!all);
          figures.node().setVisible(all);
          figures.show(figures(), System.nanoTime());
        });
    order
        .selectedProperty()
        .subscribe(requests -> {
          left.showOrder(requests);
          right.showOrder(requests);
        });
    sentence.setId("compare-sentence");
    sentence.setWrapText(true);
    sentence.getStyleClass().addAll("muted", "told");
    sentence.setMinHeight(Region.USE_PREF_SIZE);
    var told = new VBox(sentence);
    told.getStyleClass().add("player");
    var commands = new FlowPane(8, 4, shows, difference(), saveFigures(), picture(), trace());
    commands.getStyleClass().add("player");
    root = new VBox(commands, bar, alignment(), told, exports.node(), content);
    root.getStyleClass().add("window-root");
    mark(left.range, right.range);
    mark(right.range, left.range);
    for (int i = 0; i < left.charts.size(); i++) {
      right.charts.get(i).shareScale(left.charts.get(i));
    }
    pulse =
        new AnimationTimer() {
          @Override
          public void handle(long frame) {
            long now = System.nanoTime();
            left.follow();
            right.follow();
            align();
            long from = Math.min(left.beginning(), right.beginning());
            long to = Math.max(left.endAt(now), right.endAt(now));
            left.show(from, to);
            right.show(from, to);
            strip.show(left.bar(now, 0), right.bar(now, offset.get()));
            link();
            if (!numbers.isSelected()) {
              left.pulse(now);
              right.pulse(now);
            } else if (figures.isDue(now)) {
              figures.show(figures(), now);
            }
            place();
          }
        };
  }

  private static void choice(
      ToggleGroup group, ToggleButton button, String id, String place, String hint) {
    button.setId(id);
    button.setToggleGroup(group);
    button.setMinWidth(Region.USE_PREF_SIZE);
    button.getStyleClass().addAll("small", place);
    button.setTooltip(new Tooltip(hint));
  }

  private Node difference() {
    var find = new Button("First difference", new FontIcon(Feather.GIT_BRANCH));
    find.setId("compare-difference");
    find.setMinWidth(Region.USE_PREF_SIZE);
    find.getStyleClass().add("small");
    find.setTooltip(
        new Tooltip("Show where both first did something in another order, at either end"));
    find.setOnAction(_ -> showFirstDifference());
    return find;
  }

  /**
   * Shows work requests and messages, at the place where both first did something in another order.
   */
  public void showFirstDifference() {
    left.follow();
    right.follow();
    SessionPair one = left.shown;
    SessionPair other = right.shown;
    if (one == null || other == null) {
      tell(false, "Choose two migrations that have been started, to find their difference.");
      return;
    }
    order.setSelected(true);
    tell(true, "Looking for the first difference.");
    background.execute(() -> {
      try {
        Parting parting = Parting.of(one, other);
        Platform.runLater(() -> show(one, other, parting));
      } catch (IllegalArgumentException e) {
        Platform.runLater(() -> tell(false, String.valueOf(e.getMessage())));
      }
    });
  }

  private void show(SessionPair one, SessionPair other, @Nullable Parting parting) {
    if (!one.equals(left.shown) || !other.equals(right.shown)) {
      return;
    }
    if (parting == null) {
      tell(true, "Both did the same in the same order, as far as it is shown.");
      return;
    }
    align();
    // What both did last is shown at the same place, so that what follows can be compared.
    long apart =
        parting.one().sameNanos()
            - Alignment.zero(one, aligned())
            - (parting.other().sameNanos() - Alignment.zero(other, aligned()));
    offset.set(apart);
    align();
    left.show(parting.one(), parting);
    right.show(parting.other(), parting);
    tell(true, parting.sentence());
  }

  /** The choice of the moment that both have in common, and how much later the second is shown. */
  private Node alignment() {
    event.setId("compare-event");
    event.setAccessibleText("Moment from which both count");
    Hints.explain(event, "The moment from which both count; they are aligned there");
    event.setMinWidth(Region.USE_PREF_SIZE);
    event
        .valueProperty()
        .subscribe(value -> {
          if (value != null && !placing) {
            chosenEvent = value;
            keep();
          }
        });
    field.setId("compare-offset");
    field.setPrefColumnCount(9);
    field.setMinWidth(Region.USE_PREF_SIZE);
    field.setAccessibleText("Offset of the right migration");
    Hints.explain(field, "How much later the right migration is shown: +12.5ms, -300us, 250ns");
    field.setOnAction(_ -> readOffset());
    field
        .focusedProperty()
        .subscribe(focused -> {
          if (!focused) {
            readOffset();
          }
        });
    reset.setId("compare-reset");
    reset.getStyleClass().addAll("button-icon", "flat");
    reset.setTooltip(new Tooltip("No offset (double click)"));
    reset.setAccessibleText("No offset");
    reset.setOnAction(_ -> offset.set(0));
    offset.subscribe(() -> {
      reset.setDisable(offset.get() == 0);
      writeOffset();
      keep();
    });
    reset.setDisable(true);
    writeOffset();
    var at = new Label("Align at");
    at.setMinWidth(Region.USE_PREF_SIZE);
    var by = new Label("offset");
    by.setMinWidth(Region.USE_PREF_SIZE);
    HBox.setHgrow(strip, Priority.ALWAYS);
    var line = new HBox(8, at, event, strip, by, field, reset);
    line.setAlignment(Pos.CENTER_LEFT);
    line.getStyleClass().add("player");
    return line;
  }

  /** Shows the cursor, the chosen range and the markers of one side at the other one too. */
  private static void mark(TimeRange one, TimeRange other) {
    one.cursorNanosProperty().subscribe(() -> other.markAs(one));
    one.chosenProperty().subscribe(() -> other.markAs(one));
    one.markersProperty().subscribe(() -> other.markAs(one));
  }

  private void writeOffset() {
    field.setText(Alignment.text(offset.get()));
    field.pseudoClassStateChanged(ERROR, false);
    tell(true, "");
  }

  private void readOffset() {
    if (field.getText().equals(Alignment.text(offset.get()))) {
      writeOffset();
      return;
    }
    try {
      offset.set(Alignment.offset(field.getText()));
      writeOffset();
    } catch (IllegalArgumentException e) {
      field.pseudoClassStateChanged(ERROR, true);
      tell(false, String.valueOf(e.getMessage()));
    }
  }

  /** Says something until the alignment changes; an empty text says how both are aligned. */
  private void tell(boolean good, String text) {
    told = text;
    sentence.pseudoClassStateChanged(ERROR, !good);
    sentence.setText(text.isEmpty() ? Alignment.sentence(aligned(), offset.get()) : text);
  }

  /** The moment at which both are aligned. */
  private String aligned() {
    return chosenEvent != null && events.contains(chosenEvent)
        ? chosenEvent
        : Alignment.preferred(events);
  }

  /** Remembers how both are aligned. */
  private void keep() {
    if (alignedLeft != null && alignedRight != null) {
      alignments.keep(alignedLeft, alignedRight, new Alignments.Kept(chosenEvent, offset.get()));
    }
  }

  /** Aligns newly chosen migrations as they were before. */
  private void recall() {
    Migration one = left.choice.getValue();
    Migration other = right.choice.getValue();
    if (Objects.equals(one, alignedLeft) && Objects.equals(other, alignedRight)) {
      return;
    }
    alignedLeft = null;
    Alignments.Kept kept =
        one == null || other == null ? Alignments.Kept.NOTHING : alignments.of(one, other);
    chosenEvent = kept.event();
    offset.set(kept.offset());
    alignedLeft = one;
    alignedRight = other;
  }

  /** Lets both sides count from the same moment. */
  private void align() {
    recall();
    List<String> now = Alignment.choices(left.shown, right.shown);
    if (!now.equals(events)) {
      events = now;
      placing = true;
      event.getItems().setAll(events);
      placing = false;
    }
    String at = aligned();
    if (!at.equals(event.getValue())) {
      placing = true;
      event.setValue(at);
      placing = false;
    }
    left.align(at, 0);
    right.align(at, offset.get());
    if (told.isEmpty()) {
      tell(true, "");
    }
  }

  private Node picture() {
    var save = new Button("Save picture…");
    save.setId("compare-picture");
    save.setMinWidth(Region.USE_PREF_SIZE);
    save.getStyleClass().add("small");
    save.setOnAction(_ -> {
      Window window = root.getScene().getWindow();
      // Of this moment, not of when the file has been chosen.
      Image image =
          Snapshot.of(
              root,
              () -> pulse.handle(0),
              "%s beside %s".formatted(left.name(), right.name()),
              "",
              dark);
      Output output =
          ExportFiles.askForPicture(window, left.name() + "-" + right.name(), "compared");
      if (output != null) {
        exports.picture(image, output);
      }
    });
    return save;
  }

  private Node saveFigures() {
    var save = new Button("Save figures…");
    save.setId("compare-save-figures");
    // Not bound: a picture hides it for a moment.
    numbers.selectedProperty().subscribe(shown -> Presence.set(save, shown));
    save.setMinWidth(Region.USE_PREF_SIZE);
    save.getStyleClass().add("small");
    save.setTooltip(new Tooltip("The figures of both as a table (CSV), in bytes and nanoseconds"));
    save.setOnAction(_ -> {
      ComparedFigures both = figures();
      if (both == null) {
        tell(false, "Choose two migrations that have been started, to save the figures of both.");
        return;
      }
      Output output =
          ExportFiles.askForFigures(root.getScene().getWindow(), left.name() + "-" + right.name());
      if (output != null) {
        exports.figures(both, output);
      }
    });
    return save;
  }

  /** The figures of both at the shown moments; null unless there are two. */
  @Nullable ComparedFigures figures() {
    SessionPair one = left.shown;
    SessionPair other = right.shown;
    return one == null || other == null
        ? null
        : ComparedFigures.of(left.name(), one, right.name(), other);
  }

  private Node trace() {
    var save = new Button("Save trace…");
    save.setId("compare-trace");
    save.setMinWidth(Region.USE_PREF_SIZE);
    save.getStyleClass().add("small");
    save.setTooltip(new Tooltip("Both in one file for Perfetto, aligned as they are here"));
    save.setOnAction(_ -> {
      ComparedTrace both = compared();
      if (both == null) {
        tell(false, "Choose two migrations that have been started, to save a trace of both.");
        return;
      }
      Export kind = Export.of(ExportFormat.PERFETTO, Set.of());
      Output output =
          ExportFiles.ask(
              root.getScene().getWindow(), kind, left.name() + "-" + right.name() + "-compared");
      if (output != null) {
        exports.trace(both, output);
      }
    });
    return save;
  }

  /** Both migrations as they are aligned; null unless there are two. */
  @Nullable ComparedTrace compared() {
    SessionPair one = left.shown;
    SessionPair other = right.shown;
    return one == null || other == null
        ? null
        : new ComparedTrace(
            one,
            other,
            left.range.originNanos() - right.range.originNanos(),
            Alignment.sentence(aligned(), offset.get()));
  }

  public Parent node() {
    return root;
  }

  public void theme(boolean darkTheme) {
    dark = darkTheme;
    strip.theme(dark);
    left.theme(dark);
    right.theme(dark);
  }

  public void start() {
    pulse.start();
  }

  public void stop() {
    pulse.stop();
  }

  /** Shows the same time span at both sides after one of them was zoomed or moved. */
  private void link() {
    if (left.hasMovedTime()) {
      right.range.showAs(left.range);
    } else if (right.hasMovedTime()) {
      left.range.showAs(right.range);
    }
    left.noteTime();
    right.noteTime();
  }

  /** Shows the moments of both sides, which other players may change too. */
  private void place() {
    boolean recorded = left.isRecorded() || right.isRecorded();
    slider.setDisable(!recorded);
    moment.setText(moment());
    moment.setWidest(both(left.widestMoment("left"), right.widestMoment("right")));
    if (recorded && !slider.isValueChanging()) {
      double share = (double) (wanted() - first()) / Math.max(1, last() - first());
      placing = true;
      slider.setValue(share);
      placing = false;
    }
  }

  /** The time to be shown; a side that stands at one of its ends may be wanted beyond it. */
  private long wanted() {
    Half inside = right.isInside() ? right : left.isInside() ? left : null;
    return inside != null
        ? inside.wanted()
        : (left.isAtItsEnd() && right.isAtItsEnd()) ? last() : first();
  }

  /** The earliest time to which the slider moves. */
  private long first() {
    return Math.min(
        left.isRecorded() ? left.first() : Long.MAX_VALUE,
        right.isRecorded() ? right.first() : Long.MAX_VALUE);
  }

  /** The latest time to which the slider moves. */
  private long last() {
    return Math.max(
        left.isRecorded() ? left.last() : Long.MIN_VALUE,
        right.isRecorded() ? right.last() : Long.MIN_VALUE);
  }

  private String moment() {
    if (left.player.isSlow() || right.player.isSlow()) {
      return "seeking…";
    }
    if (left.isRecorded() && right.isRecorded() && left.position() == right.position()) {
      return "both at %s".formatted(Format.moment(left.position()));
    }
    return both(left.moment("left"), right.moment("right"));
  }

  private static String both(String left, String right) {
    return Stream.of(left, right).filter(text -> !text.isEmpty()).collect(Collectors.joining(", "));
  }

  private void moveTo(double share) {
    long time = share >= 1 ? last() : first() + (long) ((last() - first()) * share);
    left.moveTo(time);
    right.moveTo(time);
  }

  /** One of the two sides. */
  private static final class Half {
    private final TimeRange range = new TimeRange();
    private final Player player;
    private final List<TimeSeriesView> charts;
    private final OverviewView overview;
    private final Selection selection = new Selection();
    private final Analyses analyses = new Analyses();
    private final WridsView wrids;
    private final MessagesView messages;
    private final Node order;
    private final StackPane views;
    private final ComboBox<Migration> choice = new ComboBox<>();
    private final Label status = new Label();
    private final Node node;
    private @Nullable SessionPair shown;
    private int rewinds;
    private long leftAt;
    private long rightAt;
    private boolean following = true;
    private long span;

    Half(String id, String which, ObservableList<Migration> migrations, Seeking seeking) {
      player = new Player(seeking);
      // Nothing is searched for here.
      var search = new Search(range, selection, analyses);
      wrids = new WridsView(range, selection, analyses, search, List::of);
      messages = new MessagesView(range, selection, analyses, search, List::of);
      var both = new SplitPane(wrids.node(), messages.node());
      both.setOrientation(Orientation.VERTICAL);
      both.setDividerPositions(0.6);
      order = both;
      charts = List.of(Charts.rates(range), Charts.completions(range), Charts.remaining(range));
      overview =
          new OverviewView(
              new Readings(),
              this::clock,
              _ -> false,
              COLUMNS,
              Stream.concat(
                      charts.stream().map(chart -> new OverviewView.Row(1, List.of(chart))),
                      Stream.of(
                          new OverviewView.Row(
                              1.4, List.of(new ChunksView(range, selection, search, List::of)))))
                  .toList());
      choice.setId(id);
      choice.setItems(migrations);
      choice.setAccessibleText(which);
      Hints.explain(choice, which);
      choice.setConverter(new ChoiceText<>(Migration::name));
      status.getStyleClass().add("muted");
      var head = new HBox(8, choice, status);
      head.setAlignment(Pos.CENTER_LEFT);
      head.getStyleClass().add("steering");
      views = new StackPane(overview.node());
      VBox.setVgrow(views, Priority.ALWAYS);
      node = new VBox(head, views);
    }

    void showOrder(boolean requests) {
      views.getChildren().setAll(requests ? order : overview.node());
    }

    void theme(boolean dark) {
      overview.theme(dark);
      wrids.theme(dark);
      messages.theme(dark);
    }

    void pulse(long now) {
      if (order.getParent() != null) {
        wrids.pulse(now);
        messages.pulse(now);
      } else {
        overview.pulse(now);
      }
    }

    private void renew() {
      analyses.forget();
      selection.select(null);
      overview.show(shown);
      wrids.show(shown);
      messages.show(shown);
    }

    /** Shows what this side did first in another order. */
    void show(Parting.Place place, Parting parting) {
      if (place.event() != null) {
        selection.selectEvent(place.session(), place.event().number());
      }
      range.hold(
          place.sameNanos() + parting.firstNanos() - parting.aroundNanos(),
          place.sameNanos() + parting.lastNanos() + parting.aroundNanos());
    }

    private long clock(long nowNanos) {
      Migration migration = choice.getValue();
      return migration == null ? nowNanos : migration.clock(nowNanos);
    }

    String name() {
      Migration migration = choice.getValue();
      return migration == null ? "nothing" : migration.name();
    }

    boolean isRecorded() {
      return shown != null && player.hasRecording();
    }

    // Times are counted from the moment at which both sides are aligned.

    private long time(long nanos) {
      return nanos - range.originNanos();
    }

    /** The beginning of the recording. */
    long first() {
      return time(player.firstNanos());
    }

    /** The end of the recording. */
    long last() {
      return time(player.lastNanos());
    }

    /** The shown moment. */
    long position() {
      return time(player.position());
    }

    /** The moment to be shown. */
    long wanted() {
      return time(player.wanted());
    }

    /** Whether the moment to be shown is neither its beginning nor its end. */
    boolean isInside() {
      return isRecorded() && wanted() > first() && !isAtItsEnd();
    }

    /** Whether its end is to be shown, or it has none. */
    boolean isAtItsEnd() {
      return !isRecorded() || wanted() >= last();
    }

    /** The shown moment in words; empty if it is not recorded. */
    String moment(String side) {
      return !isRecorded() || position() >= last()
          ? momentAtEnd(side)
          : position() <= first()
              ? "%s at its beginning, %s".formatted(side, Format.moment(position()))
              : "%s at %s".formatted(side, Format.moment(position()));
    }

    /** The end in words; empty if it is not recorded. */
    String momentAtEnd(String side) {
      return isRecorded() ? "%s at its end, %s".formatted(side, Format.moment(last())) : "";
    }

    /** The longest text of {@link #moment}. */
    String widestMoment(String side) {
      String first = Format.moment(first());
      String last = Format.moment(last());
      return !isRecorded()
          ? ""
          : "%s at its beginning, %s"
              .formatted(side, first.length() > last.length() ? first : last);
    }

    void moveTo(long time) {
      player.moveTo(range.originNanos() + time);
    }

    /** Shows the chosen migration, from nothing if it went back in time. */
    void follow() {
      Migration migration = choice.getValue();
      SessionPair pair = migration == null ? null : migration.pair();
      int wound = Player.rewinds(pair);
      if (!Objects.equals(pair, shown)) {
        shown = pair;
        player.show(pair);
        renew();
        if (pair != null) {
          range.reset(pair.originNanos());
          noteTime();
        }
      } else if (wound != rewinds) {
        renew();
      }
      rewinds = wound;
      status.setText(pair == null ? "" : pair.leading().status().qemuName());
    }

    /** Counts times from a moment of its migration, and shows it later by an offset. */
    void align(String at, long offset) {
      if (shown != null) {
        range.countFrom(Alignment.zero(shown, at) - offset, range.originNanos());
      }
    }

    /** When it began. */
    long beginning() {
      return shown == null ? 0 : time(shown.originNanos());
    }

    /** When it ended, or now. */
    long endAt(long now) {
      return shown == null ? 0 : time(player.hasRecording() ? player.lastNanos() : clock(now));
    }

    OffsetStrip.@Nullable Bar bar(long now, long offset) {
      SessionPair of = shown;
      return of == null
          ? null
          : new OffsetStrip.Bar(
              beginning() - offset,
              endAt(now) - offset,
              of.leading().phases().stream()
                  .mapToLong(Phase::nanos)
                  .filter(nanos -> nanos > of.originNanos())
                  .mapToObj(nanos -> time(nanos) - offset)
                  .toList());
    }

    /** Shows this time if the whole migration is shown. */
    void show(long from, long to) {
      range.countFrom(range.originNanos(), range.originNanos() + from);
      range.update(range.originNanos() + to);
    }

    /** Whether the user has zoomed or moved the time of this side since {@link #noteTime}. */
    boolean hasMovedTime() {
      return following != range.isFollowing()
          || (!following
              && (leftAt != range.leftNanos() - range.originNanos()
                  || rightAt != range.rightNanos() - range.originNanos()))
          || span != range.spanNanosProperty().get();
    }

    void noteTime() {
      following = range.isFollowing();
      span = range.spanNanosProperty().get();
      leftAt = range.leftNanos() - range.originNanos();
      rightAt = range.rightNanos() - range.originNanos();
    }
  }
}

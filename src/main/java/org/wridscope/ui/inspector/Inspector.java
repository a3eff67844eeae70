// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.inspector;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import javafx.scene.AccessibleRole;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.Label;
import javafx.scene.control.MenuItem;
import javafx.scene.control.Tooltip;
import javafx.scene.input.Clipboard;
import javafx.scene.input.DataFormat;
import javafx.scene.input.KeyCode;
import javafx.scene.input.KeyCombination;
import javafx.scene.input.MouseButton;
import javafx.scene.layout.BorderPane;
import javafx.scene.layout.ColumnConstraints;
import javafx.scene.layout.GridPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.analysis.meaning.Meaning;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.Event;
import org.wridscope.ui.Readings;
import org.wridscope.ui.Selected;
import org.wridscope.ui.Selection;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.TitledView;
import org.wridscope.ui.VerticalScroll;

/** Describes the selection, or the migration when nothing is selected. */
public final class Inspector extends TitledView<BorderPane> {
  private static final Description NOTHING =
      new Description(
          "Nothing selected",
          "Start or select a migration; what you select in a view is described here.",
          List.of());

  private static final double LEAST_WIDTH = 200;
  private static final double WIDEST_NAME = 112;

  /** Characters that always fit beside a name. */
  private static final int LONGEST_WORD = 18;

  private static final double TIP_WIDTH = 420;
  private static final KeyCombination COPY = KeyCombination.valueOf("Shortcut+C");

  private final Readings readings;
  private final TimeRange range;
  private final Selection selection;
  private final Executor background;

  private final Label title = new Label();
  private final Label explanation = new Label();
  private final VBox sections = new VBox();
  private final Button clear = new Button("", new FontIcon(Feather.X));
  private final AtomicBoolean reading = new AtomicBoolean();
  private @Nullable SessionPair pair;
  private @Nullable ChunkHistory history;
  private Description shown = NOTHING;
  private long moment;

  /**
   * @param readings what the window reads of sessions
   * @param range shows the moments to which fields lead
   * @param background searches event logs
   */
  public Inspector(Readings readings, TimeRange range, Selection selection, Executor background) {
    super("Inspector", new BorderPane());
    this.readings = readings;
    this.range = range;
    this.selection = selection;
    this.background = background;
    title.getStyleClass().add("inspector-title");
    title.setId("inspector-title");
    title.setWrapText(true);
    title.setMaxWidth(Double.MAX_VALUE);
    HBox.setHgrow(title, Priority.ALWAYS);
    clear.getStyleClass().addAll("flat", "button-icon", "small");
    clear.setTooltip(new Tooltip("Clear the selection (Escape)"));
    clear.setAccessibleText("Clear the selection");
    clear.setOnAction(_ -> selection.select(null));
    explanation.getStyleClass().add("inspector-explanation");
    explanation.setWrapText(true);
    explanation.setMinHeight(Region.USE_PREF_SIZE);
    sections.getStyleClass().add("inspector-sections");
    var head = new VBox(new HBox(title, clear), explanation);
    head.getStyleClass().add("inspector-head");
    root.setTop(head);
    root.setCenter(new VerticalScroll(sections));
    root.getStyleClass().add("inspector");
    root.setId("inspector");
    root.setMinWidth(LEAST_WIDTH);
    selection.selectedProperty().subscribe(_ -> refresh());
  }

  @Override
  public void show(@Nullable SessionPair newPair) {
    pair = newPair;
    refresh();
  }

  @Override
  public void pulse(long nowNanos) {
    long current = readings.moment(nowNanos);
    if (current != moment) {
      moment = current;
      refresh();
    }
  }

  private void refresh() {
    Selected selected = selection.get();
    clear.setVisible(selected != null);
    Description now =
        selected != null
            ? Describer.describe(selected, pair, history(selected), found(selected))
            : pair != null ? Describer.describe(pair, readings) : NOTHING;
    if (!now.equals(shown) || title.getText().isEmpty()) {
      set(now);
    }
  }

  /** How many events the history has, of which only the newest are kept. */
  private long found(Selected selected) {
    return selected instanceof Selected.Chunk && history != null ? history.count() : 0;
  }

  private List<Event> history(Selected selected) {
    if (!(selected instanceof Selected.Chunk(var session, var block, var chunk))) {
      history = null;
      return List.of();
    }
    ChunkHistory of = history;
    if (of == null || !of.isOf(session, block, chunk)) {
      of = new ChunkHistory(session, block, chunk);
      history = of;
    }
    ChunkHistory read = of;
    if (reading.compareAndSet(false, true)) {
      background.execute(() -> {
        try {
          read.readOn();
        } finally {
          reading.set(false);
        }
      });
    }
    return of.events();
  }

  private void set(Description description) {
    title.setText(description.title());
    explanation.setText(description.explanation());
    var nodes = new ArrayList<Node>();
    for (Description.Section section : description.sections()) {
      nodes.add(node(section));
    }
    if (!nodes.equals(sections.getChildren())) {
      sections.getChildren().setAll(nodes);
    }
    shown = description;
  }

  /** The node of a section; the one that is there, in which one may have the focus, if it fits. */
  private Section node(Description.Section section) {
    for (int i = 0; i < shown.sections().size(); i++) {
      Description.Section before = shown.sections().get(i);
      if (before.heading().equals(section.heading()) && sameShape(before, section)) {
        var node = (Section) sections.getChildren().get(i);
        node.update(before.fields(), section.fields());
        return node;
      }
    }
    return new Section(section, this::lead);
  }

  /** Whether only values differ. */
  private static boolean sameShape(Description.Section one, Description.Section other) {
    if (!one.texts().equals(other.texts()) || one.fields().size() != other.fields().size()) {
      return false;
    }
    for (int i = 0; i < one.fields().size(); i++) {
      Description.Field here = one.fields().get(i);
      Description.Field there = other.fields().get(i);
      if (!here.name().equals(there.name()) || here.nanos() != there.nanos()) {
        return false;
      }
    }
    return true;
  }

  /** Shows a moment, with the cursor at it. */
  private void lead(long nanos) {
    range.reveal(nanos);
    range.cursorNanosProperty().set(nanos);
  }

  /** One section; its values can be copied. */
  private static final class Section extends VBox {
    final List<Label> values;

    /**
     * @param lead shows the moment to which a field leads
     */
    Section(Description.Section section, LongConsumer lead) {
      getStyleClass().add("inspector-section");
      if (!section.heading().isEmpty()) {
        var heading = new Label(section.heading());
        heading.getStyleClass().add("inspector-heading");
        heading.setWrapText(true);
        heading.setMinHeight(Region.USE_PREF_SIZE);
        getChildren().add(heading);
      }
      var grid = new GridPane();
      grid.getStyleClass().add("inspector-fields");
      var names = new ColumnConstraints();
      names.setMinWidth(Region.USE_PREF_SIZE);
      var texts = new ColumnConstraints();
      texts.setHgrow(Priority.ALWAYS);
      texts.setMinWidth(0);
      grid.getColumnConstraints().addAll(names, texts);
      // One for all values: a menu of its own would take longer than the value.
      var copy = new MenuItem("Copy");
      var menu = new ContextMenu(copy);
      copy.setOnAction(_ -> copy((Label) menu.getOwnerNode()));
      values = section.fields().stream().map(field -> value(field, menu, lead)).toList();
      int row = 0;
      for (int i = 0; i < values.size(); i++) {
        Description.Field field = section.fields().get(i);
        var name = new Label(field.name());
        // Values need the room more, and are cut off.
        name.setMaxWidth(WIDEST_NAME);
        name.setWrapText(true);
        name.setMinHeight(Region.USE_PREF_SIZE);
        name.getStyleClass().addAll("inspector-name", "number");
        name.setLabelFor(values.get(i));
        if (!field.hint().isEmpty()) {
          name.setTooltip(new Tooltip(field.hint()));
        }
        grid.add(name, 0, row);
        if (hasLongWord(field.value())) {
          // Beside its name it would be broken within the word.
          grid.add(values.get(i), 0, ++row, 2, 1);
        } else {
          grid.add(values.get(i), 1, row);
        }
        row++;
      }
      getChildren().add(grid);
      for (Meaning.Paragraph paragraph : section.texts()) {
        var name = new Label(paragraph.heading());
        name.getStyleClass().addAll("inspector-name", "number");
        var text = new Label(paragraph.text());
        text.getStyleClass().add("inspector-text");
        text.setWrapText(true);
        text.setMinHeight(Region.USE_PREF_SIZE);
        name.setLabelFor(text);
        getChildren().addAll(name, text);
      }
    }

    void update(List<Description.Field> before, List<Description.Field> now) {
      for (int i = 0; i < now.size(); i++) {
        if (!now.get(i).value().equals(before.get(i).value())) {
          values.get(i).setText(now.get(i).value());
        }
      }
    }

    /** Whether a word of a text does not fit beside a name. */
    private static boolean hasLongWord(String text) {
      return Arrays.stream(text.split(" ")).anyMatch(word -> word.length() > LONGEST_WORD);
    }

    private static Label value(Description.Field field, ContextMenu menu, LongConsumer lead) {
      var value = new Label(field.value());
      value.setMinWidth(0);
      if (field.leads()) {
        value.getStyleClass().add("inspector-link");
        value.setFocusTraversable(true);
        value.setAccessibleRole(AccessibleRole.HYPERLINK);
      }
      value.setMaxWidth(Double.MAX_VALUE);
      value.getStyleClass().add("inspector-value");
      value.setWrapText(true);
      value.setMinHeight(Region.USE_PREF_SIZE);
      value.setContextMenu(menu);
      value.setOnMouseClicked(click -> {
        if (click.getButton() == MouseButton.PRIMARY) {
          value.requestFocus();
          if (field.leads() && click.getClickCount() == 1) {
            lead.accept(field.nanos());
          }
          if (click.getClickCount() == 2) {
            copy(value);
          }
        }
      });
      value.setOnKeyPressed(key -> {
        if (COPY.match(key)) {
          copy(value);
          key.consume();
        } else if (field.leads()
            && (key.getCode() == KeyCode.ENTER || key.getCode() == KeyCode.SPACE)) {
          lead.accept(field.nanos());
          key.consume();
        }
      });
      var tip = new Tooltip();
      tip.setWrapText(true);
      tip.setMaxWidth(TIP_WIDTH);
      value.setTooltip(tip);
      value
          .textProperty()
          .subscribe(text ->
              tip.setText(
                  (field.leads() ? "Click, or Enter, to see it in its time.\n" : "")
                      + tip(field.hint(), text)));
      return value;
    }

    private static String tip(String hint, String text) {
      String whole =
          "%s\nClick and %s, or double-click, to copy.".formatted(text, COPY.getDisplayText());
      return hint.isEmpty() ? whole : hint + "\n" + whole;
    }

    private static void copy(Label value) {
      Clipboard.getSystemClipboard().setContent(Map.of(DataFormat.PLAIN_TEXT, value.getText()));
    }
  }
}

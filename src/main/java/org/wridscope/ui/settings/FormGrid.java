// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.io.File;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;
import javafx.geometry.Bounds;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.CheckBox;
import javafx.scene.control.Control;
import javafx.scene.control.Label;
import javafx.scene.control.TextField;
import javafx.scene.layout.ColumnConstraints;
import javafx.scene.layout.GridPane;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.stage.FileChooser;
import javafx.stage.Window;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.settings.Place;
import org.wridscope.settings.Setting;
import org.wridscope.settings.SettingTable;
import org.wridscope.ui.Hints;
import org.wridscope.ui.Presence;
import org.wridscope.ui.SuggestionBox;
import org.wridscope.ui.VerticalScroll;

/**
 * The inputs of a form in a scroll pane. Enters what the user does into the form. What few need is
 * folded, unless it has another value than usual, or an error.
 */
final class FormGrid {
  /** Space above and below a field that is scrolled into view. */
  private static final double MARGIN = 8;

  private final Form form;
  private final Runnable edited;
  private final Runnable left;
  private final Map<Field, FieldRow> rows = new LinkedHashMap<>();
  private final Map<Setting<Boolean>, CheckBox> boxes = new LinkedHashMap<>();
  private final Map<Field, SuggestionBox> choices = new HashMap<>();
  private final GridPane grid = new GridPane();
  private final VerticalScroll scroll = new VerticalScroll(grid);
  private final Button more = new Button("", new FontIcon(Feather.CHEVRON_RIGHT));
  private Runnable unfolding = () -> {};
  private boolean unfolded;
  private BiConsumer<Field, FileChooser> begin = (_, _) -> {};

  /**
   * @param edited called when a value was changed in the form
   * @param left called when a text field has lost the focus
   */
  FormGrid(Form form, Runnable edited, Runnable left) {
    this.form = form;
    this.edited = edited;
    this.left = left;
    grid.getStyleClass().add("dialog-grid");
    var labels = new ColumnConstraints();
    labels.setMinWidth(Region.USE_PREF_SIZE);
    var values = new ColumnConstraints();
    values.setHgrow(Priority.ALWAYS);
    grid.getColumnConstraints().addAll(labels, values);
    more.setId("dialog-more");
    more.getStyleClass().addAll("flat", "small");
    more.setOnAction(_ -> {
      fold(!unfolded);
      unfolding.run();
    });
  }

  /** Sets what is to be called when the user has folded or unfolded what few need. */
  void onUnfolding(Runnable action) {
    unfolding = action;
  }

  Node node() {
    return scroll;
  }

  /** Adds a line with any control. */
  void add(String caption, Control control, String hint) {
    var label = new Label(caption);
    label.setLabelFor(control);
    label.setTooltip(Hints.tip(hint));
    Hints.explain(control, hint);
    grid.addRow(grid.getRowCount(), label, control);
  }

  /** Adds a text field, with suggestions if there are known values or may be later. */
  void add(Field field) {
    List<String> known = field.choices();
    if (known.isEmpty() && field != Field.URI) {
      var text = new TextField();
      add(field, text, text);
    } else {
      addSuggesting(field, known);
    }
  }

  /** Adds the settings that can be given in one of these places; those that few need come last. */
  void addAt(Place... places) {
    List<Setting<?>> settings = SettingTable.at(places).stream().filter(Setting::isInput).toList();
    addAt(settings, false, places);
    grid.add(more, 1, grid.getRowCount());
    addAt(settings, true, places);
  }

  private void addAt(List<Setting<?>> settings, boolean seldom, Place... places) {
    settings.stream()
        .filter(setting -> setting.isSeldom() == seldom && !setting.isFlag())
        .map(Field::of)
        .forEach(this::add);
    Stream.of(places)
        .flatMap(place -> Form.flagsAt(place).stream())
        .distinct()
        .filter(flag -> flag.isSeldom() == seldom)
        .sorted(Comparator.comparingInt(settings::indexOf))
        .forEach(this::add);
  }

  private void addSuggesting(Field field, List<String> suggestions) {
    var box = new SuggestionBox();
    box.offer(suggestions);
    box.prompt(field.prompt());
    box.setId("dialog-" + field.name());
    choices.put(field, box);
    add(field, box.getEditor(), box);
  }

  private void add(Field field, TextField text, Control control) {
    text.setText(form.get(field));
    var row = new FieldRow(field, text, control);
    if (Field.OF_FILES.contains(field)) {
      row.add(browseButton(field, text));
    }
    row.addTo(grid, grid.getRowCount());
    rows.put(field, row);
    text.textProperty()
        .subscribe((_, typed) -> {
          form.set(field, typed);
          edited.run();
        });
    text.focusedProperty()
        .subscribe((before, now) -> {
          if (before && !now) {
            left.run();
          }
        });
  }

  /** Sets what lets the file chooser of an empty field begin somewhere. */
  void beginChoosers(BiConsumer<Field, FileChooser> begin) {
    this.begin = begin;
  }

  private Button browseButton(Field field, TextField text) {
    boolean existing = field == Field.FILE || field == Field.RESTORE;
    var button = new Button("", new FontIcon(Feather.FOLDER));
    button.getStyleClass().add("button-icon");
    button.setAccessibleText("Choose a file");
    button.setOnAction(_ -> {
      var chooser = new FileChooser();
      chooser.setTitle(field.label());
      begin.accept(field, chooser);
      var typed = new File(text.getText()).getParentFile();
      if (typed != null && typed.isDirectory()) {
        chooser.setInitialDirectory(typed);
      }
      Window window = scroll.getScene().getWindow();
      File file = existing ? chooser.showOpenDialog(window) : chooser.showSaveDialog(window);
      if (file != null) {
        text.setText(file.getPath());
      }
    });
    return button;
  }

  /** Adds a check box. */
  void add(Setting<Boolean> flag) {
    var box = new CheckBox(flag.label());
    box.setId("dialog-" + flag.name());
    Hints.explain(box, flag.hint());
    box.setSelected(form.has(flag));
    box.selectedProperty()
        .subscribe((_, selected) -> {
          form.set(flag, selected);
          edited.run();
        });
    boxes.put(flag, box);
    grid.add(box, 1, grid.getRowCount());
  }

  /** Shows what is in the form now, and only the inputs that matter. */
  void refresh() {
    rows.forEach((field, row) -> row.text().setText(form.get(field)));
    boxes.forEach((flag, box) -> box.setSelected(form.has(flag)));
    fold(unfolded || !form.isSeldomUsual());
  }

  /** Shows the inputs that matter; those that few need only if they are unfolded. */
  private void fold(boolean open) {
    unfolded = open;
    Set<Field> fields = form.fields();
    Set<Setting<Boolean>> flags = form.flags();
    rows.forEach((field, row) -> row.show(fields.contains(field) && (open || !field.isSeldom())));
    boxes.forEach(
        (flag, box) -> Presence.set(box, flags.contains(flag) && (open || !flag.isSeldom())));
    long folded =
        fields.stream().filter(field -> rows.containsKey(field) && field.isSeldom()).count()
            + flags.stream().filter(flag -> boxes.containsKey(flag) && flag.isSeldom()).count();
    Presence.set(more, folded > 0);
    more.setText(open ? "Fewer settings" : "More settings (%s)".formatted(folded));
    more.setGraphic(new FontIcon(open ? Feather.CHEVRON_DOWN : Feather.CHEVRON_RIGHT));
  }

  /** Sets the example of an empty field with suggestions. */
  void setPrompt(Field field, String prompt) {
    choice(field).prompt(prompt);
  }

  /** The control of a field with suggestions. */
  SuggestionBox choice(Field field) {
    return Objects.requireNonNull(choices.get(field));
  }

  /** Adds devices to choose from. */
  void offerDevices(List<String> names) {
    List<String> devices = choice(Field.DEVICE).getItems();
    names.stream().filter(name -> !devices.contains(name)).forEach(devices::add);
  }

  /**
   * Shows the error of each field, and scrolls to a new one; an empty sentence is no error.
   * Disables flags without an effect.
   */
  void showErrors(Function<Field, String> errors) {
    boxes.forEach((flag, box) -> box.setDisable(!form.isUseful(flag)));
    rows.forEach((field, row) -> {
      String error = errors.apply(field);
      if (!error.isEmpty() && field.isSeldom() && !unfolded) {
        fold(true);
        unfolding.run();
      }
      if (row.setError(error)) {
        reveal(row);
      }
    });
  }

  /** The labels of the fields with an error. */
  List<String> wrongFields() {
    return rows.entrySet().stream()
        .filter(row -> row.getValue().hasError())
        .map(row -> row.getKey().label())
        .toList();
  }

  /** Focuses the first of these fields, if there is one. */
  void focusFirst(Collection<Field> fields) {
    fields.stream()
        .map(rows::get)
        .filter(Objects::nonNull)
        .findFirst()
        .ifPresent(row -> {
          fold(unfolded || row.isSeldom());
          row.text().requestFocus();
          reveal(row);
        });
  }

  /** Scrolls until a field and its error are in view. */
  private void reveal(FieldRow row) {
    if (scroll.getScene() == null) {
      return;
    }
    scroll.getScene().getRoot().layout();
    Bounds line = row.bounds();
    double shown = scroll.getViewportBounds().getHeight();
    double hidden = grid.getLayoutBounds().getHeight() - shown;
    if (hidden > 0) {
      double top = scroll.getVvalue() * hidden;
      double moved =
          Math.min(Math.max(top, line.getMaxY() + MARGIN - shown), line.getMinY() - MARGIN);
      scroll.setVvalue(Math.clamp(moved / hidden, 0, 1));
    }
  }
}

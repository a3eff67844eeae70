// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.io.File;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import javafx.geometry.Bounds;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.CheckBox;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Control;
import javafx.scene.control.Label;
import javafx.scene.control.TextField;
import javafx.scene.control.ToggleButton;
import javafx.scene.control.ToggleGroup;
import javafx.scene.layout.ColumnConstraints;
import javafx.scene.layout.GridPane;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.stage.FileChooser;
import javafx.stage.Window;
import org.controlsfx.control.SegmentedButton;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.control.DeviceChoice;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.guest.virtio.VirtioPolicy;
import org.wridscope.ui.VerticalScroll;
import org.wridscope.ui.settings.SettingsForm.Field;
import org.wridscope.ui.settings.SettingsForm.GuestKind;
import org.wridscope.ui.settings.SettingsForm.Kind;
import org.wridscope.ui.settings.SettingsForm.Option;

/** The inputs of a form in a scroll pane. Enters what the user does into the form. */
final class FormGrid {
  /** Space above and below a field that is scrolled into view. */
  private static final double MARGIN = 8;

  /** Fields above the choice of the guest. */
  private static final Set<Field> ABOVE_GUEST = EnumSet.of(Field.URI, Field.DEVICE, Field.ALLOW);

  /** Receives what the user does. */
  interface Listener {
    /** A value was changed in the form. */
    void edited();

    /** A text field has lost the focus. */
    void left();

    /** Another guest was chosen, which shows other fields. */
    void rearranged();
  }

  private final SettingsForm form;
  private final Listener listener;
  private final Map<Field, FieldRow> rows = new EnumMap<>(Field.class);
  private final ComboBox<String> uris = new ComboBox<>();
  private final ComboBox<String> devices = new ComboBox<>();
  private final GridPane grid = new GridPane();
  private final VerticalScroll scroll = new VerticalScroll(grid);
  private int rowCount;

  FormGrid(SettingsForm form, Listener listener) {
    this.form = form;
    this.listener = listener;
    grid.getStyleClass().add("dialog-grid");
    var labels = new ColumnConstraints();
    labels.setMinWidth(Region.USE_PREF_SIZE);
    var values = new ColumnConstraints();
    values.setHgrow(Priority.ALWAYS);
    grid.getColumnConstraints().addAll(labels, values);
    ABOVE_GUEST.forEach(this::addField);
    grid.addRow(rowCount++, new Label("Guest"), guestChoice());
    Stream.of(Field.values()).filter(field -> !ABOVE_GUEST.contains(field)).forEach(this::addField);
    form.options().forEach(this::addOption);
    showFields();
  }

  Node node() {
    return scroll;
  }

  private void addField(Field field) {
    TextField text;
    Control control;
    switch (field) {
      case URI -> {
        // Only a source has known addresses to choose from.
        text = form.kind() == Kind.SOURCE ? uris.getEditor() : new TextField();
        control = form.kind() == Kind.SOURCE ? choice(uris, field, "dialog-uris") : text;
      }
      case DEVICE -> {
        devices.getItems().setAll("", DeviceChoice.SOFTWARE);
        text = devices.getEditor();
        control = choice(devices, field, "dialog-devices");
      }
      case VIRTIO_FAULT -> {
        var faults = new ComboBox<String>();
        Stream.of(VirtioFault.values())
            .map(fault -> fault == VirtioFault.NONE ? "" : fault.text())
            .forEach(faults.getItems()::add);
        text = faults.getEditor();
        control = choice(faults, field, "dialog-virtio-faults");
      }
      case VIRTIO_POLICY -> {
        var policies = new ComboBox<String>();
        Stream.of(VirtioPolicy.values())
            .map(policy -> policy == VirtioPolicy.WHOLE_STATE ? "" : policy.text())
            .forEach(policies.getItems()::add);
        text = policies.getEditor();
        control = choice(policies, field, "dialog-virtio-policies");
      }
      default -> {
        text = new TextField();
        control = text;
      }
    }
    text.setText(form.get(field));
    var row = new FieldRow(field, text, control);
    switch (field) {
      case FILE, RESTORE -> row.add(browseButton(field, text, true));
      case OUT, CAPTURE -> row.add(browseButton(field, text, false));
      default -> {}
    }
    row.addTo(grid, rowCount++);
    rows.put(field, row);
    text.textProperty()
        .subscribe((_, typed) -> {
          form.set(field, typed);
          listener.edited();
        });
    text.focusedProperty()
        .subscribe((before, now) -> {
          if (before && !now) {
            listener.left();
          }
        });
  }

  private static ComboBox<String> choice(ComboBox<String> box, Field field, String id) {
    box.setEditable(true);
    box.setPromptText(field.prompt());
    box.setMaxWidth(Double.MAX_VALUE);
    box.setId(id);
    return box;
  }

  private Button browseButton(Field field, TextField text, boolean existing) {
    var button = new Button("", new FontIcon(Feather.FOLDER));
    button.getStyleClass().add("button-icon");
    button.setAccessibleText("Choose a file");
    button.setOnAction(_ -> {
      var chooser = new FileChooser();
      chooser.setTitle(field.label());
      Window window = scroll.getScene().getWindow();
      File file = existing ? chooser.showOpenDialog(window) : chooser.showSaveDialog(window);
      if (file != null) {
        text.setText(file.getPath());
      }
    });
    return button;
  }

  private SegmentedButton guestChoice() {
    var choice = new SegmentedButton();
    var group = new ToggleGroup();
    choice.setToggleGroup(group);
    for (GuestKind kind : GuestKind.values()) {
      if (kind == GuestKind.STREAM && form.kind() == Kind.LAB) {
        continue;
      }
      var button = new ToggleButton(text(kind));
      button.setId("dialog-" + kind.name().toLowerCase(Locale.ROOT));
      button.setUserData(kind);
      button.setToggleGroup(group);
      choice.getButtons().add(button);
      if (kind == form.guest()) {
        group.selectToggle(button);
      }
    }
    group
        .selectedToggleProperty()
        .subscribe((before, now) -> {
          if (now == null) {
            group.selectToggle(before);
          } else if (now.getUserData() instanceof GuestKind kind && kind != form.guest()) {
            form.setGuest(kind);
            showFields();
            listener.rearranged();
          }
        });
    return choice;
  }

  private String text(GuestKind kind) {
    return switch (kind) {
      case SYNTHETIC -> "Synthetic";
      case IMAGE -> "Image file";
      case STREAM -> form.kind() == Kind.SOURCE ? "Restore" : "Capture";
    };
  }

  private void addOption(Option option) {
    var box = new CheckBox(option.label());
    box.setId("dialog-" + option.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    box.setSelected(form.has(option) && (option != Option.UNREGISTER || !form.has(Option.PIN_ALL)));
    box.selectedProperty()
        .subscribe((_, selected) -> {
          form.set(option, selected);
          if (option == Option.PIN_ALL) {
            grid.lookup("#dialog-unregister").setDisable(selected);
          }
          listener.edited();
        });
    if (option == Option.UNREGISTER) {
      box.setDisable(form.has(Option.PIN_ALL));
    }
    grid.add(box, 1, rowCount++);
  }

  private void showFields() {
    Set<Field> fields = form.fields();
    rows.forEach((field, row) -> row.show(fields.contains(field)));
  }

  /** Adds devices to choose from. */
  void offerDevices(List<String> names) {
    names.stream()
        .filter(name -> !devices.getItems().contains(name))
        .forEach(devices.getItems()::add);
  }

  /** Offers destinations as the URI; choosing one also sets the guest's size. */
  void offerDestinations(List<Listening> destinations) {
    uris.getItems().setAll(destinations.stream().map(Listening::uri).toList());
    uris.setOnAction(_ ->
        destinations.stream()
            .filter(destination -> destination.uri().equals(uris.getValue()))
            .forEach(destination -> {
              destination.fill(form);
              rows.forEach((field, row) -> row.text().setText(form.get(field)));
            }));
  }

  /** Shows the error of each field, and scrolls to a new one; an empty sentence is no error. */
  void showErrors(Function<Field, String> errors) {
    rows.forEach((field, row) -> {
      if (row.setError(errors.apply(field))) {
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

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javafx.geometry.Pos;
import javafx.scene.Scene;
import javafx.scene.control.Button;
import javafx.scene.control.CheckBox;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Control;
import javafx.scene.control.Label;
import javafx.scene.control.TextField;
import javafx.scene.control.ToggleButton;
import javafx.scene.control.ToggleGroup;
import javafx.scene.layout.BorderPane;
import javafx.scene.layout.ColumnConstraints;
import javafx.scene.layout.GridPane;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import javafx.stage.Modality;
import javafx.stage.Screen;
import javafx.stage.Stage;
import javafx.stage.Window;
import org.controlsfx.control.SegmentedButton;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.DeviceChoice;
import org.wridscope.control.qemu.QemuConnection;
import org.wridscope.guest.qemu.DirtyLogChoice;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.ui.VerticalScroll;
import org.wridscope.ui.settings.QemuMigrationForm.Engine;
import org.wridscope.ui.settings.QemuMigrationForm.Field;
import org.wridscope.ui.settings.QemuMigrationForm.Option;

/** Asks how the guest of a QEMU is to be migrated. For the JavaFX thread only. */
public final class QemuMigrationDialog {
  private static final double WIDTH = 560;

  /** Height of a desktop's title bar and a margin. */
  private static final double DECORATION = 48;

  private final QemuMigrationForm form;
  private final Consumer<QemuMigrationForm.Plan> accepted;
  private final Stage stage = new Stage();
  private final BorderPane root;
  private final GridPane grid = new GridPane();
  private final Map<Field, FieldRow> rows = new EnumMap<>(Field.class);
  private final Map<Option, CheckBox> boxes = new EnumMap<>(Option.class);
  private final ComboBox<String> devices = new ComboBox<>();
  private final Label engineText = new Label();
  private final Label hindrance = new Label();
  private final Button accept = new Button("Start");

  /** Whether the form is being shown, so that what the controls report was not typed. */
  private boolean showing;

  /** An end to choose; without an address it is elsewhere. */
  private record End(@Nullable QmpAddress address, String text) {
    @Override
    public String toString() {
      return text;
    }
  }

  /**
   * @param form shown at first, and changed by the user
   * @param accepted receives what is to be started
   */
  public QemuMigrationDialog(
      Window owner, QemuMigrationForm form, Consumer<QemuMigrationForm.Plan> accepted) {
    this.form = form;
    this.accepted = accepted;
    grid.getStyleClass().add("dialog-grid");
    var labels = new ColumnConstraints();
    labels.setMinWidth(Region.USE_PREF_SIZE);
    var values = new ColumnConstraints();
    values.setHgrow(Priority.ALWAYS);
    grid.getColumnConstraints().addAll(labels, values);
    addEnds();
    addEngine();
    Stream.of(Field.values()).forEach(this::addField);
    Stream.of(Option.values()).forEach(this::addOption);

    accept.setDefaultButton(true);
    accept.setId("qemu-accept");
    accept.setOnAction(_ -> accept());
    var cancel = new Button("Cancel");
    cancel.setCancelButton(true);
    cancel.setId("qemu-cancel");
    cancel.setOnAction(_ -> stage.close());
    for (Button button : List.of(cancel, accept)) {
      button.setMinWidth(Region.USE_PREF_SIZE);
    }
    hindrance.setId("qemu-hindrance");
    hindrance.getStyleClass().add("field-error");
    hindrance.setWrapText(true);
    hindrance.setMinHeight(Region.USE_PREF_SIZE);
    hindrance.setMaxWidth(Double.MAX_VALUE);
    HBox.setHgrow(hindrance, Priority.ALWAYS);
    var buttons = new HBox(8, hindrance, cancel, accept);
    buttons.setAlignment(Pos.CENTER_LEFT);
    buttons.getStyleClass().add("dialog-buttons");
    var title = new Label("Migrate the guest of a QEMU");
    title.getStyleClass().add("dialog-title");
    engineText.getStyleClass().add("muted");
    engineText.setWrapText(true);
    engineText.setMinHeight(Region.USE_PREF_SIZE);
    var head = new VBox(title, engineText);
    head.getStyleClass().add("dialog-head");
    root = new BorderPane(new VerticalScroll(grid), head, null, buttons, null);
    root.getStyleClass().addAll("start-dialog", "window-root");
    root.setPrefWidth(WIDTH);
    var scene = new Scene(root);
    Scene ownerScene = Objects.requireNonNull(owner.getScene(), "the owner has no scene");
    scene.getStylesheets().setAll(ownerScene.getStylesheets());
    root.setStyle(ownerScene.getRoot().getStyle());
    stage.setScene(scene);
    stage.setTitle("Wridscope: migrate the guest of a QEMU");
    stage.initOwner(owner);
    stage.initModality(Modality.WINDOW_MODAL);
    stage.setMinWidth(460);
    refresh();
  }

  private void addEnds() {
    addEnd("From", "qemu-from", "another host", form.sources(), form.source(), form::setSource);
    addEnd(
        "To",
        "qemu-to",
        "another host, which listens already",
        form.destinations(),
        form.destination(),
        form::setDestination);
  }

  private void addEnd(
      String caption,
      String id,
      String elsewhere,
      List<QemuConnection> qemus,
      @Nullable QmpAddress chosen,
      Consumer<@Nullable QmpAddress> choose) {
    var box = new ComboBox<End>();
    box.setId(id);
    box.setMaxWidth(Double.MAX_VALUE);
    var ends = new ArrayList<End>();
    qemus.forEach(qemu -> ends.add(new End(qemu.address(), text(qemu))));
    ends.add(new End(null, elsewhere));
    box.getItems().setAll(ends);
    box.getSelectionModel()
        .select(
            ends.stream()
                .filter(end -> Objects.equals(end.address(), chosen))
                .findFirst()
                .orElseThrow());
    box.setOnAction(_ -> {
      End end = box.getValue();
      choose.accept(end == null ? null : end.address());
      rearranged();
    });
    var label = new Label(caption);
    label.setLabelFor(box);
    label.getStyleClass().add("dialog-label");
    grid.addRow(grid.getRowCount(), label, box);
  }

  private static String text(QemuConnection qemu) {
    String title = qemu.title();
    String address = qemu.address().toString();
    return title.equals(address) ? address : title + "  ·  " + address;
  }

  private void addEngine() {
    var choice = new SegmentedButton();
    var group = new ToggleGroup();
    choice.setToggleGroup(group);
    for (Engine engine : Engine.values()) {
      var button = new ToggleButton(engine.text());
      button.setId("qemu-engine-" + engine.name().toLowerCase(Locale.ROOT));
      button.setUserData(engine);
      button.setToggleGroup(group);
      choice.getButtons().add(button);
      if (engine == form.engine()) {
        group.selectToggle(button);
      }
    }
    group
        .selectedToggleProperty()
        .subscribe((before, now) -> {
          if (now == null) {
            group.selectToggle(before);
          } else if (now.getUserData() instanceof Engine engine && engine != form.engine()) {
            form.setEngine(engine);
            rearranged();
          }
        });
    grid.addRow(grid.getRowCount(), new Label("Engine"), choice);
  }

  private void addField(Field field) {
    TextField text;
    Control control;
    switch (field) {
      case DEVICE -> {
        devices.getItems().setAll("", DeviceChoice.SOFTWARE);
        text = devices.getEditor();
        control = editable(devices, field);
      }
      case DIRTY_LOG -> {
        var logs = new ComboBox<String>();
        logs.getItems()
            .setAll(Stream.of(DirtyLogChoice.values()).map(DirtyLogChoice::text).toList());
        text = logs.getEditor();
        control = editable(logs, field);
      }
      default -> {
        text = new TextField();
        control = text;
      }
    }
    var row = new FieldRow("qemu_" + field.name(), field.label(), field.prompt(), text, control);
    row.addTo(grid, grid.getRowCount());
    rows.put(field, row);
    text.textProperty()
        .subscribe((_, typed) -> {
          if (!showing) {
            form.set(field, typed);
            showErrors();
          }
        });
  }

  private static ComboBox<String> editable(ComboBox<String> box, Field field) {
    box.setEditable(true);
    box.setPromptText(field.prompt());
    box.setMaxWidth(Double.MAX_VALUE);
    return box;
  }

  private void addOption(Option option) {
    var box = new CheckBox(option.label());
    box.setId("qemu-" + option.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    box.setSelected(form.has(option));
    box.setWrapText(true);
    box.selectedProperty().subscribe((_, selected) -> form.set(option, selected));
    boxes.put(option, box);
    grid.add(box, 1, grid.getRowCount());
  }

  private void rearranged() {
    refresh();
    fit();
  }

  /** Shows the form. */
  private void refresh() {
    showing = true;
    rows.forEach((field, row) -> {
      row.show(form.fields().contains(field));
      row.text().setText(form.get(field));
    });
    showing = false;
    FieldRow address = rows.get(Field.URI);
    if (address != null) {
      address.text().setPromptText(form.addressPrompt());
    }
    boxes.forEach((option, box) -> {
      boolean shown = form.options().contains(option);
      box.setVisible(shown);
      box.setManaged(shown);
    });
    engineText.setText(
        switch (form.engine()) {
          case WRIDSCOPE ->
              "Wridscope shares the RAM of the QEMU and sends it over RDMA, visible in every view."
                  + " Neither QEMU needs RDMA built in.";
          case QEMU ->
              "The QEMUs transfer the guest by themselves. Wridscope starts that, steers it, and"
                  + " shows what QMP tells; work requests cannot be seen.";
        });
    showErrors();
  }

  private void showErrors() {
    boxes.forEach((option, box) -> box.setDisable(!form.isUseful(option)));
    Map<Field, String> errors = form.errors();
    rows.forEach((field, row) -> {
      boolean _ = row.setError(withoutLabel(field, errors.getOrDefault(field, "")));
    });
    String sentence = form.hindrance();
    if (!sentence.equals(hindrance.getText())) {
      hindrance.setText(sentence);
      fit();
    }
    accept.setDisable(!sentence.isEmpty());
  }

  /** A message without the name of its field, which it may begin with. */
  private static String withoutLabel(Field field, String error) {
    for (String label : List.of(field.label() + ": ", "URI: ")) {
      if (error.startsWith(label)) {
        String rest = error.substring(label.length());
        return Character.toUpperCase(rest.charAt(0)) + rest.substring(1);
      }
    }
    return error;
  }

  /** Adds installed devices to choose from. */
  public void offerDevices(List<String> names) {
    names.stream()
        .filter(name -> !devices.getItems().contains(name))
        .forEach(devices.getItems()::add);
  }

  /** Shows the dialog; returns at once. */
  public void show() {
    root.applyCss();
    fit();
    stage.show();
  }

  /** Sets the height that all fields need, limited by the screen; then the fields scroll. */
  private void fit() {
    root.setPrefHeight(Region.USE_COMPUTED_SIZE);
    double most = Screen.getPrimary().getVisualBounds().getHeight() - DECORATION;
    root.setPrefHeight(Math.min(root.prefHeight(WIDTH), most));
    stage.sizeToScene();
  }

  private void accept() {
    showErrors();
    Map<Field, String> errors = form.errors();
    if (errors.isEmpty() && form.hindrance().isEmpty()) {
      QemuMigrationForm.Plan plan = form.plan();
      stage.close();
      accepted.accept(plan);
    } else {
      errors.keySet().stream()
          .map(rows::get)
          .filter(Objects::nonNull)
          .findFirst()
          .ifPresent(row -> row.text().requestFocus());
    }
  }
}

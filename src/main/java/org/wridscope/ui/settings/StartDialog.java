// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import atlantafx.base.theme.Styles;
import java.io.File;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javafx.application.Platform;
import javafx.geometry.Bounds;
import javafx.geometry.Pos;
import javafx.geometry.VPos;
import javafx.scene.Node;
import javafx.scene.Scene;
import javafx.scene.control.Button;
import javafx.scene.control.CheckBox;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Control;
import javafx.scene.control.Label;
import javafx.scene.control.ScrollPane;
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
import javafx.stage.FileChooser;
import javafx.stage.Modality;
import javafx.stage.Screen;
import javafx.stage.Stage;
import javafx.stage.Window;
import org.controlsfx.control.SegmentedButton;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.control.DeviceChoice;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.ui.settings.SettingsForm.Field;
import org.wridscope.ui.settings.SettingsForm.GuestKind;
import org.wridscope.ui.settings.SettingsForm.Kind;

/**
 * Asks how to migrate. What is wrong stands below the field that it is wrong with; about files it
 * is what was found last.
 *
 * @param <S> settings that are made of what was typed
 */
public final class StartDialog<S> {
  private static final double WIDTH = 520;

  /** Above and below a field that is scrolled into sight. */
  private static final double MARGIN = 8;

  /** Above what is asked about the guest. */
  private static final Set<Field> PLACE = EnumSet.of(Field.URI, Field.DEVICE, Field.ALLOW);

  /** Height that a desktop's title bar and a margin may take. */
  private static final double DECORATION = 48;

  private final SettingsForm form;
  private final FormChecks<S> checks;
  private final BiConsumer<SettingsForm, S> accepted;
  private final Stage stage = new Stage();
  private final Map<Field, Row> rows = new EnumMap<>(Field.class);
  private final ComboBox<String> uris = new ComboBox<>();
  private final ComboBox<String> devices = new ComboBox<>();
  private final ComboBox<String> virtioFaults = new ComboBox<>();

  /** Beside the button that accepts: why it does nothing. */
  private final Label hindrance = new Label();

  private final ScrollPane scroll;
  private final Button accept;
  private final BorderPane root;

  /** What was wrong with each file that was named when it was looked at last. */
  private final Map<Field, String> found = new EnumMap<>(Field.class);

  private boolean attempted;
  private boolean accepting;

  /** One field with its label and its error. */
  private record Row(Label label, TextField text, Control control, HBox box, Label error) {
    void show(boolean visible) {
      for (var node : new Node[] {label, box}) {
        node.setVisible(visible);
        node.setManaged(visible);
      }
    }

    boolean isWrong() {
      return box.isVisible() && error.isVisible();
    }

    /** Returns whether there is an error now and was none before. */
    boolean setError(String sentence) {
      boolean wrong = !sentence.isEmpty();
      boolean begins = wrong && !error.isVisible();
      error.setText(sentence);
      error.setVisible(wrong);
      error.setManaged(wrong);
      control.pseudoClassStateChanged(Styles.STATE_DANGER, wrong);
      text.setAccessibleHelp(sentence);
      return begins;
    }
  }

  /**
   * Makes a dialog.
   *
   * @param form what is shown at first, and changed as the user types
   * @param settings makes settings of a form that is valid, in the background
   * @param background looks at files
   * @param acceptText what the button that accepts says, a verb
   * @param accepted takes the form that was accepted, and its settings
   */
  public StartDialog(
      Window owner,
      SettingsForm form,
      Function<SettingsForm, S> settings,
      Executor background,
      String acceptText,
      BiConsumer<SettingsForm, S> accepted) {
    this.form = form;
    checks = new FormChecks<>(settings, background, Platform::runLater, this::checked);
    this.accepted = accepted;
    accept = new Button(acceptText);
    accept.setDefaultButton(true);
    accept.setId("dialog-accept");
    accept.setOnAction(_ -> tryAccept());
    var cancel = new Button("Cancel");
    cancel.setCancelButton(true);
    cancel.setId("dialog-cancel");
    cancel.setOnAction(_ -> stage.close());

    var title = new Label(title(form.kind()));
    title.getStyleClass().add("dialog-title");
    var explanation = new Label(explanation(form.kind()));
    explanation.getStyleClass().add("muted");
    explanation.setWrapText(true);
    explanation.setMinHeight(Region.USE_PREF_SIZE);
    var head = new VBox(title, explanation);
    head.getStyleClass().add("dialog-head");

    hindrance.setId("dialog-hindrance");
    hindrance.getStyleClass().add("muted");
    hindrance.setMaxWidth(Double.MAX_VALUE);
    HBox.setHgrow(hindrance, Priority.ALWAYS);
    for (Button button : List.of(cancel, accept)) {
      button.setMinWidth(Region.USE_PREF_SIZE);
    }
    var buttons = new HBox(8, hindrance, cancel, accept);
    buttons.setAlignment(Pos.CENTER_LEFT);
    buttons.getStyleClass().add("dialog-buttons");
    scroll = new ScrollPane(grid());
    scroll.setFitToWidth(true);
    scroll.setHbarPolicy(ScrollPane.ScrollBarPolicy.NEVER);
    scroll.getStyleClass().add("edge-to-edge");
    root = new BorderPane(scroll, head, null, buttons, null);
    root.getStyleClass().addAll("start-dialog", "window-root");
    root.setPrefWidth(WIDTH);
    var scene = new Scene(root);
    Scene ownerScene = Objects.requireNonNull(owner.getScene(), "an owner that shows something");
    scene.getStylesheets().setAll(ownerScene.getStylesheets());
    root.setStyle(ownerScene.getRoot().getStyle());
    stage.setScene(scene);
    stage.setTitle(title(form.kind()));
    stage.initOwner(owner);
    stage.initModality(Modality.WINDOW_MODAL);
    stage.setMinWidth(440);
    stage.setOnHidden(_ -> checks.forget());
    arrange();
  }

  private static String title(Kind kind) {
    return switch (kind) {
      case LAB -> "Lab migration";
      case SOURCE -> "Source";
      case DESTINATION -> "Destination";
    };
  }

  private static String explanation(Kind kind) {
    return switch (kind) {
      case LAB ->
          "Migrates a guest from a source to a destination in this process, over the embedded"
              + " software device.";
      case SOURCE ->
          "Migrates a guest away, to a destination that already listens: another Wridscope, or a"
              + " QEMU.";
      case DESTINATION ->
          "Listens for a source, another Wridscope or a QEMU, and takes its guest. A synthetic"
              + " guest needs as much RAM here as at the source; a captured one needs only a file.";
    };
  }

  private GridPane grid() {
    var grid = new GridPane();
    grid.getStyleClass().add("dialog-grid");
    var labels = new ColumnConstraints();
    labels.setMinWidth(Region.USE_PREF_SIZE);
    var texts = new ColumnConstraints();
    texts.setHgrow(Priority.ALWAYS);
    grid.getColumnConstraints().addAll(labels, texts);
    int row = 0;
    choice(uris, Field.URI, "dialog-uris", List.of());
    row =
        add(grid, row, Field.URI, form.kind() == Kind.SOURCE ? uris.getEditor() : new TextField());
    choice(devices, Field.DEVICE, "dialog-devices", List.of("", DeviceChoice.SOFTWARE));
    choice(
        virtioFaults,
        Field.VIRTIO_FAULT,
        "dialog-virtio-faults",
        Stream.of(VirtioFault.values())
            .map(fault -> fault == VirtioFault.NONE ? "" : fault.text())
            .toList());
    row = add(grid, row, Field.DEVICE, devices.getEditor());
    row = add(grid, row, Field.ALLOW, new TextField());
    grid.addRow(row++, new Label("Guest"), guestChoice());
    for (Field field : Field.values()) {
      if (!PLACE.contains(field)) {
        TextField text = field == Field.VIRTIO_FAULT ? virtioFaults.getEditor() : new TextField();
        row = add(grid, row, field, text);
      }
    }
    var pinAll = new CheckBox("Register all RAM at the beginning (pin-all)");
    pinAll.setId("dialog-pin-all");
    pinAll.setSelected(form.pinAll());
    onChange(pinAll, form::setPinAll);
    var unregister = new CheckBox("Unregister RAM as soon as it has been sent");
    unregister.setId("dialog-unregister");
    unregister.setSelected(form.unregister());
    onChange(unregister, form::setUnregister);
    unregister.disableProperty().bind(pinAll.selectedProperty());
    if (form.kind() != Kind.DESTINATION) {
      grid.add(pinAll, 1, row++);
      grid.add(unregister, 1, row++);
    }
    if (form.kind() != Kind.SOURCE) {
      var refuse = new CheckBox("Refuse pin-all at the destination");
      refuse.setId("dialog-refuse-pin-all");
      refuse.setSelected(form.refusePinAll());
      onChange(refuse, form::setRefusePinAll);
      grid.add(refuse, 1, row++);
    }
    var monitored = new CheckBox("Keep events and history for the views");
    monitored.setSelected(form.monitored());
    onChange(monitored, form::setMonitored);
    grid.add(monitored, 1, row);
    return grid;
  }

  private void onChange(CheckBox box, Consumer<Boolean> change) {
    box.selectedProperty()
        .subscribe((_, selected) -> {
          change.accept(selected);
          check(false);
        });
  }

  /** Some names to choose from, or to type. */
  private static void choice(ComboBox<String> box, Field field, String id, List<String> names) {
    box.setEditable(true);
    box.setPromptText(field.prompt());
    box.setMaxWidth(Double.MAX_VALUE);
    box.setId(id);
    box.getItems().setAll(names);
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
            arrange();
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

  /**
   * Fills the list of devices to choose from, once it is known.
   *
   * @param names of installed devices
   */
  public void offerDevices(List<String> names) {
    for (String name : names) {
      if (!devices.getItems().contains(name)) {
        devices.getItems().add(name);
      }
    }
  }

  /**
   * Offers a source the destinations that listen in this process. Choosing one enters the size of
   * its guest, too.
   */
  public void offerDestinations(List<Listening> destinations) {
    uris.getItems().setAll(destinations.stream().map(Listening::uri).toList());
    uris.setOnAction(_ ->
        destinations.stream()
            .filter(destination -> destination.uri().equals(uris.getValue()))
            .forEach(destination -> {
              destination.fill(form);
              rows.forEach((field, row) -> row.text().setText(form.get(field)));
            }));
  }

  private int add(GridPane grid, int at, Field field, TextField text) {
    text.setText(form.get(field));
    text.setId("field-" + field.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    text.setPromptText(field.prompt());
    var label = new Label(field.label());
    label.setLabelFor(text);
    var error = new Label();
    error.getStyleClass().add("field-error");
    error.setWrapText(true);
    error.setMinHeight(Region.USE_PREF_SIZE);
    Control shown =
        switch (field) {
          case URI -> form.kind() == Kind.SOURCE ? uris : text;
          case DEVICE -> devices;
          case VIRTIO_FAULT -> virtioFaults;
          default -> text;
        };
    HBox.setHgrow(shown, Priority.ALWAYS);
    var line = new HBox(6, shown);
    line.setAlignment(Pos.CENTER_LEFT);
    switch (field) {
      case FILE, RESTORE -> line.getChildren().add(browse(field, text, true));
      case OUT, CAPTURE -> line.getChildren().add(browse(field, text, false));
      default -> {}
    }
    var box = new HBox(new VBox(2, line, error));
    HBox.setHgrow(box.getChildren().getFirst(), Priority.ALWAYS);
    grid.addRow(at, label, box);
    GridPane.setValignment(label, VPos.TOP);
    label.getStyleClass().add("dialog-label");
    var row = new Row(label, text, shown, box, error);
    row.setError("");
    rows.put(field, row);
    text.textProperty()
        .subscribe((_, typed) -> {
          form.set(field, typed);
          tell(field);
          if (field == Field.RAM) {
            tell(Field.WORKING_SET);
          }
          check(false);
        });
    text.focusedProperty()
        .subscribe((before, now) -> {
          if (before && !now && !accepting) {
            check(false);
          }
        });
    return at + 1;
  }

  private Button browse(Field field, TextField text, boolean existing) {
    var button = new Button("", new FontIcon(Feather.FOLDER));
    button.getStyleClass().add("button-icon");
    button.setAccessibleText("Choose a file");
    button.setOnAction(_ -> {
      var chooser = new FileChooser();
      chooser.setTitle(field.label());
      File file = existing ? chooser.showOpenDialog(stage) : chooser.showSaveDialog(stage);
      if (file != null) {
        text.setText(file.getPath());
      }
    });
    return button;
  }

  /** Shows the fields that matter for this guest, and no errors of the others. */
  private void arrange() {
    rows.forEach((field, row) -> row.show(form.fields().contains(field)));
    rows.keySet().forEach(this::tell);
    check(false);
    fit();
  }

  /** Takes the height that all fields need, or that the screen has; then the fields scroll. */
  private void fit() {
    root.setPrefHeight(Region.USE_COMPUTED_SIZE);
    double most = Screen.getPrimary().getVisualBounds().getHeight() - DECORATION;
    root.setPrefHeight(Math.min(root.prefHeight(WIDTH), most));
    stage.sizeToScene();
  }

  /** What is known to be wrong with a field; null when nothing is. */
  private @Nullable String error(Field field) {
    String error = form.textError(field);
    return error != null || !form.fields().contains(field) ? error : found.get(field);
  }

  /** Nobody is told off for a field that is still empty before trying. */
  private String told(Field field) {
    String error = error(field);
    return error != null && (attempted || !form.get(field).isBlank()) ? error : "";
  }

  /** Shows what is known to be wrong with a field. */
  private void tell(Field field) {
    Row row = rows.get(field);
    if (row != null && row.setError(besideItsField(field, told(field)))) {
      reveal(row);
    }
  }

  /** A message without the name that it begins with, which stands at its left. */
  private static String besideItsField(Field field, String error) {
    String name = field.label() + ": ";
    String rest = error.startsWith(name) ? error.substring(name.length()) : error;
    return rest.isEmpty() ? rest : Character.toUpperCase(rest.charAt(0)) + rest.substring(1);
  }

  /**
   * Has files looked at.
   *
   * @param accept whether it is accepted if nothing is wrong
   */
  private void check(boolean accept) {
    accepting = accept;
    checks.begin(form);
    refresh();
  }

  private void refresh() {
    String wrong =
        rows.entrySet().stream()
            .filter(row -> row.getValue().isWrong())
            .map(row -> row.getKey().label())
            .collect(Collectors.joining(", "));
    boolean looking = accepting && form.guest() != GuestKind.SYNTHETIC;
    hindrance.setText(
        looking ? "Looking at the file…" : wrong.isEmpty() ? "" : "To correct: " + wrong);
    this.accept.setDisable(accepting);
  }

  private void tryAccept() {
    attempted = true;
    rows.keySet().forEach(this::tell);
    List<Field> wrong =
        form.fields().stream().filter(field -> form.textError(field) != null).toList();
    check(wrong.isEmpty());
    focusFirst(wrong);
  }

  private void focusFirst(Collection<Field> wrong) {
    wrong.stream()
        .map(rows::get)
        .filter(Objects::nonNull)
        .findFirst()
        .ifPresent(row -> {
          row.text().requestFocus();
          reveal(row);
        });
  }

  private void checked(FormChecks.Checked<S> checked) {
    found.clear();
    checked
        .errors()
        .forEach((field, error) -> {
          if (checked.form().textError(field) == null) {
            found.put(field, error);
          }
        });
    rows.keySet().forEach(this::tell);
    S settings = checked.settings();
    if (!accepting) {
      refresh();
    } else if (settings != null) {
      stage.close();
      accepted.accept(checked.form(), settings);
    } else {
      accepting = false;
      refresh();
      focusFirst(checked.errors().keySet());
    }
  }

  /** Shows the dialog; returns at once. */
  public void show() {
    root.applyCss();
    fit();
    stage.show();
  }

  /** Scrolls until a field and its message are in sight. */
  private void reveal(Row row) {
    root.layout();
    Bounds line = row.box().getBoundsInParent();
    double shown = scroll.getViewportBounds().getHeight();
    double hidden = scroll.getContent().getLayoutBounds().getHeight() - shown;
    if (hidden > 0) {
      double top = scroll.getVvalue() * hidden;
      double moved =
          Math.min(Math.max(top, line.getMaxY() + MARGIN - shown), line.getMinY() - MARGIN);
      scroll.setVvalue(Math.clamp(moved / hidden, 0, 1));
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.devices;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Collectors;
import javafx.application.Platform;
import javafx.beans.property.ReadOnlyStringWrapper;
import javafx.geometry.Pos;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.control.ScrollPane;
import javafx.scene.control.TableColumn;
import javafx.scene.control.TableView;
import javafx.scene.control.TextArea;
import javafx.scene.control.TextField;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.control.DeviceTable;
import org.wridscope.control.SessionManager;
import org.wridscope.control.doctor.Machine;
import org.wridscope.control.doctor.Question;
import org.wridscope.settings.Defaults;
import org.wridscope.settings.GuestSetting;
import org.wridscope.ui.CheckNode;
import org.wridscope.ui.Hints;
import org.wridscope.ui.Menus;
import org.wridscope.ui.Presence;

/** Shows the devices, and below them the results of the doctor with their remedies. */
public final class DevicesPane {
  private static final Logger LOG = LoggerFactory.getLogger(DevicesPane.class);

  private final SessionManager manager;
  private final Machine machine;
  private final Executor background;
  private final TableView<DeviceTable.Row> table = new TableView<>();
  private final TextArea details = new TextArea();
  private final TextField uri = new TextField();
  private final TextField ram = new TextField(GuestSetting.RAM.text(Defaults.SESSION));
  private final Button refresh = new Button("Check again", new FontIcon(Feather.REFRESH_CW));
  private final Label problem = new Label();
  private final Label summary = new Label();
  private final VBox results = new VBox();
  private final VBox root;
  private boolean checking;

  /**
   * Makes an empty pane; {@link #refresh} fills it.
   *
   * @param background examines the machine
   */
  public DevicesPane(SessionManager manager, Machine machine, Executor background) {
    this.manager = manager;
    this.machine = machine;
    this.background = background;
    table.setId("devices");
    table.setAccessibleText("RDMA devices and their ports");
    table.getStyleClass().addAll("dense", "log-table", "devices-table");
    table.setColumnResizePolicy(TableView.CONSTRAINED_RESIZE_POLICY_FLEX_LAST_COLUMN);
    column("Device", 76, row -> row.device().name());
    column("Port", 48, DeviceTable.Row::port);
    column("State", 74, DeviceTable.Row::state);
    column("Link layer", 86, DeviceTable.Row::linkLayer);
    column("MTU", 56, DeviceTable.Row::mtu);
    column("LID", 50, DeviceTable.Row::lid);
    column("Interface", 90, DeviceTable.Row::networkInterface);
    column("Addresses", 200, DeviceTable.Row::addresses);
    var placeholder = new Label("The devices appear here.");
    placeholder.getStyleClass().add("empty-text");
    table.setPlaceholder(placeholder);
    table
        .getSelectionModel()
        .selectedItemProperty()
        .subscribe(row -> details.setText(row == null ? "" : text(row)));
    Menus.install(
        table,
        () -> List.of(Menus.copy("all about this device", details::getText), Menus.of(refresh)));
    details.setEditable(false);
    details.setAccessibleText("Details of the selected device");
    details.getStyleClass().add("device-details");
    details.setId("device-details");
    Presence.set(problem, false);
    problem.setWrapText(true);
    problem.getStyleClass().add("field-error");
    problem.setMinHeight(Region.USE_PREF_SIZE);
    problem.setId("devices-problem");

    uri.setPromptText("rdma:HOST:PORT, to check an address");
    Hints.explain(
        uri,
        "An address of this machine or of a destination: the checks then say which device it"
            + " leads to.");
    uri.setId("doctor-uri");
    HBox.setHgrow(uri, Priority.ALWAYS);
    uri.setOnAction(_ -> refresh());
    Hints.explain(
        ram,
        "RAM of the guest to migrate, such as 2GiB; it must be possible to register that"
            + " much.");
    ram.setId("doctor-ram");
    ram.setPrefWidth(84);
    ram.setMinWidth(Region.USE_PREF_SIZE);
    ram.setOnAction(_ -> refresh());
    refresh.setId("doctor-refresh");
    refresh.setMinWidth(Region.USE_PREF_SIZE);
    refresh.setOnAction(_ -> refresh());
    var uriLabel = new Label("Address");
    uriLabel.setLabelFor(uri);
    uriLabel.setMinWidth(Region.USE_PREF_SIZE);
    var ramLabel = new Label("Guest's RAM");
    ramLabel.setLabelFor(ram);
    ramLabel.setMinWidth(Region.USE_PREF_SIZE);
    var question = new HBox(8, uriLabel, uri, ramLabel, ram, refresh);
    question.setAlignment(Pos.CENTER_LEFT);

    summary.setId("doctor-summary");
    summary.getStyleClass().add("finding-check");
    summary.setWrapText(true);
    summary.setMinHeight(Region.USE_PREF_SIZE);
    results.getStyleClass().add("findings");
    var scroll = new ScrollPane(results);
    scroll.setFitToWidth(true);
    scroll.getStyleClass().add("overview-scroll");
    VBox.setVgrow(scroll, Priority.ALWAYS);
    root = new VBox(table, details, problem, question, summary, scroll);
    root.getStyleClass().addAll("window-root", "devices-pane");
  }

  private void column(String title, double width, Function<DeviceTable.Row, String> value) {
    var column = new TableColumn<DeviceTable.Row, String>(title);
    column.setPrefWidth(width);
    column.setSortable(false);
    column.setReorderable(false);
    column.setCellValueFactory(cell -> new ReadOnlyStringWrapper(value.apply(cell.getValue())));
    table.getColumns().add(column);
  }

  private static String text(DeviceTable.Row row) {
    return DeviceTable.details(row.device()).stream()
        .map(detail -> "%-10s %s".formatted(detail.name(), detail.value()))
        .collect(Collectors.joining("\n"));
  }

  public VBox node() {
    return root;
  }

  /** Examines the machine again, in the background. */
  public void refresh() {
    if (checking) {
      return;
    }
    Question question;
    try {
      question = Checkup.question(uri.getText(), ram.getText());
    } catch (IllegalArgumentException e) {
      tell(String.valueOf(e.getMessage()));
      return;
    }
    checking = true;
    refresh.setDisable(true);
    summary.setText("Checking this machine…");
    background.execute(() -> {
      try {
        Checkup checkup = Checkup.of(manager, machine, question);
        Platform.runLater(() -> show(checkup));
      } catch (RuntimeException e) {
        LOG.error("checking the machine", e);
        Platform.runLater(() -> {
          ended();
          tell(
              "This machine could not be checked because of an error in this program: %s"
                  .formatted(e));
        });
      }
    });
  }

  private void ended() {
    checking = false;
    refresh.setDisable(false);
    summary.setText("");
  }

  private void show(Checkup checkup) {
    ended();
    int selected = Math.max(0, table.getSelectionModel().getSelectedIndex());
    table.getItems().setAll(checkup.devices());
    table.getSelectionModel().select(Math.min(selected, checkup.devices().size() - 1));
    tell(checkup.problem() == null ? "" : checkup.problem());
    summary.setText(checkup.summary());
    results.getChildren().setAll(checkup.results().stream().map(CheckNode::of).toList());
  }

  private void tell(String sentence) {
    problem.setText(sentence);
    Presence.set(problem, !sentence.isEmpty());
  }
}

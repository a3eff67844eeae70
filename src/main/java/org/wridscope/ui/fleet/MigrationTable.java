// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.fleet;

import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import javafx.beans.property.ReadOnlyObjectWrapper;
import javafx.beans.property.ReadOnlyStringWrapper;
import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.control.Menu;
import javafx.scene.control.MenuButton;
import javafx.scene.control.MenuItem;
import javafx.scene.control.SelectionMode;
import javafx.scene.control.TableCell;
import javafx.scene.control.TableColumn;
import javafx.scene.control.TableRow;
import javafx.scene.control.TableView;
import javafx.scene.control.Tooltip;
import javafx.scene.control.cell.ProgressBarTableCell;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.control.Session;
import org.wridscope.control.fleet.FleetMigration;
import org.wridscope.control.fleet.FleetMigrations;
import org.wridscope.ui.Limits;
import org.wridscope.ui.Menus;
import org.wridscope.ui.SelectionMenu;

/** All migrations by libvirt in one table. For the JavaFX thread only. */
final class MigrationTable {
  private final FleetMigrations migrations;
  private final Consumer<Session> open;
  private final TableView<MigrationRow> table = new TableView<>();
  private final Label summary = new Label();
  private final Button show = new Button("Show", new FontIcon(Feather.EYE));
  private final Button cancel = new Button("Cancel", new FontIcon(Feather.SLASH));
  private final MenuItem bandwidth = new MenuItem("Bandwidth…");
  private final MenuItem downtime = new MenuItem("Downtime…");
  private final MenuButton limit =
      new MenuButton("Limit", new FontIcon(Feather.SLIDERS), bandwidth, downtime);
  private final Button clear = new Button("Clear ended", new FontIcon(Feather.TRASH_2));
  private final VBox root;

  /**
   * @param open shows a migration in the views
   */
  MigrationTable(FleetMigrations migrations, Consumer<Session> open) {
    this.migrations = migrations;
    this.open = open;
    table.setId("fleet-migrations");
    table.setAccessibleText("Migrations by libvirt");
    table.setColumnResizePolicy(TableView.CONSTRAINED_RESIZE_POLICY_FLEX_LAST_COLUMN);
    table.getSelectionModel().setSelectionMode(SelectionMode.MULTIPLE);
    table.getSelectionModel().selectedItemProperty().subscribe((_, _) -> enable());
    table.getColumns().add(column("Domain", MigrationRow::domain, 110));
    table.getColumns().add(column("From", MigrationRow::from, 104));
    table.getColumns().add(column("To", MigrationRow::to, 104));
    table.getColumns().add(column("State", MigrationRow::state, 130));
    var progress = new TableColumn<MigrationRow, Double>("Progress");
    progress.setCellValueFactory(
        cell -> new ReadOnlyObjectWrapper<>(cell.getValue().progress()).getReadOnlyProperty());
    progress.setCellFactory(ProgressBarTableCell.forTableColumn());
    progress.setPrefWidth(96);
    progress.setSortable(false);
    table.getColumns().add(progress);
    table.getColumns().add(column("Round", MigrationRow::round, 66));
    table.getColumns().add(column("Remaining", MigrationRow::remaining, 84));
    table.getColumns().add(column("Downtime", MigrationRow::downtime, 130));
    table.getColumns().add(column("What happens", MigrationRow::outcome, 260));
    table.setRowFactory(_ -> {
      var row = new TableRow<MigrationRow>();
      row.setOnMouseClicked(event -> {
        if (event.getClickCount() == 2 && row.getItem() != null) {
          open.accept(row.getItem().migration().session());
        }
      });
      return row;
    });
    Menus.install(
        table,
        () -> {
          var limits = new Menu(limit.getText());
          limits.setDisable(limit.isDisabled());
          limits
              .getItems()
              .setAll(
                  SelectionMenu.item("menu-bandwidth", bandwidth.getText(), bandwidth::fire),
                  SelectionMenu.item("menu-downtime", downtime.getText(), downtime::fire));
          return List.of(
              Menus.of(show),
              limits,
              Menus.of(cancel),
              Menus.copy("the selected rows", this::selectedText),
              Menus.of(clear));
        });
    show.setId("fleet-show");
    show.setTooltip(new Tooltip("Show the selected migration in the views"));
    show.setOnAction(_ -> showSelected());
    cancel.setId("fleet-cancel");
    cancel.setTooltip(new Tooltip("Cancel the selected migrations; their domains keep running"));
    cancel.setOnAction(_ -> selected().forEach(FleetMigration::cancel));
    bandwidth.setId("fleet-bandwidth");
    bandwidth.setOnAction(_ -> Limits.askBandwidth(table.getScene().getWindow(), running()));
    downtime.setId("fleet-downtime");
    downtime.setOnAction(_ -> Limits.askDowntime(table.getScene().getWindow(), running()));
    limit.setId("fleet-limit");
    limit.setTooltip(new Tooltip("Limit the selected migrations that have not ended"));
    limit.setMinWidth(Region.USE_PREF_SIZE);
    clear.setId("fleet-clear");
    clear.setTooltip(new Tooltip("Remove those that have ended from this table"));
    clear.setOnAction(_ -> {
      migrations.clear();
      refresh();
    });
    summary.setId("fleet-summary");
    summary.setMaxWidth(Double.MAX_VALUE);
    HBox.setHgrow(summary, Priority.ALWAYS);
    var bar = new HBox(8, summary, show, limit, cancel, clear);
    bar.getChildren().stream()
        .filter(Button.class::isInstance)
        .forEach(button -> ((Button) button).setMinWidth(Region.USE_PREF_SIZE));
    bar.setAlignment(Pos.CENTER_LEFT);
    bar.getStyleClass().add("view-bar");
    VBox.setVgrow(table, Priority.ALWAYS);
    root = new VBox(bar, table);
    root.setMinHeight(120);
    enable();
  }

  private static TableColumn<MigrationRow, String> column(
      String title, Function<MigrationRow, String> text, double width) {
    var column = new TableColumn<MigrationRow, String>(title);
    column.setCellValueFactory(
        cell -> new ReadOnlyStringWrapper(text.apply(cell.getValue())).getReadOnlyProperty());
    column.setCellFactory(_ -> new TextCell());
    column.setPrefWidth(width);
    column.setSortable(false);
    column.setReorderable(false);
    return column;
  }

  /** A text, which is also in a tool tip, because it may be cut off. */
  private static final class TextCell extends TableCell<MigrationRow, String> {
    @Override
    protected void updateItem(@Nullable String text, boolean empty) {
      super.updateItem(text, empty);
      boolean nothing = empty || text == null || text.isEmpty();
      setText(nothing ? null : text);
      setTooltip(nothing ? null : new Tooltip(text));
    }
  }

  Node node() {
    return root;
  }

  private List<FleetMigration> selected() {
    return table.getSelectionModel().getSelectedItems().stream()
        .filter(Objects::nonNull)
        .map(MigrationRow::migration)
        .toList();
  }

  /** The sessions of the selected migrations that have not ended. */
  private List<Session> running() {
    return selected().stream()
        .map(FleetMigration::session)
        .filter(session -> !session.status().isEnd())
        .toList();
  }

  /** The selected rows, or all if none is, a line each. */
  private String selectedText() {
    List<MigrationRow> chosen = table.getSelectionModel().getSelectedItems();
    return (chosen.isEmpty() ? table.getItems() : chosen)
        .stream()
            .filter(Objects::nonNull)
            .map(row ->
                String.join(
                    "\t",
                    row.domain(),
                    row.from(),
                    row.to(),
                    row.state(),
                    row.round(),
                    row.remaining(),
                    row.downtime(),
                    row.outcome()))
            .collect(Collectors.joining("\n", "", "\n"));
  }

  private void showSelected() {
    selected().stream().findFirst().ifPresent(one -> open.accept(one.session()));
  }

  private void enable() {
    List<FleetMigration> chosen = selected();
    show.setDisable(chosen.size() != 1);
    cancel.setDisable(running().isEmpty());
    limit.setDisable(running().isEmpty());
  }

  /** Shows what is known now; returns whether there is anything to show. */
  boolean refresh() {
    List<MigrationRow> rows = migrations.list().stream().map(MigrationRow::of).toList();
    List<MigrationRow> shown = table.getItems();
    List<FleetMigration> known = shown.stream().map(MigrationRow::migration).toList();
    if (known.equals(rows.stream().map(MigrationRow::migration).toList())) {
      for (int i = 0; i < rows.size(); i++) {
        if (!shown.get(i).equals(rows.get(i))) {
          boolean selected = table.getSelectionModel().isSelected(i);
          shown.set(i, rows.get(i));
          if (selected) {
            table.getSelectionModel().select(i);
          }
        }
      }
    } else {
      table.getItems().setAll(rows);
    }
    long ended = rows.stream().filter(row -> row.status().isEnd()).count();
    long failed =
        rows.stream()
            .filter(row ->
                switch (row.status()) {
                  case FAILED, CANCELLED, UNDECIDED -> true;
                  default -> false;
                })
            .count();
    summary.setText(
        failed == 0
            ? "Migrations: %d of %d have ended".formatted(ended, rows.size())
            : "Migrations: %d of %d have ended, %d of them without success"
                .formatted(ended, rows.size(), failed));
    clear.setDisable(ended == 0);
    enable();
    return !rows.isEmpty();
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.fleet;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import javafx.beans.property.ReadOnlyStringWrapper;
import javafx.collections.ObservableList;
import javafx.scene.control.Label;
import javafx.scene.control.SelectionMode;
import javafx.scene.control.Tooltip;
import javafx.scene.control.TreeItem;
import javafx.scene.control.TreeTableCell;
import javafx.scene.control.TreeTableColumn;
import javafx.scene.control.TreeTableView;
import javafx.scene.text.TextAlignment;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.control.fleet.FleetHost;

/** The hosts, each above its domains. For the JavaFX thread only. */
final class FleetTree {
  private static final List<String> STATUS_CLASSES =
      List.of("status-idle", "status-active", "status-warning", "status-done", "status-failed");

  private final TreeTableView<FleetRow> table = new TreeTableView<>(new TreeItem<>());

  /**
   * @param onSelect runs when other rows are selected
   */
  FleetTree(Runnable onSelect) {
    table.setId("fleet-hosts");
    table.setShowRoot(false);
    table.setAccessibleText("Hosts and their domains");
    table.getSelectionModel().setSelectionMode(SelectionMode.MULTIPLE);
    table.getSelectionModel().selectedItemProperty().subscribe((_, _) -> onSelect.run());
    table.setColumnResizePolicy(TreeTableView.CONSTRAINED_RESIZE_POLICY_FLEX_LAST_COLUMN);
    var nothing =
        new Label(
            "Connected hosts appear here, with their domains.\n\n"
                + "qemu+ssh://HOST/system connects another host through ssh, with a key that"
                + " needs no passphrase or is in an agent;\n"
                + "qemu:///system and qemu:///session are the libvirts of this machine.");
    nothing.getStyleClass().add("empty-text");
    nothing.setWrapText(true);
    nothing.setTextAlignment(TextAlignment.CENTER);
    table.setPlaceholder(nothing);
    table.getColumns().add(column("Host or domain", FleetTexts::name, 190));
    table.getColumns().add(stateColumn());
    table.getColumns().add(right(column("RAM", FleetTexts::ram, 90)));
    table.getColumns().add(right(column("CPUs", FleetTexts::processors, 64)));
    table.getColumns().add(column("About", FleetTexts::about, 360));
  }

  private static TreeTableColumn<FleetRow, String> column(
      String title, Function<FleetRow, String> text, double width) {
    var column = new TreeTableColumn<FleetRow, String>(title);
    column.setCellValueFactory(cell ->
        new ReadOnlyStringWrapper(text.apply(cell.getValue().getValue())).getReadOnlyProperty());
    column.setCellFactory(_ -> new TextCell());
    column.setPrefWidth(width);
    column.setSortable(false);
    column.setReorderable(false);
    return column;
  }

  private static TreeTableColumn<FleetRow, String> right(TreeTableColumn<FleetRow, String> column) {
    column.setStyle("-fx-alignment: CENTER-RIGHT;");
    column.setMinWidth(column.getPrefWidth());
    column.setMaxWidth(column.getPrefWidth() * 2);
    return column;
  }

  private static TreeTableColumn<FleetRow, String> stateColumn() {
    TreeTableColumn<FleetRow, String> column = column("State", FleetTexts::state, 170);
    column.setCellFactory(_ -> new StateCell());
    return column;
  }

  /** A text, which is also in a tool tip, because it may be cut off. */
  private static class TextCell extends TreeTableCell<FleetRow, String> {
    @Override
    protected void updateItem(@Nullable String text, boolean empty) {
      super.updateItem(text, empty);
      boolean nothing = empty || text == null || text.isEmpty();
      setText(nothing ? null : text);
      setTooltip(nothing ? null : new Tooltip(text));
    }
  }

  /** A state with its icon. */
  private static final class StateCell extends TextCell {
    private final FontIcon icon = new FontIcon(Feather.CIRCLE);
    private @Nullable FleetMark shown;

    @Override
    protected void updateItem(@Nullable String text, boolean empty) {
      super.updateItem(text, empty);
      FleetRow row = empty || getTableRow() == null ? null : getTableRow().getItem();
      setGraphic(row == null ? null : icon);
      FleetMark mark = row == null ? null : FleetMark.of(row);
      if (mark != null && !mark.equals(shown)) {
        icon.setIconCode(mark.icon());
        icon.getStyleClass().removeAll(STATUS_CLASSES);
        icon.getStyleClass().add(mark.styleClass());
        shown = mark;
      }
    }
  }

  TreeTableView<FleetRow> node() {
    return table;
  }

  /** Shows what is known now, and keeps what is selected and unfolded. */
  void show(List<FleetHost> hosts) {
    ObservableList<TreeItem<FleetRow>> shown = table.getRoot().getChildren();
    update(
        shown,
        hosts.stream().<FleetRow>map(FleetRow.Host::new).toList(),
        item -> {
          item.setExpanded(true);
          return item;
        });
    for (int i = 0; i < hosts.size(); i++) {
      FleetHost host = hosts.get(i);
      List<FleetRow> domains =
          host.domains().stream()
              .<FleetRow>map(domain -> new FleetRow.Domain(host, domain))
              .toList();
      update(shown.get(i).getChildren(), domains, item -> item);
    }
  }

  private static void update(
      ObservableList<TreeItem<FleetRow>> shown,
      List<FleetRow> rows,
      UnaryOperator<TreeItem<FleetRow>> first) {
    List<Object> keys = rows.stream().map(FleetRow::key).toList();
    if (!shown.stream().map(item -> item.getValue().key()).toList().equals(keys)) {
      Map<Object, TreeItem<FleetRow>> known = new HashMap<>();
      shown.forEach(item -> known.put(item.getValue().key(), item));
      shown.setAll(
          rows.stream()
              .map(row -> {
                TreeItem<FleetRow> item = known.get(row.key());
                return item == null ? first.apply(new TreeItem<>(row)) : item;
              })
              .toList());
    }
    for (int i = 0; i < rows.size(); i++) {
      if (!Objects.equals(shown.get(i).getValue(), rows.get(i))) {
        shown.get(i).setValue(rows.get(i));
      }
    }
  }

  /** The selected rows. */
  List<FleetRow> selected() {
    return table.getSelectionModel().getSelectedItems().stream()
        .filter(Objects::nonNull)
        .map(TreeItem::getValue)
        .toList();
  }

  /** The selected rows as text, a line each. */
  String text() {
    return selected().stream()
        .map(row ->
            String.join(
                "\t",
                FleetTexts.name(row),
                FleetTexts.state(row),
                FleetTexts.ram(row),
                FleetTexts.processors(row),
                FleetTexts.about(row)))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  /** Selects a host. */
  void select(Object key) {
    for (TreeItem<FleetRow> item : table.getRoot().getChildren()) {
      if (item.getValue().key().equals(key)) {
        table.getSelectionModel().clearSelection();
        table.getSelectionModel().select(item);
      }
    }
  }
}

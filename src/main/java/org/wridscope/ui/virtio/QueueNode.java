// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.virtio;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import javafx.css.PseudoClass;
import javafx.geometry.HPos;
import javafx.scene.control.Label;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.ColumnConstraints;
import javafx.scene.layout.GridPane;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.guest.virtio.QueueSnapshot;
import org.wridscope.text.Format;
import org.wridscope.ui.Presence;

/** Shows a queue: its indices and a picture of its ring, for each moment. */
final class QueueNode extends VBox {
  private static final PseudoClass WRONG = PseudoClass.getPseudoClass("wrong");
  private static final double INDEX_WIDTH = 62;
  private static final double LEAST_INDEX_WIDTH = 54;
  private static final double MOMENT_WIDTH = 154;
  private static final double LEAST_MOMENT_WIDTH = 120;

  private enum Column {
    AVAIL(
        "avail idx",
        "available index, in guest RAM: written by the driver",
        queue -> Integer.toString(queue.availIndex())),
    LAST_AVAIL(
        "last avail",
        "kept by the device: the available entry that it takes next",
        queue -> Integer.toString(queue.lastAvail())),
    DEVICE_USED(
        "dev used",
        "kept by the device: the used entry that it writes next",
        queue -> Integer.toString(queue.deviceUsed())),
    USED(
        "used idx",
        "used index, in guest RAM: written by the device",
        queue -> Integer.toString(queue.usedIndex())),
    LAST_USED(
        "last used",
        "kept by the driver: the used entry that it reads next",
        queue -> Integer.toString(queue.lastUsed())),
    IN_FLIGHT(
        "in flight",
        "requests that the device has taken and not completed",
        queue -> Integer.toString(queue.inFlight().size())),
    COMPLETED(
        "completed",
        "requests completed since the guest booted",
        queue -> Format.count(queue.completed()));

    private final String title;
    private final String explanation;
    private final Function<QueueSnapshot, String> text;

    Column(String title, String explanation, Function<QueueSnapshot, String> text) {
      this.title = title;
      this.explanation = explanation;
      this.text = text;
    }

    String of(QueueSnapshot queue) {
      return text.apply(queue);
    }

    boolean isWrong(Contradiction contradiction) {
      return switch (contradiction) {
        case NONE -> false;
        case BEHIND -> this == USED || this == LAST_USED;
        case USED -> this == DEVICE_USED || this == USED;
        case IN_FLIGHT -> this == LAST_AVAIL || this == USED || this == IN_FLIGHT;
        case LENGTH -> this == AVAIL || this == LAST_USED;
      };
    }
  }

  private final String name;
  private final GridPane grid = new GridPane();
  private final List<Line> lines = new ArrayList<>();
  private final Label inFlight = new Label();

  QueueNode(QueueCard card) {
    name = card.name();
    getStyleClass().add("virtio-queue");
    Label title = new Label("%s, %d entries".formatted(name, card.size()));
    title.getStyleClass().add("virtio-name");
    grid.getStyleClass().add("virtio-grid");
    ColumnConstraints moment =
        new ColumnConstraints(LEAST_MOMENT_WIDTH, MOMENT_WIDTH, MOMENT_WIDTH);
    grid.getColumnConstraints().add(moment);
    for (Column column : Column.values()) {
      ColumnConstraints width = new ColumnConstraints(LEAST_INDEX_WIDTH, INDEX_WIDTH, INDEX_WIDTH);
      width.setHalignment(HPos.RIGHT);
      grid.getColumnConstraints().add(width);
      Label head = new Label(column.title);
      head.getStyleClass().add("tile-caption");
      head.setTooltip(new Tooltip(column.explanation));
      grid.add(head, 1 + column.ordinal(), 0);
    }
    ColumnConstraints rest = new ColumnConstraints();
    rest.setHgrow(Priority.ALWAYS);
    grid.getColumnConstraints().add(rest);
    inFlight.getStyleClass().addAll("tile-detail", "number");
    inFlight.setWrapText(true);
    inFlight.setMinHeight(Region.USE_PREF_SIZE);
    getChildren().addAll(title, grid, inFlight);
    set(card);
  }

  /** Whether this node can show a queue: the same one, with the same number of rows. */
  boolean fits(QueueCard card) {
    return name.equals(card.name()) && lines.size() == card.rows().size();
  }

  void set(QueueCard card) {
    for (int i = 0; i < card.rows().size(); i++) {
      if (i == lines.size()) {
        lines.add(new Line(grid, i));
      }
      lines.get(i).set(card.rows().get(i));
    }
    String requests = card.inFlight();
    inFlight.setText(requests);
    Presence.set(inFlight, !requests.isEmpty());
  }

  /** The queue at one moment, and a contradiction in it if there is one. */
  private static final class Line {
    private final Label moment = new Label();
    private final List<Label> numbers = new ArrayList<>();
    private final RingBar bar = new RingBar();
    private final Label contradiction = new Label("", new FontIcon(Feather.ALERT_TRIANGLE));

    Line(GridPane grid, int index) {
      int row = 1 + 3 * index;
      int columns = 2 + Column.values().length;
      moment.getStyleClass().add("virtio-moment");
      grid.add(moment, 0, row);
      for (Column column : Column.values()) {
        Label number = new Label();
        number.getStyleClass().addAll("number", "virtio-index");
        numbers.add(number);
        grid.add(number, 1 + column.ordinal(), row);
      }
      grid.add(bar.node(), 0, row + 1, columns, 1);
      contradiction.getStyleClass().addAll("virtio-contradiction", "status-failed");
      contradiction.setWrapText(true);
      contradiction.setMinHeight(Region.USE_PREF_SIZE);
      grid.add(contradiction, 0, row + 2, columns, 1);
    }

    void set(QueueRow row) {
      moment.setText(row.moment());
      Contradiction wrong = row.contradiction();
      for (Column column : Column.values()) {
        Label number = numbers.get(column.ordinal());
        number.setText(column.of(row.queue()));
        number.pseudoClassStateChanged(WRONG, column.isWrong(wrong));
      }
      bar.set(row.queue());
      contradiction.setText(wrong.sentence(row.queue()));
      Presence.set(contradiction, wrong != Contradiction.NONE);
    }
  }
}

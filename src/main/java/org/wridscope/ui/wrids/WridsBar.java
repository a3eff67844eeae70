// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javafx.geometry.VPos;
import javafx.scene.Node;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.layout.FlowPane;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.RequestKind;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.EndsChoice;
import org.wridscope.ui.Hints;
import org.wridscope.ui.Presence;
import org.wridscope.ui.Stepper;
import org.wridscope.ui.wrids.WridNavigation.Ends;

/** The bar above the picture: which ends and requests to show, and counts. */
final class WridsBar {
  private final EndsChoice ends;
  private final ComboBox<String> queue = new ComboBox<>();
  private final ComboBox<String> kind = new ComboBox<>();
  private final Label count = new Label();
  private final Label told = new Label();
  private final FlowPane root;
  private List<QueueId> queues = List.of();
  private List<String> names = List.of();

  /** Reacts to changes in the bar. */
  interface Listener {
    void endsChanged();

    /**
     * Another queue was chosen.
     *
     * @param only the queue of a program to show; null for all
     */
    void queueChanged(@Nullable QueueId only);

    void filterChanged();

    /** The next anomaly is to be shown, or the one before. */
    void toAnomaly(boolean forwards);
  }

  WridsBar(Listener listener) {
    ends = new EndsChoice(listener::endsChanged);
    queue.setId("wrid-queue");
    queue.setAccessibleText("Queue");
    Hints.explain(queue, "Queue of the program to show");
    queue
        .getSelectionModel()
        .selectedIndexProperty()
        .subscribe((_, index) ->
            listener.queueChanged(index.intValue() <= 0 ? null : queues.get(index.intValue() - 1)));
    showKinds(false);
    kind.setId("wrid-kind");
    kind.setAccessibleText("Kind of requests");
    Hints.explain(kind, "Kind of requests to show");
    kind.valueProperty().subscribe(listener::filterChanged);
    count.setId("wrid-count");
    count.getStyleClass().addAll("number", "muted");
    told.setId("wrid-told");
    told.setWrapText(true);
    var anomalies =
        new Stepper(
            "anomalies",
            new Stepper.Way("wrid-previous-anomaly", "Previous anomaly (Shift+A)"),
            new Stepper.Way("wrid-next-anomaly", "Next anomaly (A)"),
            listener::toAnomaly);
    root = new FlowPane(8, 6, ends.node(), queue, kind, anomalies.node(), told, count);
    root.setRowValignment(VPos.CENTER);
    root.getStyleClass().add("view-bar");
  }

  /** Says what the way to an anomaly has led to; empty for nothing. */
  void tell(String words) {
    told.setText(words);
    Presence.set(told, !words.isEmpty());
  }

  Node node() {
    return root;
  }

  /** Enables the ends of a migration that are in this process, and chooses all of them. */
  void show(@Nullable SessionPair pair) {
    tell("");
    boolean program = pair != null && !pair.leading().migrates();
    ends.offer(pair);
    Presence.set(queue, program);
    showKinds(program);
    setQueues(List.of(), List.of());
    ends.chooseAll(pair);
  }

  private void showKinds(boolean ofProgram) {
    List<String> items = new ArrayList<>(List.of("all kinds"));
    for (RequestKind each : RequestKind.values()) {
      if (ofProgram || each.ofMigrations()) {
        items.add(each.text());
      }
    }
    if (!items.equals(kind.getItems())) {
      kind.getItems().setAll(items);
      kind.setValue(items.getFirst());
    }
  }

  /**
   * Offers the queues of a program; the one that is shown stays.
   *
   * @param called their names
   */
  void setQueues(List<QueueId> found, List<String> called) {
    if (queues.equals(found) && names.equals(called) && !queue.getItems().isEmpty()) {
      return;
    }
    int index = queue.getSelectionModel().getSelectedIndex();
    QueueId chosen = index <= 0 ? null : queues.get(index - 1);
    queues = List.copyOf(found);
    names = List.copyOf(called);
    queue.getItems().setAll(Stream.concat(Stream.of("all queues"), called.stream()).toList());
    queue.getSelectionModel().select(chosen == null ? 0 : queues.indexOf(chosen) + 1);
  }

  Ends ends() {
    if (!ends.includes(Role.DESTINATION)) {
      return Ends.SOURCE;
    }
    return ends.includes(Role.SOURCE) ? Ends.BOTH : Ends.DESTINATION;
  }

  /** The kind of requests to show; null for all. */
  @Nullable RequestKind kind() {
    int index = kind.getItems().indexOf(kind.getValue());
    return index <= 0 ? null : RequestKind.values()[index - 1];
  }

  void setCounts(String text) {
    if (!text.equals(count.getText())) {
      count.setText(text);
    }
  }
}

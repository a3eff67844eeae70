// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import javafx.geometry.VPos;
import javafx.scene.Node;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.layout.FlowPane;
import javafx.scene.layout.Region;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.control.SessionPair;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.EndsChoice;
import org.wridscope.ui.Hints;
import org.wridscope.ui.Stepper;

/** The bar above the log: which ends and events to show, the way to failures, and counts. */
final class LogBar {
  private final EndsChoice ends;
  private final ComboBox<EventText.Group> group = new ComboBox<>();
  private final Label count = new Label();
  private final FlowPane root;

  /** Reacts to changes in the bar. */
  interface Listener {
    /** Other ends or events are to be shown. */
    void filterChanged();

    /** The next failure is to be shown, or the one before. */
    void toFailure(boolean forwards);
  }

  LogBar(Listener listener) {
    ends = new EndsChoice(listener::filterChanged);
    ends.node().setId("log-ends");
    group.getItems().setAll(EventText.Group.values());
    group.setValue(EventText.Group.ALL);
    group.setId("log-group");
    group.setAccessibleText("Kinds of events");
    Hints.explain(group, "Kinds of events to show");
    group.setMinWidth(Region.USE_PREF_SIZE);
    group.valueProperty().subscribe((_, _) -> listener.filterChanged());
    var failures =
        new Stepper(
            "failures",
            new Stepper.Way("log-previous-failure", "Previous failure (Shift+A)"),
            new Stepper.Way("log-next-failure", "Next failure (A)"),
            listener::toFailure);
    count.setId("log-count");
    count.getStyleClass().addAll("number", "muted");
    root = new FlowPane(8, 6, ends.node(), group, failures.node(), count);
    root.setRowValignment(VPos.CENTER);
    root.getStyleClass().add("view-bar");
  }

  Node node() {
    return root;
  }

  /**
   * Offers the ends of a migration that are there; a program has none.
   *
   * @param again whether the same migration is shown again, with the same ends
   */
  void show(@Nullable SessionPair pair, boolean again) {
    ends.offer(pair);
    if (!again) {
      ends.chooseAll(pair);
    }
  }

  /** Whether an end is shown. */
  boolean includes(Role role) {
    return ends.includes(role);
  }

  /** Shows another end. */
  void choose(Role role) {
    ends.choose(role);
  }

  EventText.Group group() {
    return group.getValue();
  }

  void setGroup(EventText.Group value) {
    group.setValue(value);
  }

  void setCount(String text) {
    if (!text.equals(count.getText())) {
      count.setText(text);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import javafx.geometry.VPos;
import javafx.scene.Node;
import javafx.scene.control.ComboBox;
import javafx.scene.control.Label;
import javafx.scene.control.ToggleButton;
import javafx.scene.control.ToggleGroup;
import javafx.scene.layout.FlowPane;
import javafx.scene.layout.Region;
import org.controlsfx.control.SegmentedButton;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.recording.SessionPair;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.Stepper;

/** The bar above the log: which ends and events to show, the way to failures, and counts. */
final class LogBar {
  private final ToggleButton both = new ToggleButton("Both");
  private final ToggleButton source = new ToggleButton("Source");
  private final ToggleButton destination = new ToggleButton("Destination");
  private final SegmentedButton ends = new SegmentedButton(both, source, destination);
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
    var toggles = new ToggleGroup();
    toggles.getToggles().addAll(both, source, destination);
    ends.setToggleGroup(toggles);
    ends.setMinWidth(Region.USE_PREF_SIZE);
    ends.setId("log-ends");
    both.setSelected(true);
    toggles
        .selectedToggleProperty()
        .subscribe((_, toggle) -> {
          if (toggle == null) {
            both.setSelected(true);
          } else {
            listener.filterChanged();
          }
        });
    group.getItems().setAll(EventText.Group.values());
    group.setValue(EventText.Group.ALL);
    group.setId("log-group");
    group.setAccessibleText("Kinds of events to show");
    group.setMinWidth(Region.USE_PREF_SIZE);
    group.valueProperty().subscribe((_, _) -> listener.filterChanged());
    var failures =
        new Stepper(
            "failures",
            new Stepper.Way("log-previous-failure", "The failure before (Shift+A)"),
            new Stepper.Way("log-next-failure", "The next failure (A)"),
            listener::toFailure);
    count.setId("log-count");
    count.getStyleClass().addAll("number", "muted");
    root = new FlowPane(8, 6, ends, group, failures.node(), count);
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
    boolean migrates = pair == null || pair.leading().migrates();
    ends.setVisible(migrates);
    ends.setManaged(migrates);
    boolean two = pair != null && pair.sessions().size() == 2;
    both.setDisable(!two);
    source.setDisable(pair == null || pair.source() == null);
    destination.setDisable(pair == null || pair.destination() == null);
    if (!again) {
      (pair == null || two ? both : pair.source() != null ? source : destination).setSelected(true);
    }
  }

  /** Whether an end is shown. */
  boolean includes(Role role) {
    return both.isSelected() || (role == Role.SOURCE ? source : destination).isSelected();
  }

  /** Shows another end. */
  void choose(Role role) {
    (role == Role.SOURCE ? source : destination).setSelected(true);
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

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.stepping;

import java.util.ArrayList;
import java.util.List;
import javafx.scene.Node;
import javafx.scene.control.Label;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Region;
import javafx.scene.layout.VBox;
import org.wridscope.control.Session;
import org.wridscope.control.schedule.Standing;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Wait;
import org.wridscope.ui.Hints;

/** What one end of a stepped run waits for, and what lies in its device. */
final class EndCard {
  /** How many requests of a queue are named. */
  private static final int MOST_NAMED = 3;

  private final VBox root = new VBox(2);

  EndCard(String id) {
    root.setId(id);
    root.getStyleClass().add("step-end");
    root.setMinWidth(0);
  }

  Node node() {
    return root;
  }

  /** Shows an end of a run that stands still. */
  void show(Standing.End end) {
    List<Node> lines = new ArrayList<>();
    String status = end.status().qemuName();
    Wait waitingFor = end.waitingFor();
    lines.add(
        title(
            waitingFor == null
                ? status
                : "%s, %s".formatted(status, "waits for %s".formatted(waitingFor.text())),
            end.role()));
    add(lines, "posted", end.posted());
    add(lines, "not acknowledged", end.unacknowledged());
    add(lines, "to poll", end.completed());
    root.getChildren().setAll(lines);
  }

  /** Shows an end of a run that is over. */
  void show(Session session) {
    root.getChildren()
        .setAll(
            title(session.status().qemuName(), session.role()),
            line("guest %s".formatted(session.guestPlace())));
  }

  private static Node title(String state, Role role) {
    var who = new Label(role == Role.SOURCE ? "Source" : "Destination");
    who.getStyleClass().add("finding-check");
    who.setMinWidth(Region.USE_PREF_SIZE);
    return new HBox(8, who, line(state));
  }

  private static void add(List<Node> lines, String what, List<String> requests) {
    if (!requests.isEmpty()) {
      int named = Math.min(MOST_NAMED, requests.size());
      String text = String.join(", ", requests.subList(0, named));
      lines.add(
          line(
              "%s: %s"
                  .formatted(
                      what,
                      requests.size() == named
                          ? text
                          : "%s and %d more".formatted(text, requests.size() - named))));
    }
  }

  private static Label line(String text) {
    var line = new Label(text);
    line.setTooltip(Hints.tip(text));
    return line;
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import javafx.geometry.Pos;
import javafx.scene.Node;
import javafx.scene.control.Button;
import javafx.scene.control.Label;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.HBox;
import javafx.scene.layout.Priority;
import javafx.scene.layout.Region;
import org.jspecify.annotations.Nullable;
import org.kordamp.ikonli.feather.Feather;
import org.kordamp.ikonli.javafx.FontIcon;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.text.Format;
import org.wridscope.ui.Presence;
import org.wridscope.ui.TimeRange;

/**
 * The line at the bottom: device, where the guest is, completeness of monitoring, recordings, the
 * chosen range, and the time at the cursor.
 */
final class StatusLine {
  private final Label device = new Label();
  private final Tooltip deviceReason = new Tooltip();
  private final Label monitoring = new Label();
  private final Label recording = new Label();
  private final Label guest = new Label();
  private final Label details = new Label();
  private final Label time = new Label();
  private final HBox root;

  StatusLine(TimeRange range) {
    device.setTooltip(deviceReason);
    monitoring.setTooltip(
        new Tooltip(
            "Left out: events that occurred while the event ring was full; counters are"
                + " complete.\n"
                + "Discarded: the oldest events, once the memory for events was full."));
    guest.setId("guest");
    details.setId("status-details");
    recording.setId("recording");
    recording.getStyleClass().add("status-recording");
    time.setMinWidth(Region.USE_PREF_SIZE);
    var gap = new Region();
    HBox.setHgrow(gap, Priority.ALWAYS);
    root =
        new HBox(
            device,
            guest,
            monitoring,
            recording,
            gap,
            markers(range),
            chosen(range),
            details,
            time);
    root.setAlignment(Pos.CENTER_LEFT);
    root.getStyleClass().add("status-line");
    for (Node node : root.getChildren()) {
      node.getStyleClass().add("number");
    }
  }

  /** The chosen range, with buttons that show all of it, or clear it. Hidden if there is none. */
  private static Node chosen(TimeRange range) {
    var text = new Label();
    text.setId("chosen-range");
    text.setMinWidth(Region.USE_PREF_SIZE);
    var show = button("show-range", Feather.MAXIMIZE_2, "Show only the range in all time views");
    show.setOnAction(_ -> {
      TimeRange.Span span = range.chosen();
      if (span != null) {
        range.hold(span.fromNanos(), span.toNanos());
      }
    });
    var clear = button("clear-range", Feather.X, "Clear the range (Escape)");
    clear.setOnAction(_ -> range.chooseNone());
    var box = new HBox(text, show, clear);
    box.setAlignment(Pos.CENTER_LEFT);
    box.getStyleClass().add("chosen-range");
    range
        .chosenProperty()
        .subscribe(span -> {
          text.setText("Range: %s".formatted(range.chosenText()));
          Presence.set(box, span != null);
        });
    return box;
  }

  /** The time between the markers, with a button that removes them. Hidden if there is none. */
  private static Node markers(TimeRange range) {
    var text = new Label();
    text.setId("markers");
    text.setMinWidth(Region.USE_PREF_SIZE);
    var remove = button("remove-markers", Feather.X, "Remove the markers (Shift+M)");
    remove.setOnAction(_ -> range.removeMarkers());
    var box = new HBox(text, remove);
    box.setAlignment(Pos.CENTER_LEFT);
    box.getStyleClass().add("chosen-range");
    range
        .markersProperty()
        .subscribe(markers -> {
          text.setText(range.markersText());
          boolean some = !markers.moments().isEmpty();
          Presence.set(box, some);
        });
    return box;
  }

  private static Button button(String id, Feather icon, String what) {
    var button = new Button("", new FontIcon(icon));
    button.setId(id);
    button.getStyleClass().addAll("flat", "button-icon");
    button.setTooltip(new Tooltip(what));
    button.setAccessibleText(what);
    // They disappear when the range does; the focus would move to anything.
    button.setFocusTraversable(false);
    return button;
  }

  Node node() {
    return root;
  }

  void refresh(@Nullable SessionPair pair) {
    device.setText(pair == null ? "" : device(pair.leading()));
    device.setManaged(pair != null);
    deviceReason.setText(pair == null ? "" : pair.leading().deviceReason());
    guest.setText(pair == null ? "" : GuestText.of(pair));
    guest.setManaged(!guest.getText().isEmpty());
    monitoring.setText(monitoring(pair));
  }

  private static String device(Session session) {
    if (session.ofCapture()) {
      return session.deviceReason();
    }
    if (!session.showsRequests()) {
      return "engine: %s".formatted(session.device());
    }
    // That of a program may be a phrase, such as "every RDMA device".
    return session.migrates()
        ? "device %s".formatted(session.device())
        : "on %s".formatted(session.device());
  }

  /** Shows what is being recorded; empty for nothing. */
  void recording(String text) {
    recording.setText(text);
  }

  /** Shows figures about this program; empty for none. */
  void details(String text) {
    details.setText(text);
    details.setManaged(!text.isEmpty());
  }

  /** Shows the time at the cursor; empty if there is no cursor. */
  void cursor(String text) {
    time.setText(text);
  }

  private static String monitoring(@Nullable SessionPair pair) {
    if (pair == null) {
      return "monitoring: nothing selected";
    }
    long leftOut = 0;
    long givenUp = 0;
    boolean monitored = false;
    for (Session session : pair.sessions()) {
      leftOut += session.telemetry().eventsLeftOut();
      givenUp += session.telemetry().eventsGivenUp();
      monitored |= session.telemetry().monitored();
    }
    if (!monitored) {
      return "monitoring off: no events, no history";
    }
    String text = "monitoring: %s events left out".formatted(Format.count(leftOut));
    return givenUp == 0
        ? text
        : "%s, the oldest %s discarded".formatted(text, Format.count(givenUp));
  }
}

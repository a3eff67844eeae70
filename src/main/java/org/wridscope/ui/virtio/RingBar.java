// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.virtio;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import javafx.scene.AccessibleRole;
import javafx.scene.control.Label;
import javafx.scene.control.OverrunStyle;
import javafx.scene.control.Tooltip;
import javafx.scene.layout.Region;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.virtio.QueueSnapshot;

/**
 * The entries of a queue from the driver's last used index on, as long as the ring: what came back,
 * what is in flight, what waits, and what is free.
 */
final class RingBar extends Region {
  private static final double HEIGHT = 14;

  /** What an entry of the ring is to driver and device. */
  enum Part {
    RETURNED("returned", "from last used to used index: completed, not seen by the driver yet"),
    IN_FLIGHT("in flight", "from used to last available index: taken, not completed"),
    WAITING("waiting", "from last available to available index: not taken yet"),
    FREE("free", "nothing was asked for");

    private final String text;
    private final String explanation;

    Part(String text, String explanation) {
      this.text = text;
      this.explanation = explanation;
    }

    String text() {
      return text;
    }

    String explanation() {
      return explanation;
    }

    String style() {
      return "ring-" + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    int of(QueueSnapshot queue) {
      int used = queue.returned() + queue.taken() + queue.waiting();
      return switch (this) {
        case RETURNED -> queue.returned();
        case IN_FLIGHT -> queue.taken();
        case WAITING -> queue.waiting();
        case FREE -> Math.max(0, queue.size() - used);
      };
    }
  }

  private final Map<Part, Label> stretches = new EnumMap<>(Part.class);
  private @Nullable QueueSnapshot queue;

  RingBar() {
    getStyleClass().add("ring-bar");
    setAccessibleRole(AccessibleRole.TEXT);
    for (Part part : Part.values()) {
      Label label = new Label();
      label.getStyleClass().addAll("ring-part", part.style());
      label.setManaged(false);
      label.setTooltip(new Tooltip(part.text() + ": " + part.explanation()));
      label.setTextOverrun(OverrunStyle.CLIP);
      stretches.put(part, label);
      getChildren().add(label);
    }
  }

  void set(QueueSnapshot now) {
    if (now.equals(queue)) {
      return;
    }
    queue = now;
    StringBuilder spoken = new StringBuilder();
    for (Part part : Part.values()) {
      spoken.append(part.text()).append(' ').append(part.of(now)).append(", ");
    }
    setAccessibleText(spoken.toString());
    requestLayout();
  }

  @Override
  protected void layoutChildren() {
    QueueSnapshot shown = queue;
    if (shown == null) {
      return;
    }
    int sum = 0;
    for (Part part : Part.values()) {
      sum += part.of(shown);
    }
    double x = 0;
    for (Map.Entry<Part, Label> stretch : stretches.entrySet()) {
      int entries = stretch.getKey().of(shown);
      Label label = stretch.getValue();
      double width = Math.rint(getWidth() * entries / sum);
      String number = Integer.toString(entries);
      label.setText(width > 8 * number.length() + 2 ? number : "");
      label.setVisible(entries > 0);
      label.resizeRelocate(x, 0, Math.max(1, width - 1), HEIGHT);
      x += width;
    }
  }

  @Override
  protected double computePrefHeight(double width) {
    return HEIGHT;
  }

  @Override
  protected double computeMinHeight(double width) {
    return HEIGHT;
  }
}

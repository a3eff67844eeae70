// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.virtio;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import javafx.scene.layout.Region;
import org.wridscope.guest.virtio.QueueSnapshot;
import org.wridscope.ui.chart.PartsBar;

/**
 * The entries of a queue from the driver's last used index on, as long as the ring: what came back,
 * what is in flight, what waits, and what is free.
 */
final class RingBar {
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

  private final PartsBar bar =
      new PartsBar(
          "ring-part",
          HEIGHT,
          Arrays.stream(Part.values())
              .map(part -> new PartsBar.Part(part.style(), part.text() + ": " + part.explanation()))
              .toList());

  Region node() {
    return bar;
  }

  void set(QueueSnapshot queue) {
    double sum = Arrays.stream(Part.values()).mapToInt(part -> part.of(queue)).sum();
    List<PartsBar.Stretch> stretches = new ArrayList<>();
    StringBuilder spoken = new StringBuilder();
    for (Part part : Part.values()) {
      int entries = part.of(queue);
      stretches.add(
          new PartsBar.Stretch(entries / Math.max(1, sum), List.of(Integer.toString(entries))));
      spoken.append(part.text()).append(' ').append(entries).append(", ");
    }
    bar.set(stretches, spoken.toString());
  }
}

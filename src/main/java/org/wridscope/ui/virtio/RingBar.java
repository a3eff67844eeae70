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
 * The entries of a queue's ring, starting at the driver's last used index: returned, in flight,
 * waiting and free ones.
 */
final class RingBar {
  private static final double HEIGHT = 14;

  /** The state of an entry of the ring. */
  enum Part {
    RETURNED("returned", "from last used to used index: completed, not yet read by the driver"),
    IN_FLIGHT("in flight", "from used to last available index: taken, not completed"),
    WAITING("waiting", "from last available to available index: not yet taken by the device"),
    FREE("free", "unused entries");

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

    /** How many entries have this state; never more than the ring has. */
    int of(QueueSnapshot queue) {
      // A used index behind the driver's says nothing about what was returned or taken.
      boolean behind = queue.returned() > queue.size();
      int returned = behind ? 0 : queue.returned();
      int taken = Math.min(behind ? queue.inFlight().size() : queue.taken(), queue.size());
      int waiting = Math.min(queue.waiting(), queue.size());
      return switch (this) {
        case RETURNED -> returned;
        case IN_FLIGHT -> taken;
        case WAITING -> waiting;
        case FREE -> Math.max(0, queue.size() - returned - taken - waiting);
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

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import javafx.scene.Group;
import javafx.scene.shape.Rectangle;
import javafx.scene.text.Text;
import org.wridscope.memory.ChunkRelease;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.ShownState;
import org.wridscope.text.Format;
import org.wridscope.ui.Palette;
import org.wridscope.ui.chart.ChartText;

/** A text beside the pointer about the chunk, or the chunks, under it. */
final class ReadOut {
  private static final double PADDING = 7;
  private static final double DISTANCE = 14;
  private static final List<ShownState> BY_RANK =
      Arrays.stream(ShownState.values())
          .sorted(Comparator.comparingInt(ShownState::rank).reversed())
          .toList();

  private final Group group = new Group();
  private final Rectangle ground = new Rectangle();
  private final Text head = ChartText.heading();
  private final Text body = ChartText.normal();

  ReadOut() {
    group.setManaged(false);
    group.setMouseTransparent(true);
    group.setVisible(false);
    ground.setArcWidth(8);
    ground.setArcHeight(8);
    head.setX(PADDING);
    body.setX(PADDING);
    head.setY(PADDING);
    group.getChildren().addAll(ground, head, body);
  }

  Group node() {
    return group;
  }

  void theme(boolean dark) {
    ground.setFill(Palette.UNTOUCHED.color(dark));
    ground.setStroke(Palette.MARK.color(dark));
    head.setFill(Palette.CURSOR.color(dark));
    body.setFill(Palette.CURSOR.color(dark));
  }

  void hide() {
    group.setVisible(false);
  }

  /** Shows a text beside a point, within a width and a height. */
  void show(String title, String text, double x, double y, double width, double height) {
    ChartText.write(head, title);
    ChartText.write(body, text);
    double lines = head.getLayoutBounds().getHeight();
    body.setY(PADDING + lines + 2);
    double w =
        2 * PADDING
            + Math.max(head.getLayoutBounds().getWidth(), body.getLayoutBounds().getWidth());
    double h = 2 * PADDING + lines + 2 + body.getLayoutBounds().getHeight();
    ground.setWidth(w);
    ground.setHeight(h);
    double left = x + DISTANCE + w <= width ? x + DISTANCE : x - DISTANCE - w;
    double top = y + DISTANCE + h <= height ? y + DISTANCE : y - DISTANCE - h;
    group.relocate(Math.rint(Math.max(0, left)), Math.rint(Math.max(0, top)));
    group.setVisible(true);
  }

  /** The title for some chunks of a block. */
  static String title(ChunkTable table, int chunk, int count) {
    return count == 1
        ? "%s  chunk %s".formatted(table.name(), Format.count(chunk))
        : "%s  chunks %s to %s"
            .formatted(table.name(), Format.count(chunk), Format.count(chunk + count - 1L));
  }

  /** Everything about one chunk. */
  static String describe(ChunkDetails details) {
    String sent =
        details.timesSent() == 0
            ? "never sent"
            : details.timesSent() == 1
                ? "sent once"
                : "sent %s times".formatted(details.timesSent());
    var text = new StringBuilder(details.state().text()).append(", ").append(sent);
    if (details.inTransit() > 0) {
      text.append(", %s in transit".formatted(details.inTransit()));
    }
    if (details.release() != ChunkRelease.NONE) {
      text.append("\nregistration %s".formatted(details.release().text()));
    }
    text.append(
        "\noffset %s, length %s"
            .formatted(Format.bytes(details.offset()), Format.bytes(details.length())));
    text.append("\nwrid %s".formatted(Format.wrid(details.wrid())));
    if (details.localAddress() != 0) {
      text.append("\nlocal %s".formatted(Format.address(details.localAddress())));
      text.append(key(details.localKey()));
    }
    if (details.remoteAddress() != 0) {
      text.append("\nremote %s".formatted(Format.address(details.remoteAddress())));
      text.append(key(details.remoteKey()));
    }
    return text.toString();
  }

  private static String key(int key) {
    return key == 0 ? ", no key" : ", key %s".formatted(Format.key(key));
  }

  /** How many of some chunks are in each state; the state that matters most first. */
  static String describe(ChunkTable table, int chunk, int count) {
    int[] counts = new int[ShownState.values().length];
    for (int i = 0; i < count; i++) {
      counts[table.shown(chunk + i).ordinal()]++;
    }
    var text = new StringBuilder();
    for (ShownState state : BY_RANK) {
      int shown = counts[state.ordinal()];
      if (shown > 0) {
        text.append(Format.count(shown)).append(' ').append(state.text()).append('\n');
      }
    }
    return text.append(
            "offset %s; zoom in to see single chunks"
                .formatted(Format.bytes(ChunkTable.offsetOf(chunk))))
        .toString();
  }
}

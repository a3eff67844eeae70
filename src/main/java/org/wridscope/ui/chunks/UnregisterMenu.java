// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import java.util.stream.IntStream;
import javafx.scene.Node;
import javafx.scene.control.ContextMenu;
import javafx.scene.control.MenuItem;
import javafx.scene.input.ContextMenuEvent;
import org.wridscope.control.Session;
import org.wridscope.memory.ChunkTable;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;

/** The context menu of a chunk map: tells a running source that chunks may be unregistered. */
final class UnregisterMenu {
  private final MenuItem item = new MenuItem();
  private final ContextMenu menu = new ContextMenu(item);
  private final Refusal refusal;

  /** Receives the reason why chunks cannot be unregistered, and where the menu was opened. */
  @FunctionalInterface
  interface Refusal {
    void refused(String reason, double x, double y);
  }

  UnregisterMenu(Refusal refusal) {
    this.refusal = refusal;
    item.setId("chunks-unregister");
  }

  void hide() {
    menu.hide();
  }

  /** Shows the menu for some chunks, if a running source has registered any of them. */
  void show(
      Node owner, ContextMenuEvent event, Session session, ChunkTable block, int chunk, int count) {
    if (!isRegistered(session, block, chunk, count)) {
      menu.hide();
      return;
    }
    item.setText(
        count == 1
            ? "Unregister what covers chunk " + Format.count(chunk)
            : "Unregister what covers chunks %s to %s"
                .formatted(Format.count(chunk), Format.count(chunk + count - 1L)));
    double x = event.getX();
    double y = event.getY();
    item.setOnAction(_ -> {
      long offset = ChunkTable.offsetOf(chunk);
      long end = Math.min(block.length(), ChunkTable.offsetOf(chunk + count));
      try {
        session.hintUnregister(block.name(), offset, end - offset);
      } catch (IllegalArgumentException e) {
        refusal.refused(String.valueOf(e.getMessage()), x, y);
      }
    });
    menu.show(owner, event.getScreenX(), event.getScreenY());
    event.consume();
  }

  private static boolean isRegistered(Session session, ChunkTable block, int chunk, int count) {
    return session.role() == Role.SOURCE
        && !session.status().isEnd()
        && IntStream.range(chunk, chunk + count).anyMatch(each -> block.localKey(each) != 0);
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import javafx.application.Platform;
import javafx.scene.control.MenuItem;
import org.wridscope.control.Session;
import org.wridscope.guest.StillRegisteredException;
import org.wridscope.memory.ChunkTable;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;
import org.wridscope.ui.SelectionMenu;

/** Tells a running source that chunks may be unregistered, or has them unregistered now. */
final class Unregistering {
  /** How long a source may take to unregister chunks now. */
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private static final String REFUSED = "Not unregistered";

  private final Answer answer;

  /** Receives what became of a choice, and where the menu was opened. */
  @FunctionalInterface
  interface Answer {
    void tell(String title, String text, double x, double y);
  }

  /** Some chunks of a session, and where the menu was opened for them. */
  private record Chosen(
      Session session, ChunkTable block, int chunk, int count, double x, double y) {

    long offset() {
      return ChunkTable.offsetOf(chunk);
    }

    long length() {
      return Math.min(block.length(), ChunkTable.offsetOf(chunk + count)) - offset();
    }

    String text() {
      return count == 1
          ? "chunk %s".formatted(Format.count(chunk))
          : "chunks %s to %s".formatted(Format.count(chunk), Format.count(chunk + count - 1L));
    }

    boolean isRegistered() {
      return session.role() == Role.SOURCE
          && !session.status().isEnd()
          && IntStream.range(chunk, chunk + count).anyMatch(each -> block.localKey(each) != 0);
    }
  }

  Unregistering(Answer answer) {
    this.answer = answer;
  }

  /**
   * The items for some chunks; none unless a running source has registered any of them.
   *
   * @param x where the answer is shown
   * @param y where the answer is shown
   */
  List<MenuItem> items(
      Session session, ChunkTable block, int chunk, int count, double x, double y) {
    var chosen = new Chosen(session, block, chunk, count, x, y);
    return chosen.isRegistered()
        ? List.of(
            SelectionMenu.item(
                "chunks-unregister",
                "Unregister what covers %s".formatted(chosen.text()),
                () -> hint(chosen)),
            SelectionMenu.item(
                "chunks-unregister-now",
                "Unregister what covers %s now, and wait".formatted(chosen.text()),
                () -> unregister(chosen)))
        : List.of();
  }

  private void hint(Chosen chosen) {
    try {
      chosen.session().hintUnregister(chosen.block().name(), chosen.offset(), chosen.length());
    } catch (IllegalArgumentException e) {
      tell(chosen, REFUSED, String.valueOf(e.getMessage()));
    }
  }

  /** In the background, since the source first writes what is to be written. */
  private void unregister(Chosen chosen) {
    tell(chosen, "Unregistering", "What covers %s is unregistered.".formatted(chosen.text()));
    Thread _ =
        Thread.ofVirtual()
            .name("chunks-unregister")
            .start(() -> {
              String title = REFUSED;
              String text;
              try {
                int registrations =
                    chosen
                        .session()
                        .unregister(chosen.block().name(), chosen.offset(), chosen.length(), LIMIT);
                title = "Unregistered";
                text =
                    "%s released at both ends."
                        .formatted(Format.counted(registrations, "registration"));
              } catch (StillRegisteredException e) {
                text = String.valueOf(e.getMessage());
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                text = "The wait was interrupted.";
              }
              String finalTitle = title;
              String finalText = text;
              Platform.runLater(() -> tell(chosen, finalTitle, finalText));
            });
  }

  private void tell(Chosen chosen, String title, String text) {
    answer.tell(title, text, chosen.x(), chosen.y());
  }
}

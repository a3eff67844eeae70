// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javafx.animation.PauseTransition;
import javafx.util.Duration;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.sessions.SessionsModel;

/**
 * Removes migrations from the list. For a while they are only hidden, and can be brought back; then
 * their sessions are closed. For the JavaFX thread only.
 */
final class Removal {
  private static final Duration GRACE = Duration.seconds(15);

  private final SessionsModel sessions;
  private final Notices notices;
  private final Consumer<Migration> brought;
  private final Consumer<Migration> close;
  private final PauseTransition grace = new PauseTransition(GRACE);
  private final List<Migration> removed = new ArrayList<>();
  private String said = "";

  /**
   * @param notices where undoing is offered
   * @param brought gets a migration that was brought back, to show it
   * @param close closes the sessions of a migration for good
   */
  Removal(
      SessionsModel sessions,
      Notices notices,
      Consumer<Migration> brought,
      Consumer<Migration> close) {
    this.sessions = sessions;
    this.notices = notices;
    this.brought = brought;
    this.close = close;
    grace.setOnFinished(_ -> settle());
  }

  /** Removes a migration, unless it is running. */
  void remove(Migration migration) {
    if (migration.running()) {
      return;
    }
    sessions.hide(migration);
    removed.add(migration);
    said =
        removed.size() == 1
            ? "Removed %s from the list.".formatted(migration.name())
            : "Removed %d migrations from the list.".formatted(removed.size());
    notices.offer(said, "Undo", this::undo, this::settle);
    grace.playFromStart();
  }

  /** Brings back what was removed and is not closed yet. */
  void undo() {
    grace.stop();
    List<Migration> back = List.copyOf(removed.reversed());
    removed.clear();
    back.forEach(sessions::restore);
    withdraw();
    if (!back.isEmpty()) {
      brought.accept(back.getFirst());
    }
  }

  private void settle() {
    grace.stop();
    List<Migration> gone = List.copyOf(removed);
    removed.clear();
    withdraw();
    gone.forEach(migration -> {
      sessions.forget(migration);
      close.accept(migration);
    });
  }

  /** Closes nothing later on: the window closes, and everything with it. */
  void stop() {
    grace.stop();
  }

  private void withdraw() {
    if (notices.says(said)) {
      notices.tell("");
    }
  }
}

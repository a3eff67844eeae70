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
 * Removes migrations from the list. For some seconds they are only hidden and can be restored; then
 * their sessions are closed. For the JavaFX thread only.
 */
final class Removal {
  private static final Duration GRACE = Duration.seconds(15);

  private final SessionsModel sessions;
  private final Notices notices;
  private final Consumer<Migration> restored;
  private final Consumer<Migration> close;
  private final PauseTransition grace = new PauseTransition(GRACE);
  private final List<Migration> removed = new ArrayList<>();
  private String notice = "";

  /**
   * @param notices shows the offer to undo
   * @param restored shows a migration that was restored
   * @param close closes the sessions of a migration
   */
  Removal(
      SessionsModel sessions,
      Notices notices,
      Consumer<Migration> restored,
      Consumer<Migration> close) {
    this.sessions = sessions;
    this.notices = notices;
    this.restored = restored;
    this.close = close;
    grace.setOnFinished(_ -> closeRemoved());
  }

  /** Removes migrations, except those that are running. */
  void remove(List<Migration> migrations) {
    List<Migration> ended = migrations.stream().filter(each -> !each.running()).toList();
    if (ended.isEmpty()) {
      return;
    }
    ended.forEach(sessions::hide);
    removed.addAll(ended);
    notice =
        removed.size() == 1
            ? "Removed %s from the list.".formatted(removed.getFirst().name())
            : "Removed %d migrations from the list.".formatted(removed.size());
    notices.offer(true, notice, "Undo", this::undo, this::closeRemoved);
    grace.playFromStart();
  }

  /** Restores all removed migrations that are not closed yet. */
  void undo() {
    grace.stop();
    List<Migration> back = List.copyOf(removed.reversed());
    removed.clear();
    back.forEach(sessions::restore);
    withdrawNotice();
    if (!back.isEmpty()) {
      restored.accept(back.getFirst());
    }
  }

  private void closeRemoved() {
    grace.stop();
    List<Migration> gone = List.copyOf(removed);
    removed.clear();
    withdrawNotice();
    gone.forEach(migration -> {
      sessions.forget(migration);
      close.accept(migration);
    });
  }

  /** Closes nothing by itself any more: the window closes all sessions. */
  void stop() {
    grace.stop();
  }

  private void withdrawNotice() {
    if (notices.isShowing(notice)) {
      notices.tell("");
    }
  }
}

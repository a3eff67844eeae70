// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionManager;
import org.wridscope.remote.Launcher;
import org.wridscope.remote.RemoteControl;

/** Lets other programs control a command while it runs, if that was asked for. */
final class QmpHost implements AutoCloseable {
  private final @Nullable RemoteControl control;
  private final CountDownLatch ended = new CountDownLatch(1);
  private boolean quit;
  private @Nullable Runnable onQuit;

  /**
   * @param sessions those of the command
   * @param launcher begins the migrations that clients ask for
   */
  QmpHost(QmpOption option, SessionManager sessions, Launcher launcher, Terminal terminal)
      throws InputException, IOException {
    RemoteControl.Settings settings = option.settings().orElse(null);
    control =
        settings == null
            ? null
            : RemoteControl.open(
                settings, Version.text(), sessions::sessions, launcher, this::quit);
    if (control != null) {
      terminal.message("QMP at " + control.address());
    }
  }

  /**
   * Sets the reaction to {@code quit}; it runs at once if that has already come.
   *
   * @param reaction must not wait; runs on another thread
   */
  synchronized void onQuit(Runnable reaction) {
    onQuit = reaction;
    if (quit) {
      reaction.run();
    }
  }

  private synchronized void quit() {
    quit = true;
    if (onQuit != null) {
      onQuit.run();
    }
    end();
  }

  synchronized boolean hasQuit() {
    return quit;
  }

  /** Ends {@link #awaitEnd}. */
  void end() {
    ended.countDown();
  }

  /** After the migration, answers until somebody ends it; returns at once if it does not answer. */
  void awaitEnd(Terminal terminal) throws InterruptedException {
    if (control != null && ended.getCount() > 0) {
      terminal.message(
          "QMP at %s is answered until a client sends quit, or Ctrl-C."
              .formatted(control.address()));
      ended.await();
    }
  }

  @Override
  public void close() {
    if (control != null) {
      control.close();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.concurrent.atomic.AtomicReference;
import javafx.application.Application;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionManager;

/** Opens the window. */
public final class WindowLauncher {
  /** JavaFX makes the application object itself, so it has to find what it works on here. */
  private static final AtomicReference<@Nullable SessionManager> MANAGER = new AtomicReference<>();

  private WindowLauncher() {}

  /**
   * Opens the window and returns when it was closed. Can be called once in a process.
   *
   * @param manager what the window starts and lists; the window closes it
   * @throws UnsupportedOperationException when there is no display
   */
  public static void launch(SessionManager manager) {
    if (!MANAGER.compareAndSet(null, manager)) {
      throw new IllegalStateException("the window was opened already");
    }
    Application.launch(WindowApp.class);
  }

  static SessionManager manager() {
    SessionManager manager = MANAGER.get();
    if (manager == null) {
      throw new IllegalStateException("the window has to be opened through its launcher");
    }
    return manager;
  }
}

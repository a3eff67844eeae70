// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.concurrent.atomic.AtomicReference;
import javafx.application.Application;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionManager;

/** Opens the window. */
public final class WindowLauncher {
  /** JavaFX creates the application object itself, which finds the manager here. */
  private static final AtomicReference<@Nullable SessionManager> MANAGER = new AtomicReference<>();

  private WindowLauncher() {}

  /**
   * Opens the window and returns when it is closed. Can be called once per process.
   *
   * @param manager starts and lists sessions; the window closes it
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

// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import javafx.application.Application;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionManager;

/** Opens the window. */
public final class WindowLauncher {
  /** JavaFX creates the application object itself, which finds here what it is to show. */
  private static final AtomicReference<@Nullable Shown> SHOWN = new AtomicReference<>();

  private WindowLauncher() {}

  /** What the window shows. */
  record Shown(SessionManager manager, List<Path> files) {}

  /**
   * Opens the window and returns when it is closed. Can be called once per process.
   *
   * @param manager starts and lists sessions; the window closes it
   * @param files recordings, trace logs and captured packets to open
   * @throws UnsupportedOperationException when there is no display
   */
  public static void launch(SessionManager manager, List<Path> files) {
    if (!SHOWN.compareAndSet(null, new Shown(manager, List.copyOf(files)))) {
      throw new IllegalStateException("the window was opened already");
    }
    Application.launch(WindowApp.class);
  }

  static Shown shown() {
    Shown shown = SHOWN.get();
    if (shown == null) {
      throw new IllegalStateException("the window has to be opened through its launcher");
    }
    return shown;
  }
}

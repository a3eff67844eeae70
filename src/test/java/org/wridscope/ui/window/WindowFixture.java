// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.prefs.Preferences;
import javafx.application.Platform;
import javafx.stage.Stage;
import org.jspecify.annotations.Nullable;
import org.testfx.util.WaitForAsyncUtils;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.control.doctor.BareMachine;

/** The main window of a test, with sessions that are made up. */
final class WindowFixture {
  final FakeSessionManager manager = FakeSessionManager.idle();

  /** How often the window said that it was closed. */
  final AtomicInteger closed = new AtomicInteger();

  private final ExecutorService background = Executors.newVirtualThreadPerTaskExecutor();

  /** Shows it in a stage. */
  MainWindow show(Stage stage, double width, double height, Preferences store) {
    stage.setX(0);
    stage.setY(0);
    stage.setWidth(width);
    stage.setHeight(height);
    var window =
        new MainWindow(
            stage, manager, new BareMachine(), background, store, closed::incrementAndGet);
    window.show();
    return window;
  }

  /**
   * Closes the window, so that nothing of it goes on behind the next test.
   *
   * @param window null when the test has closed it
   */
  void close(@Nullable MainWindow window) {
    if (window != null) {
      Platform.runLater(window::closeNow);
    }
    await("the window to be closed", () -> closed.get() == 1);
    background.shutdownNow();
  }

  static void await(String what, Callable<Boolean> condition) {
    try {
      WaitForAsyncUtils.waitFor(20, TimeUnit.SECONDS, condition);
    } catch (TimeoutException e) {
      throw new AssertionError("waited 20 s for " + what, e);
    }
    WaitForAsyncUtils.waitForFxEvents();
  }
}

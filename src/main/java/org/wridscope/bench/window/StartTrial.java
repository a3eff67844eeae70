// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench.window;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javafx.application.Platform;
import javafx.collections.ListChangeListener;
import javafx.event.Event;
import javafx.scene.Scene;
import javafx.stage.Window;
import javafx.stage.WindowEvent;
import org.wridscope.cli.WridscopeCommand;
import org.wridscope.control.CaptureFolders;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.SessionManager;
import org.wridscope.ui.window.WindowLauncher;

/**
 * Opens the window as the program does, says when it can be seen and used, and closes it: {@code
 * wridscope bench --start} calls it in a process of its own.
 */
public final class StartTrial {
  /** JavaFX does not begin the third frame before the first one has been rendered. */
  private static final int FRAMES = 3;

  /** Shorter waits of the window's thread are not noticed. */
  private static final long NOTICED_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** The window can be used if its thread has not been busy for so long. */
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** On a machine that is busy with other things, the thread may never be idle for so long. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private static final long BETWEEN_MILLIS = 5;

  private StartTrial() {}

  /**
   * Writes a line when the first frame has been rendered, and one with the nanoseconds for which
   * the window could then be used, a second at least unless it took 20 s: its thread has let
   * nothing wait for more than 50 ms.
   *
   * @param args none
   */
  public static void main(String[] args) {
    System.exit(
        WridscopeCommand.run(
            args, () -> new LocalSessions(CaptureFolders.ofUser()), StartTrial::open));
  }

  private static void open(SessionManager manager, List<Path> files) {
    var rendered = new CountDownLatch(1);
    Window.getWindows()
        .addListener(
            (ListChangeListener<Window>)
                change -> {
                  change.next();
                  change.getAddedSubList().forEach(window -> watch(window.getScene(), rendered));
                });
    Thread.ofPlatform().daemon().name("trial").start(() -> report(rendered));
    WindowLauncher.launch(manager, files);
  }

  private static void watch(Scene scene, CountDownLatch rendered) {
    var frames = new AtomicInteger();
    scene.addPostLayoutPulseListener(() -> {
      if (frames.incrementAndGet() == FRAMES) {
        rendered.countDown();
      }
    });
  }

  private static void report(CountDownLatch rendered) {
    try {
      rendered.await();
      long first = System.nanoTime();
      System.out.println("first-frame");
      long usable = first;
      long now = first;
      while (now - usable < QUIET_NANOS && now - first < PATIENCE_NANOS) {
        long asked = System.nanoTime();
        var answered = new CountDownLatch(1);
        Platform.runLater(answered::countDown);
        answered.await();
        now = System.nanoTime();
        if (now - asked > NOTICED_NANOS) {
          usable = now;
        }
        Thread.sleep(BETWEEN_MILLIS);
      }
      System.out.println("usable " + (System.nanoTime() - usable));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      Platform.runLater(StartTrial::close);
    }
  }

  /** Closes the window as its user does. */
  private static void close() {
    for (Window window : List.copyOf(Window.getWindows())) {
      Event.fireEvent(window, new WindowEvent(window, WindowEvent.WINDOW_CLOSE_REQUEST));
    }
  }
}

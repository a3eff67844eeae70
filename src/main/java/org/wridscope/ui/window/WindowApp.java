// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javafx.application.Application;
import javafx.application.Platform;
import javafx.scene.text.Text;
import javafx.stage.Stage;
import org.jspecify.annotations.Nullable;
import org.wridscope.aftermath.Aftermath;
import org.wridscope.control.doctor.ThisMachine;
import org.wridscope.control.guard.Recovery;
import org.wridscope.ui.remembered.Remembered;

/** The JavaFX application; started by {@link WindowLauncher}. */
public final class WindowApp extends Application {
  private static final int SETTLED_SECONDS = 3;

  private final ExecutorService background =
      Executors.newCachedThreadPool(
          work -> Thread.ofPlatform().daemon().name("window-background").unstarted(work));

  private @Nullable Remembered remembered;

  /** Reads files here, so that the JavaFX thread does not wait for the disk. */
  @Override
  public void init() {
    remembered = Remembered.ofUser(background);
  }

  @Override
  public void start(Stage stage) {
    // Sessions may have to end after the last window is closed.
    Platform.setImplicitExit(false);
    requireFonts();
    WindowLauncher.Shown shown = WindowLauncher.shown();
    var window =
        new MainWindow(
            stage,
            shown.manager(),
            new ThisMachine(),
            background,
            Objects.requireNonNull(remembered, "init comes before start"),
            Platform::exit);
    window.show();
    if (!shown.files().isEmpty()) {
      window.openFiles(shown.files());
    }
    // Then the window is there, and hardly anybody has started a migration.
    CompletableFuture.delayedExecutor(SETTLED_SECONDS, TimeUnit.SECONDS, background)
        .execute(() -> {
          shown.manager().expectMigration();
          Platform.runLater(window::prepareViews);
        });
    window.tellAftermath(Aftermath.ofUser(), Recovery.ofUser());
  }

  /** Without fonts JavaFX fails wherever it first lays out a text, and names no reason. */
  private static void requireFonts() {
    try {
      var _ = new Text("a").getLayoutBounds();
    } catch (RuntimeException e) {
      throw new UnsupportedOperationException("there are no fonts", e);
    }
  }

  @Override
  public void stop() {
    background.shutdown();
  }
}

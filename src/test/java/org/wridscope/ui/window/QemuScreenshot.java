// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executors;
import javafx.application.Application;
import javafx.application.Platform;
import javafx.scene.control.Label;
import javafx.stage.Stage;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.LabSettings;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.qemu.CounterGuest;
import org.wridscope.control.qemu.QemuLab;
import org.wridscope.guest.qemu.DirtyLogChoice;
import org.wridscope.guest.qemu.Throttle;
import org.wridscope.settings.MigrationSetting;

/**
 * Takes the picture {@code qemu-dark.png} of {@code docs/screenshots}: the running guest of a QEMU
 * on its way to another QEMU, as {@code lab --qemu} starts them. Runs by hand, with the test class
 * path: {@code QemuScreenshot DIRECTORY}.
 */
public final class QemuScreenshot {
  private QemuScreenshot() {}

  /** Starts it. */
  public static void main(String[] args) {
    Application.launch(Show.class, args);
  }

  /** The application; JavaFX requires it to be public. */
  public static final class Show extends Application {
    private static final long RAM = 256 << 20;

    private final LocalSessions manager = new LocalSessions();
    private @Nullable QemuLab qemus;
    private @Nullable MainWindow window;

    @Override
    public void start(Stage stage) throws IOException, InterruptedException {
      Path program =
          QemuLab.program(System.getenv("PATH"))
              .orElseThrow(() -> new IOException(QemuLab.PROGRAM + " is not installed."));
      qemus = new QemuLab(program, new CounterGuest(RAM, 16 << 20, 0, false), false);
      // Before there is a window that would have to wait.
      qemus.start();
      window =
          WindowFixture.show(
              stage,
              1280,
              800,
              manager,
              Executors.newVirtualThreadPerTaskExecutor(),
              Memories.withTheme("dark"),
              Platform::exit);
      manager.startLab(settings(qemus));
      new Script(stage, Path.of(getParameters().getRaw().getFirst()))
          .await("the sessions in the list", () -> Script.isShown("#sessions .list-cell"))
          .after(1, () -> Script.select(1))
          .await("round 2", () -> stageNow().startsWith("round 2"))
          .picture(0.4, "qemu-dark.png")
          .await("the migration to end", () -> stageNow().isEmpty())
          .after(0.2, window::closeNow)
          .run();
    }

    /** So slow that the second round can be seen. */
    private static LabSettings settings(QemuLab qemus) {
      return new LabSettings(
              new MigrationSettings(
                      new GuestSettings.Lift(
                          qemus.sourceAddress(), DirtyLogChoice.AUTO, Throttle.OFF))
                  .with(MigrationSetting.BANDWIDTH, 48L << 20)
                  .with(MigrationSetting.DOWNTIME_LIMIT, Duration.ofMillis(50)))
          .withDestination(new GuestSettings.Land(qemus.destinationAddress(), false));
    }

    private static String stageNow() {
      return Script.isShown(".stage-now .stage-name")
          ? ((Label) Script.node(".stage-now .stage-name")).getText()
          : "";
    }

    @Override
    public void stop() {
      if (qemus != null) {
        qemus.close();
      }
    }
  }
}
